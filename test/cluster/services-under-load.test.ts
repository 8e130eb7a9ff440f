// The services of a cluster on a real broker under load, in one long life: folds are added, removed, killed and frozen, an operator resets offsets, query
// APIs are killed, and the past is asked for. At the end nothing was lost, duplicated or out of order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keptBefore } from '../../pipeline/fold/snapshot-store.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { SESSION_MS, type ServiceProcess, type SupervisedFold } from '../support/cluster.ts';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, KAFKA_START_MS_MAX, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { consumerGroups, isEmptyGroup } from '../support/kafka-tools.ts';
import { randomNumbers } from '../support/random-numbers.ts';
import { RecordedLists } from '../support/recorded-lists.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? (Date.now() % 1_000_000) + 1);
const PARTITIONS = 4;
const KILLS = 2;
/** Patience for each step on a busy machine. */
const STEP_MS_MAX = 300_000;
/** A snapshot is kept once a minute. */
const KEPT_MS_MAX = 150_000;

interface Stats {
  readonly messages: number;
  readonly aircraft_count: number;
}

describeWithKafka(`services under load on a real broker (seed ${SEED})`, () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const random = randomNumbers(SEED);
  let fed: FedCluster;
  let api: ServiceProcess;

  const pause = (minMs: number, maxMs: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, minMs + random() * (maxMs - minMs)));
  const statsOf = async (service: ServiceProcess): Promise<Stats> => (await (await service.get('/v2/stats')).json()) as Stats;
  /** Waits until positions come in every partition. */
  const works = async (): Promise<void> => {
    const before = fed.watcher.seen.size;
    await fed.until('positions come', () => fed.watcher.seen.size > before + 60);
  };

  beforeAll(async () => {
    fed = await FedCluster.start({ brokers: brokers(), registry: registry(), prefix: 'load.', partitions: PARTITIONS });
    await fed.startFold();
    api = await fed.cluster.start('query-api', 'query-api');
  }, KAFKA_START_MS_MAX);
  afterAll(() => fed?.close());

  it('from 1 fold to 3 and back to 2: the partitions move', { timeout: STEP_MS_MAX }, async () => {
    const { watcher, folds } = fed;
    const [first] = folds;
    await works();
    watcher.resetPauses();
    await Promise.all([fed.startFold(), fed.startFold()]);
    const haveShares = async (): Promise<boolean> =>
      (await Promise.all(folds.map((fold) => fold.partitions()))).every((count) => count > 0);
    await fed.until('each of three has a share', haveShares);
    await works();
    const upMs = watcher.longestPauseMs();
    watcher.resetPauses();
    folds.splice(0, 1);
    expect(await first!.stop(), first!.process.output()).toBe(0);
    await fed.until('two have all', async () => (await folds[0]!.partitions()) + (await folds[1]!.partitions()) === PARTITIONS);
    await works();
    const gaps = [upMs, watcher.longestPauseMs()].map(Math.round);
    process.stdout.write(`longest time without positions in a partition: ${gaps[0]} ms scaling up, ${gaps[1]} ms scaling down\n`);
  });

  it(`kill -9 of folds at random moments, ${KILLS} times`, { timeout: STEP_MS_MAX }, async () => {
    const { folds } = fed;
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(100, 1500);
      const victim = folds[Math.floor(random() * folds.length)]!;
      await fed.until('it was started again', () => victim.process.running);
      await victim.process.kill();
    }
    // Proof of the fault: states are rebuilt by replay, at least those of the last victim.
    await fed.until(
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
    const { folds } = fed;
    const killed = folds.map(({ ends }) => ends.length);
    const [zombie, other] = folds as [SupervisedFold, SupervisedFold];
    await fed.until('each has its share', async () => (await zombie.partitions()) > 0 && (await other.partitions()) > 0);
    const { process } = zombie;
    process.freeze();
    await fed.until('the other has all partitions', async () => (await other.partitions()) === PARTITIONS);
    await pause(0, SESSION_MS);
    process.thaw();
    await works();
    await fed.until('it has a share again', async () => (await zombie.partitions()) > 0);
    // A woken fold joins again as a new member, or ends for its supervisor; never with status 0.
    expect(folds.flatMap(({ ends }, i) => ends.slice(killed[i])).filter((how) => how !== 1)).toEqual([]);
  });

  it('an unreadable record becomes a dead letter with its offset, and the partition continues', { timeout: STEP_MS_MAX }, async () => {
    const { log } = await fed.cluster.cluster();
    const poison = { key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: Date.now() };
    const offsets = [await log.append('frames', 1, [poison]), await log.append('frames', 2, [poison])];
    await fed.until('the fold is past it', async () => ((await log.committed('fold', 'frames', 1)) ?? 0) > offsets[0]!);
    await fed.until('the fold is past the other', async () => ((await log.committed('fold', 'frames', 2)) ?? 0) > offsets[1]!);
    const deadLetters: (readonly [string | null, string])[] = [];
    for await (const batch of log.read({ topic: 'deadletter', partition: 0, from: 'earliest', to: 'end' }))
      for (const { key, value } of batch.records) deadLetters.push([key, Buffer.from(value!).toString()]);
    expect(deadLetters.sort()).toEqual([
      [`frames/1/${offsets[0]}`, 'this is no FrameBatch'],
      [`frames/2/${offsets[1]}`, 'this is no FrameBatch'],
    ]);
  });

  it("offsets deleted, reset to the earliest and to the newest frame by Kafka's own tool: the fold finds its own", {
    timeout: STEP_MS_MAX,
  }, async () => {
    const { folds, cluster } = fed;
    const { prefix } = cluster.options;
    const group = ['--group', `${prefix}fold`];
    const reset = [...group, '--topic', `${prefix}adsb.frames.v1`, '--reset-offsets', '--execute'];
    const rounds = [
      ['missing', 'kill', [...group, '--delete']],
      ['behind', 'stop', [...reset, '--to-earliest']],
      ['ahead', 'kill', [...reset, '--to-latest']],
    ] as const;
    for (const [problem, how, args] of rounds) {
      await works();
      for (const fold of folds.splice(0)) {
        fold.letGo();
        await (how === 'kill' ? fold.process.kill() : fold.process.stop());
      }
      // The tool refuses while the group has a member: the session of a killed member must expire first.
      await fed.until('the group is empty', () => isEmptyGroup(brokers(), `${prefix}fold`));
      expect(await consumerGroups(brokers(), ...args)).not.toMatch(/error|not empty|inactive/i);
      const next = await fed.startFold();
      // Stats are sent once a second: the first may be older than the restore of the last partition.
      const recovered = async (): Promise<Record<string, number>> => {
        const samples = (await next.metrics()).filter(({ name, value }) => name === 'squitter_fold_offsets_recovered_total' && value > 0);
        return Object.fromEntries(samples.map(({ labels, value }) => [labels['problem'], value]));
      };
      await fed.until('the metric shows it', async () => (await recovered())[problem] === PARTITIONS);
      expect(await recovered()).toEqual({ [problem]: PARTITIONS });
      expect(next.process.output()).toContain('the offset of the group was wrong');
    }
  });

  it('a killed query API is ready again only when it has caught up', { timeout: STEP_MS_MAX }, async () => {
    const before = await statsOf(api);
    await api.kill();
    api = fed.cluster.launch('query-api', 'query-api-again');
    await fed.until('it is ready', () => api.isReady());
    const now = await statsOf(api);
    expect(now.messages).toBeGreaterThanOrEqual(before.messages);
    expect(now.aircraft_count).toBeGreaterThanOrEqual(before.aircraft_count * 0.98);
  });

  it('lists of the past are those that were given then', { timeout: STEP_MS_MAX }, async () => {
    const recorded = new RecordedLists((path) => fetch(api.url + path));
    await fed.until('aircraft with positions', async () => {
      const { ac } = await recorded.list('/v2/all');
      return ac.filter(({ lat }) => lat !== undefined).length >= 30;
    });
    // The moments of some partitions are folded from kept snapshots, whose offsets have gaps, because each transaction ends with a marker.
    // A partition has none yet if its fold restarted at the second of the minute at which it keeps one: it is folded from its first frame.
    const { log } = await fed.cluster.cluster();
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const keptAt = (tickMs: number) => Promise.all(partitions.map((partition) => keptBefore(log, partition, tickMs)));
    const isKept = async (tickMs: number): Promise<boolean> => (await keptAt(tickMs)).some((kept) => kept !== null);
    await until(() => isKept(Number.MAX_SAFE_INTEGER), 'a kept snapshot of a partition', KEPT_MS_MAX);
    const lists = [
      '/v2/bbox?min_lat=-60&min_lon=-90&max_lat=70&max_lon=90',
      '/v2/all?min_altitude=10000&fields=flight,squawk,rssi',
      '/v2/all',
    ];
    await recorded.record(4, lists);
    // No flights of the past without their store.
    const second = [...recorded.lists.values()].at(-1)!.body.now;
    expect(await isKept(1000 * second)).toBe(true);
    const board = await fetch(`${api.url}/v2/airport/AMS?at=${second}`);
    expect([board.status, ((await board.json()) as { code: string }).code]).toEqual([503, 'no-history']);
    const equal = await recorded.compare();
    expect([...equal.keys()].sort()).toEqual([...lists].sort());
    expect(await api.stop(), api.output()).toBe(0);
  });

  it('nothing of all that lost, duplicated or reordered a frame; and a new query API reads to the end while no fold runs', {
    timeout: STEP_MS_MAX,
  }, async () => {
    await fed.prove(SEED);
    const late = fed.cluster.launch('query-api', 'query-api-late');
    // The data are soon too old for readiness; but it has read all of them by then.
    await fed.until(
      'it has read everything',
      async () => (await (await late.get('/metrics').catch(() => null))?.text())?.includes('squitter_view_snapshots_total 1') === true,
    );
    expect(await late.stop(), late.output()).toBe(0);
  });
});
