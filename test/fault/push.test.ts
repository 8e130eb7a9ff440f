// Push services of the cluster on a real broker: they show what the query API shows; killed, stopped, and without Kafka.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AircraftDecoder } from '../../push/codec/decoder.ts';
import type { Aircraft } from '../../push/codec/model.ts';
import { BINARY_PROTOCOL, NAMED_PROTOCOL, pushMembers, SNAPSHOT_PATH } from '../../schemas/push.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { READY_MS_MAX, type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, ownKafka, sharedRegistry } from '../support/kafka.ts';
import { RawClient, upgradeHeaders } from '../support/raw-web-socket.ts';
import { faketime } from '../support/requirements.ts';
import { freePort, temporaryFolder } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';
import { until } from '../support/until.ts';

/** Each moment of each client is compared with all of them. */
const AIRCRAFT = 40;
const SECRET = 'a-secret-that-is-in-no-log';
const library = faketime();

interface Push {
  readonly service: ServiceProcess;
  readonly address: string;
}

let cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  cleanups = [];
});

async function startPush(
  cluster: TestCluster,
  name: string,
  port: number,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Push> {
  const address = `127.0.0.1:${port}`;
  const all = { ...process.env, SQUITTER_PUSH_SECRET: SECRET, ...env };
  const service = await cluster.start('push', name, ['--push', address, '--push-tick', '1', ...flags], all);
  cleanups.push(() => service.kill());
  return { service, address };
}

function client(options: ConstructorParameters<typeof StreamClient>[0]): StreamClient {
  const created = new StreamClient(options);
  cleanups.push(() => created.close());
  return created;
}

/** Without the ages, which count on between two frames. */
function shownBy(aircraft: Iterable<Aircraft>): Map<string, string> {
  const members = pushMembers.filter((member) => member !== 'seen' && member !== 'seen_pos');
  return new Map([...aircraft].map((one) => [one.hex, JSON.stringify(members.map((member) => one[member]))]));
}

/**
 * Waits until each client had the aircraft of the query API at `count` moments of the same event time. On a busy machine one of two processes
 * may show a moment before it has the last partition's tick: then the two differ, and a later moment counts.
 */
async function expectSame(api: ServiceProcess, clients: readonly StreamClient[], count: number): Promise<void> {
  const asked = new Map<number, Map<string, string>>();
  const compared = clients.map(() => new Set<number>());
  const equal = clients.map(() => 0);
  let difference: unknown = null;
  const isDone = async (): Promise<boolean> => {
    const { now, ac } = (await (await api.get('/v2/all')).json()) as { now: number; ac: readonly Aircraft[] };
    if (!asked.has(now)) asked.set(now, shownBy(ac));
    for (const [i, { state }] of clients.entries()) {
      const expected = state === null ? undefined : asked.get(state.now);
      if (state === null || expected === undefined || compared[i]!.has(state.now)) continue;
      compared[i]!.add(state.now);
      try {
        expect(shownBy(state.aircraft.values())).toEqual(expected);
        equal[i]! += 1;
      } catch (error) {
        difference = error;
      }
    }
    return equal.every((moments) => moments >= count);
  };
  await until(isDone, `${count} moments at which query API and clients have the same aircraft`, READY_MS_MAX).catch((error: unknown) => {
    throw difference ?? error;
  });
  for (const { missed } of clients) expect(missed).toBe(0);
}

/** A snapshot over HTTP may come from another push service than the one of the socket: then the socket brings the full. */
async function expectFullAfterForeignSnapshot(from: Push, to: Push): Promise<void> {
  const snapshot = await fetch(`http://${from.address}${SNAPSHOT_PATH}`);
  const { stream, seq } = (await new AircraftDecoder().decode(new Uint8Array(await snapshot.arrayBuffer())))!;
  const port = Number(to.address.split(':')[1]);
  const client = new RawClient(port).request({ path: '/v2/ws', headers: { ...upgradeHeaders, 'Sec-WebSocket-Protocol': BINARY_PROTOCOL } });
  cleanups.push(() => client.destroy());
  const texts = () =>
    client.messages.filter(({ isBinary }) => !isBinary).map(({ payload }) => JSON.parse(String(payload)) as { code?: string });
  await client.until('the upgrade', ({ status }) => status === 101);
  client.text(JSON.stringify({ type: 'resume', stream, seq }));
  await client.until('the error', () => texts().at(-1)?.code === 'not-resumable');
  client.text('{"type":"subscribe"}');
  await client.until('the full', ({ messages }) => messages.some(({ isBinary }) => isBinary));
  const full = client.messages.find(({ isBinary }) => isBinary)!;
  const decoded = (await new AircraftDecoder().decode(new Uint8Array(full.payload)))!;
  expect(decoded.type).toBe('full');
  expect(decoded.stream).not.toBe(stream);
  client.destroy();
}

async function readiness({ service }: Push): Promise<string> {
  return service.get('/readyz').then(
    async (response) => `${response.status} ${await response.text()}`,
    (error: Error) => error.message,
  );
}

describeWithKafka('push services on a real broker', () => {
  const kafka = ownKafka();
  const registry = sharedRegistry();
  let cluster: TestCluster;
  let api: ServiceProcess;
  let feeder: PacedFeeder;
  const pushPorts: number[] = [];

  beforeAll(async () => {
    cluster = await TestCluster.create({ brokers: kafka().brokers, registry: registry(), prefix: 'push.', partitions: 4 });
    pushPorts.push(await freePort(), await freePort());
    const upstreams = pushPorts.flatMap((port) => ['--push-upstream', `127.0.0.1:${port}`]);
    const ingest = cluster.launch('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
    api = cluster.launch('query-api', 'query-api', upstreams, { ...process.env, SQUITTER_PUSH_SECRET: SECRET });
    await Promise.all([ingest.untilReady(), cluster.supervise('fold')]);
    feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, Number.POSITIVE_INFINITY, 1));
    feeder.target = await ingest.listenPort();
    feeder.start();
    await api.untilReady();
  }, KAFKA_START_MS_MAX);
  afterAll(async () => {
    await feeder?.stop();
    await cluster?.close();
  });

  it('two show what the query API shows, also after kill -9, and end streams with 1001', async () => {
    const [sbs, beast] = [await freePort(), await freePort()];
    const outputs = ['--sbs', `127.0.0.1:${sbs}`, '--beast-out', `127.0.0.1:${beast}`];
    const first = await startPush(cluster, 'push-1', pushPorts[0]!, outputs);
    const second = await startPush(cluster, 'push-2', pushPorts[1]!);
    const addresses = [first.address, second.address];
    const protocol = NAMED_PROTOCOL;
    const named = client({ addresses, protocol, follow: true });
    const plain = client({ addresses, path: '/ws/', follow: true });
    const other = client({ addresses: [...addresses].reverse(), protocol, follow: true });
    const handedOver = [1, 2].map(() => client({ addresses: [new URL(api.url).host], path: '/ws/', follow: true }));
    const received = [sbs, beast].map((port) => {
      const bytes: Buffer[] = [];
      const socket = connect(port, '127.0.0.1').on('data', (chunk) => bytes.push(chunk));
      cleanups.push(() => socket.destroy());
      return () => Buffer.concat(bytes);
    });
    await until(() => (named.state?.aircraft.size ?? 0) > AIRCRAFT / 2, 'aircraft are shown', READY_MS_MAX);
    await expectSame(api, [named, plain, other, ...handedOver], 3);
    await until(() => /^MSG,3,/m.test(String(received[0]!())) && received[1]!().indexOf(Buffer.from([0x1a, 0x33])) >= 0, 'outputs');
    const subscribers = (push: Push) => push.service.metrics().then((samples) => sumOf(samples, 'squitter_push_subscribers'));
    // The query API hands over to both.
    expect([await subscribers(first), await subscribers(second)]).toEqual([3, 2]);

    await expectFullAfterForeignSnapshot(first, second);

    await first.service.kill();
    await until(() => [named, plain].every((one) => one.isOpen && one.address === second.address), 'clients connect to the other one');
    await Promise.all([named, plain].map((one) => one.untilFulls(2, READY_MS_MAX)));
    expect(named.of('error').map(({ code }) => code)).toEqual(['not-resumable']);
    expect([named.ends, plain.ends, other.ends]).toEqual([[1006], [1006], []]);
    await until(() => handedOver.every(({ isOpen }) => isOpen), 'the query API hands over to the other one');
    expect(handedOver.map(({ ends }) => ends).sort()).toEqual([[], [1006]]);
    await expectSame(api, [named, plain, other, ...handedOver], 3);

    const again = await startPush(cluster, 'push-1-again', pushPorts[0]!);
    const late = client({ addresses: [again.address], protocol });
    await until(() => late.state !== null, 'a full of the restarted one');
    // One that takes nothing and responds to nothing does not hold up the stop.
    const deaf = new RawClient(Number(second.address.split(':')[1])).request({ path: '/ws/', headers: upgradeHeaders });
    cleanups.push(() => deaf.destroy());
    await deaf.until('the upgrade', ({ status }) => status === 101);
    deaf.socket.pause();
    expect(await second.service.stop(), second.service.output()).toBe(0);
    await until(() => [named, plain, other].every(({ ends }) => ends.at(-1) === 1001), 'the end of the streams');
    await expectSame(api, [late], 1);
    for (const { service } of [first, second, again]) expect(service.output()).not.toContain(SECRET);
    expect(await again.service.stop(), again.service.output()).toBe(0);
    expect(late.ends).toEqual([1001]);
    // Without any push service: a 503 response, and the API itself goes on.
    await until(() => handedOver.every(({ refusals }) => refusals.at(-1) === 503), 'refusals');
    for (const { ends } of handedOver) expect(ends).toContain(1001);
    expect((await api.get('/v2/stats')).status).toBe(200);
    expect(api.output()).not.toContain(SECRET);
  });

  it.skipIf(!library.met)(
    `without Kafka one sends heartbeats, refuses new clients when its data are old, and goes on ${library.reason}`,
    async () => {
      const folder = temporaryFolder();
      cleanups.push(folder.remove);
      const clock = join(folder.path, 'clock');
      writeFileSync(clock, '+0\n');
      const env = {
        ...{ LD_PRELOAD: library.path, FAKETIME_TIMESTAMP_FILE: clock },
        ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      };
      const push = await startPush(cluster, 'push', await freePort(), [], env);
      const open = client({ addresses: [push.address], protocol: NAMED_PROTOCOL });
      await until(() => (open.state?.aircraft.size ?? 0) > AIRCRAFT / 2, 'aircraft are shown', READY_MS_MAX);

      kafka().node(0).pause();
      const heartbeats = () => open.of('delta').filter(({ now }, i, all) => now === all[i - 1]?.now);
      await until(() => heartbeats().length >= 2, 'heartbeats', READY_MS_MAX);
      expect(heartbeats().map(({ aircraft }) => aircraft)).toEqual(heartbeats().map(() => 0));
      await until(async () => /^200 .*"warnings":\["Kafka has not responded/.test(await readiness(push)), 'a warning', READY_MS_MAX);
      // A minute later, without the minute.
      writeFileSync(clock, '+60\n');
      await until(async () => /^503 .*no live data/.test(await readiness(push)), 'it is not ready', READY_MS_MAX);
      const refused = client({ addresses: [push.address] });
      await until(() => refused.refusals.length > 0, 'a refusal');
      expect(refused.refusals).toEqual([503]);
      const before = open.of('delta').length;
      await until(() => open.of('delta').length > before + 1, 'further heartbeats', READY_MS_MAX);
      expect(open.of('delta').at(-1)).toMatchObject({ aircraft: 0, now: heartbeats()[0]!.now });

      writeFileSync(clock, '+0\n');
      kafka().node(0).resume();
      await until(() => (open.of('delta').at(-1)?.aircraft ?? 0) > 0, 'it goes on', READY_MS_MAX);
      await until(() => push.service.isReady(), 'it is ready again', READY_MS_MAX);
      const late = client({ addresses: [push.address] });
      await until(() => (late.state?.aircraft.size ?? 0) > AIRCRAFT / 2, 'new clients are accepted');
      const seqs = open.of('delta').map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i));
      expect([open.ends, open.missed, open.of('full').length]).toEqual([[], 0, 1]);
      expect(await push.service.stop(), push.service.output()).toBe(0);
      expect(open.ends).toEqual([1001]);
    },
  );
});
