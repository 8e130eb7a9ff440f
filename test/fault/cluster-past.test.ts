// Time travel in a cluster: a query API on a real broker gives the responses of then again, also one that was started later.
import { afterEach, expect, it } from 'vitest';
import { keptBefore } from '../../pipeline/fold/kept-snapshots.ts';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { RecordedLists } from '../support/recorded-lists.ts';
import { until } from '../support/until.ts';

const PARTITIONS = 4;
/** A snapshot is kept once a minute. */
const KEPT_MS_MAX = 150_000;

describeWithKafka('a query API on a real broker', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  let fed: FedCluster | null = null;
  afterEach(() => fed?.close());

  it('gives lists of the past as they were given then, and so does another one', { timeout: 500_000 }, async () => {
    fed = await FedCluster.start({ brokers: brokers(), registry: registry(), prefix: 'past.', partitions: PARTITIONS });
    const { cluster } = fed;
    await fed.startFold();
    let api = await cluster.start('query-api', 'query-api-0');
    const recorded = new RecordedLists((path) => fetch(api.url + path));
    await fed.until('aircraft with positions', async () => {
      const { ac } = await recorded.list('/v2/all');
      return ac.filter(({ lat }) => lat !== undefined).length >= 50;
    });
    // The moments are folded from kept snapshots, whose offsets have gaps: each transaction ends with a marker.
    const { log } = await cluster.cluster();
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const keptAt = (tickMs: number) => Promise.all(partitions.map((partition) => keptBefore(log, partition, tickMs)));
    const newest = Number.MAX_SAFE_INTEGER;
    await until(async () => !(await keptAt(newest)).includes(null), 'a kept snapshot of every partition', KEPT_MS_MAX);
    const lists = [
      '/v2/bbox?min_lat=-60&min_lon=-90&max_lat=70&max_lon=90',
      '/v2/all?min_altitude=10000&fields=flight,squawk,rssi',
      '/v2/all',
    ];
    await recorded.record(6, lists);
    // No flights of the past without their store.
    const second = [...recorded.lists.values()].at(-1)!.body.now;
    expect(await keptAt(1000 * second)).not.toContain(null);
    const board = await fetch(`${api.url}/v2/airport/AMS?at=${second}`);
    expect([board.status, ((await board.json()) as { code: string }).code]).toEqual([503, 'no-history']);

    const equal = await recorded.compare();
    expect([...equal.keys()].sort()).toEqual([...lists].sort());
    expect(await api.stop(), api.output()).toBe(0);

    api = await cluster.start('query-api', 'query-api-1');
    expect((await recorded.compare(/^\/v2\/all$/)).get('/v2/all')).toBeGreaterThanOrEqual(1);
    expect(await api.stop(), api.output()).toBe(0);
  });
});
