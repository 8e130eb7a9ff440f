// The services of a cluster on a real broker under load, in one long life: folds are added, removed, killed and frozen, flights stages, push services and
// query APIs are killed, the past is requested, and the only broker freezes and dies. At the end nothing was lost, duplicated or out of order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keptBefore } from '../../pipeline/fold/snapshot-store.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { SESSION_MS, type ServiceProcess, type SupervisedFold, TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { auditFlights } from '../support/flights-audit.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, ownKafka, sharedRegistry } from '../support/kafka.ts';
import { RawClient, upgradeHeaders } from '../support/raw-web-socket.ts';
import { RecordedLists } from '../support/recorded-lists.ts';
import { freePort, READY_MS_MAX } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 60;
/** A proof needs at least this many. */
const POSITIONS_MIN = 300;
/** Heartbeats of idle partitions are always a moment behind. */
const ONE_BATCH_BYTES = 1024;

const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? (Date.now() % 1_000_000) + 1);
const PARTITIONS = 4;
const KILLS = 2;
/** A proof of the flights needs at least this many records. */
const FLIGHTS_MIN = 30;
/** Per process, during outage and recovery of the broker. */
const LINES_MAX = 40;
const SECRET = 'a-secret-that-is-in-no-log';
/** Patience for each step on a busy machine. */
const STEP_MS_MAX = 300_000;
/** A snapshot is kept once a minute. */
const KEPT_MS_MAX = 150_000;

interface Stats {
  readonly messages: number;
  readonly aircraft_count: number;
}

describeWithKafka(`services under load on a real broker (seed ${SEED})`, () => {
  const kafka = ownKafka();
  const registry = sharedRegistry();
  const random = new Random(SEED);
  const feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, Number.POSITIVE_INFINITY, 1));
  let cluster: TestCluster;
  let ingest: ServiceProcess;
  /** Folds that share the partitions. */
  const folds: SupervisedFold[] = [];
  let api: ServiceProcess;
  let flights: ServiceProcess;
  const pushPorts: number[] = [];
  const clients: StreamClient[] = [];
  const env = { ...process.env, SQUITTER_PUSH_SECRET: SECRET };

  const pause = (minMs: number, maxMs: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, random.between(minMs, maxMs)));
  const statsOf = (service: ServiceProcess): Promise<Stats> => service.json<Stats>('/v2/stats');
  const upstream = () => pushPorts.flatMap((port) => ['--push-upstream', `127.0.0.1:${port}`]);
  const startApi = (name: string): ServiceProcess => cluster.launch('query-api', name, upstream(), env);
  const startPush = (i: number): Promise<ServiceProcess> =>
    cluster.start('push', `push-${i}`, ['--push', `127.0.0.1:${pushPorts[i]}`, '--push-tick', '1'], env);
  const client = (encoding: 'named' | 'plain', addresses: readonly string[]): StreamClient => {
    clients.push(new StreamClient(encoding, () => addresses));
    return clients.at(-1)!;
  };
  const startFold = async (): Promise<void> => void folds.push(await cluster.supervise(`fold-${folds.length}`));
  /** Records of positions so far, in all partitions. */
  const positions = async (): Promise<number> => {
    const { log } = await cluster.cluster();
    const ends = Array.from({ length: PARTITIONS }, (_, partition) => log.bounds('positions', partition));
    return (await Promise.all(ends)).reduce((sum, { next }) => sum + next, 0);
  };
  /** Waits; the error after too long contains the last lines of the processes. */
  const waitUntil = (what: string, condition: () => Promise<boolean> | boolean): Promise<unknown> =>
    until(condition, what, READY_MS_MAX).catch((error: Error) => {
      const processes = [ingest, ...folds.map(({ process }) => process)];
      throw new Error([error, ...processes.map((each) => each.failure(each.name))].map(({ message }) => message).join('\n'));
    });
  /** Waits until the ticks of some seconds have positions. */
  const works = async (): Promise<void> => {
    const before = await positions();
    await waitUntil('positions come', async () => (await positions()) > before + 4 * PARTITIONS);
  };

  beforeAll(async () => {
    cluster = await TestCluster.create({ brokers: kafka().brokers, registry: registry(), prefix: 'load.', partitions: PARTITIONS });
    ingest = await cluster.start('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
    feeder.target = await ingest.listenPort();
    feeder.start();
    pushPorts.push(await freePort(), await freePort());
    await startFold();
    api = startApi('query-api');
    await api.untilReady();
  }, KAFKA_START_MS_MAX);
  afterAll(async () => {
    for (const one of clients) one.close();
    await feeder.stop();
    await cluster?.close();
  });

  it('from 1 fold to 3 and back to 2: the partitions move', { timeout: STEP_MS_MAX }, async () => {
    const [first] = folds;
    await works();
    await Promise.all([startFold(), startFold()]);
    const haveShares = async (): Promise<boolean> =>
      (await Promise.all(folds.map((fold) => fold.partitions()))).every((count) => count > 0);
    await waitUntil('each of three has a share', haveShares);
    await works();
    folds.splice(0, 1);
    expect(await first!.stop(), first!.process.output()).toBe(0);
    await waitUntil('two have all', async () => (await folds[0]!.partitions()) + (await folds[1]!.partitions()) === PARTITIONS);
    await works();
  });

  it(`kill -9 of folds at random moments, ${KILLS} times`, { timeout: STEP_MS_MAX }, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(100, 1500);
      const victim = random.pick(folds);
      await waitUntil('it was started again', () => victim.process.running);
      await victim.process.kill();
    }
    // Proof of the fault: states are rebuilt by replay, at least those of the last victim.
    await waitUntil(
      'states were rebuilt by replay',
      async () => sumOf((await Promise.all(folds.map((fold) => fold.metrics()))).flat(), 'squitter_fold_replayed_records_total') > 0,
    );
    // On a busy machine one may also lose its session, and end for its supervisor.
    const ends = folds.flatMap((fold) => fold.ends);
    expect(ends.filter((how) => how === 'SIGKILL')).toHaveLength(KILLS);
    expect(ends.filter((how) => how !== 'SIGKILL' && how !== 1)).toEqual([]);
    await works();
  });

  it('a fold frozen beyond the session, replaced and woken', { timeout: STEP_MS_MAX }, async () => {
    const killed = folds.map(({ ends }) => ends.length);
    const [zombie, other] = folds as [SupervisedFold, SupervisedFold];
    await waitUntil('each has its share', async () => (await zombie.partitions()) > 0 && (await other.partitions()) > 0);
    const { process } = zombie;
    process.freeze();
    await waitUntil('the other has all partitions', async () => (await other.partitions()) === PARTITIONS);
    await pause(0, SESSION_MS);
    process.thaw();
    await works();
    await waitUntil('it has a share again', async () => (await zombie.partitions()) > 0);
    // A woken fold joins again as a new member, or ends for its supervisor; never with status 0.
    expect(folds.flatMap(({ ends }, i) => ends.slice(killed[i])).filter((how) => how !== 1)).toEqual([]);
  });

  it('a flights stage that is killed, with all partitions, is replaced by the next one', { timeout: STEP_MS_MAX }, async () => {
    const [first, second] = [await cluster.start('flights', 'flights-1'), cluster.launch('flights', 'flights-2')];
    const partitions = (stage: ServiceProcess) => stage.metric('squitter_flights_partitions');
    await waitUntil('they share the partitions', async () => (await partitions(first)) === 2 && (await partitions(second)) === 2);
    await first.kill();
    await waitUntil('the other has them all', async () => (await partitions(second)) === PARTITIONS);
    flights = second;
  });

  it('clients of a killed push service go on at the other one; a stop ends streams with 1001', { timeout: STEP_MS_MAX }, async () => {
    const [first, second] = await Promise.all([startPush(0), startPush(1)]);
    const addresses = pushPorts.map((port) => `127.0.0.1:${port}`);
    const named = client('named', addresses);
    const plain = client('plain', addresses);
    const handedOver = [1, 2].map(() => client('plain', [new URL(api.url).host]));
    await waitUntil('aircraft are shown', () => [named, plain, ...handedOver].every(({ state }) => (state?.aircraft.size ?? 0) > 30));
    const subscribers = (push: ServiceProcess) => push.metric('squitter_push_subscribers');
    // The query API hands over to both.
    expect([await subscribers(first), await subscribers(second)]).toEqual([3, 1]);
    await first.kill();
    await waitUntil('fulls of the other one', () => [named, plain].every((one) => one.isOpen && one.framesOf('full').length === 2));
    expect(named.framesOf('error').map(({ code }) => code)).toEqual(['not-resumable']);
    await waitUntil('the query API hands over to the other one', () => handedOver.every(({ isOpen }) => isOpen));
    expect(handedOver.map(({ ends }) => ends).sort()).toEqual([[], [1006]]);
    // One that takes nothing and responds to nothing does not hold up the stop.
    const deaf = new RawClient(pushPorts[1]!).request({ path: '/ws/', headers: upgradeHeaders });
    await deaf.until('the upgrade', ({ status }) => status === 101);
    deaf.socket.pause();
    expect(await second.stop(), second.output()).toBe(0);
    deaf.destroy();
    // Without any push service streams get a 503, and the API still responds.
    await waitUntil('refusals', () => handedOver.every(({ refusals }) => refusals.at(-1) === 503));
    for (const { ends } of [named, plain, ...handedOver]) expect(ends).toContain(1001);
    for (const one of [named, plain, ...handedOver]) one.close();
    expect((await api.get('/v2/stats')).status).toBe(200);
    for (const service of [first, second, api]) expect(service.output()).not.toContain(SECRET);
  });

  it('a killed query API is ready again only when it has caught up', { timeout: STEP_MS_MAX }, async () => {
    const before = await statsOf(api);
    await api.kill();
    api = startApi('query-api-again');
    await waitUntil('it is ready', () => api.isReady());
    const now = await statsOf(api);
    expect(now.messages).toBeGreaterThanOrEqual(before.messages);
    expect(now.aircraft_count).toBeGreaterThanOrEqual(before.aircraft_count * 0.98);
  });

  it('lists of the past are those that were given then', { timeout: STEP_MS_MAX }, async () => {
    // The moments of some partitions are folded from kept snapshots, whose offsets have gaps, because each transaction ends with a marker.
    // A partition has none yet if its fold restarted at the second of the minute at which it keeps one: it is folded from its first frame.
    const { log } = await cluster.cluster();
    const kept = () => Promise.all([0, 1, 2, 3].map((partition) => keptBefore(log, partition, Number.MAX_SAFE_INTEGER)));
    await until(async () => (await kept()).some((snapshot) => snapshot !== null), 'a kept snapshot of a partition', KEPT_MS_MAX);
    const recorded = new RecordedLists((path) => fetch(api.url + path));
    const box = '/v2/bbox?min_lat=-60&min_lon=-90&max_lat=70&max_lon=90';
    await recorded.record([box, '/v2/all?min_altitude=10000&fields=flight,squawk,rssi', '/v2/all']);
  });

  it('the only broker, frozen and then killed, shows in readiness, lag and few log lines; streams have heartbeats, and all goes on by itself', {
    timeout: STEP_MS_MAX,
  }, async () => {
    const push = await startPush(0);
    const watching = client('named', [`127.0.0.1:${pushPorts[0]}`]);
    await waitUntil('aircraft are shown', () => (watching.state?.aircraft.size ?? 0) > 30);
    const samples = async (name: string) =>
      (await Promise.all(folds.map((fold) => fold.metrics()))).flat().filter((sample) => sample.name === name);
    expect(await samples('squitter_fold_lag_seconds')).toHaveLength(PARTITIONS);
    const services = [ingest, api, push, ...folds.map(({ process }) => process)];
    const linesBefore = services.map((service) => service.output().split('\n').length);
    const readiness = (service: ServiceProcess): Promise<string> =>
      service.get('/readyz').then(
        async (response) => `${response.status} ${await response.text()}`,
        (error: Error) => error.message,
      );
    const heartbeats = () => watching.framesOf('delta').filter(({ now }, i, all) => now === all[i - 1]?.now);
    const isHonest = async (): Promise<boolean> => {
      const ready = await Promise.all(services.map(readiness));
      return (
        /^503 .*frames have been queued for Kafka for \d{2,} s/.test(ready[0]!) &&
        ready.slice(1, 3).every((text) => /^200 .*"warnings":\["Kafka has not responded for \d{2,} s/.test(text)) &&
        ready.slice(3).every((text) => /^503 .*unknown: Kafka has not responded for \d{2,} s/.test(text)) &&
        (await samples('squitter_fold_lag_seconds')).length === 0
      );
    };
    kafka().node(0).pause();
    await waitUntil('a frozen broker is noticed', isHonest);
    await waitUntil('heartbeats', () => heartbeats().length >= 2);
    expect(new Set(heartbeats().map(({ aircraft }) => aircraft))).toEqual(new Set([0]));
    await kafka().node(0).kill();
    for (let second = 0; second < 3; second += 1) {
      await pause(1000, 1000);
      expect(await isHonest()).toBe(true);
    }
    const ages = (await samples('squitter_fold_lag_age_seconds')).map(({ value }) => value);
    expect([ages.length, Math.min(...ages) > 10]).toEqual([PARTITIONS, true]);
    await kafka().node(0).restart();
    await waitUntil('all are ready again', async () => {
      const now = [ingest, api, push, ...folds.map(({ process }) => process)];
      return (await Promise.all(now.map((service) => service.isReady()))).every(Boolean);
    });
    await waitUntil('the stream goes on', () => (watching.framesOf('delta').at(-1)?.aircraft ?? 0) > 0);
    const seqs = watching.framesOf('delta').map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i));
    expect([watching.ends, watching.missed, watching.framesOf('full').length]).toEqual([[], [], 1]);
    watching.close();
    const lines = services.map((service, i) => service.output().split('\n').length - linesBefore[i]!);
    for (const count of lines) expect(count, lines.join(', ')).toBeLessThan(LINES_MAX);
    for (const service of [push, api]) expect(await service.stop(), service.output()).toBe(0);
  });

  it('nothing of all that lost, duplicated or reordered a frame; and a new query API reads to the end while no fold runs', {
    timeout: STEP_MS_MAX,
  }, async () => {
    await feeder.stop();
    const backlog = () => ingest.metric('squitter_ingest_backlog_bytes');
    await until(async () => (await backlog()) < ONE_BATCH_BYTES, 'everything received is in Kafka', READY_MS_MAX);
    const received = await ingest.metric('squitter_ingest_frames_total');
    expect(await ingest.stop(), ingest.output()).toBe(0);
    await cluster.drained(folds);
    for (const fold of folds) expect(await fold.stop(), fold.process.output()).toBe(0);
    const audit = await cluster.audit();
    const [, frames, audited] = /^audit: equal: (\d+) frames, (\d+) positions/m.exec(audit.stdout) ?? [];
    expect([Number(frames), audit.code], `${audit.stdout}\n${audit.stderr}`).toEqual([received, 0]);
    expect(Number(audited)).toBeGreaterThan(POSITIONS_MIN);
    expect(await flights.stop(), flights.output()).toBe(0);
    const { log, codecs } = await cluster.cluster();
    expect((await auditFlights(log, codecs)).records).toBeGreaterThan(FLIGHTS_MIN);
    const late = cluster.launch('query-api', 'query-api-late');
    // The data are soon too old for readiness; but it has read all of them by then.
    const snapshots = () => late.metric('squitter_view_snapshots_total').catch(() => 0);
    await waitUntil('it has read everything', async () => (await snapshots()) === 1);
    expect(await late.stop(), late.output()).toBe(0);
  });
});
