// Query APIs of the cluster under load: a restarted one is ready only when it serves the same as the others.
import { afterEach, expect, it } from 'vitest';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';

interface Stats {
  readonly messages: number;
  readonly aircraft_count: number;
}

describeWithKafka('query APIs on a real broker', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  let fed: FedCluster | null = null;
  afterEach(() => fed?.close());

  it('a killed and restarted one is ready only when it has caught up', { timeout: 300_000 }, async () => {
    fed = await FedCluster.start({ brokers: brokers(), registry: registry(), prefix: 'views.', partitions: 4 });
    const { cluster } = fed;
    await fed.startFold();
    const steady = await cluster.start('query-api', 'query-api-0');
    const first = await cluster.start('query-api', 'query-api-1');
    const statsOf = async (api: typeof steady): Promise<Stats> => (await (await api.get('/v2/stats')).json()) as Stats;
    await fed.until('there is something to catch up with', async () => (await statsOf(steady)).messages > 5000);

    for (let round = 0; round < 3; round += 1) {
      await first.kill();
      const before = await statsOf(steady);
      const again = await cluster.launch('query-api', `query-api-${round + 2}`);
      await fed.until('it is ready', () => again.isReady());
      const now = await statsOf(again);
      expect(now.messages).toBeGreaterThanOrEqual(before.messages);
      expect(now.aircraft_count).toBeGreaterThanOrEqual(before.aircraft_count * 0.98);
      expect(await again.stop(), again.output()).toBe(0);
    }
    expect(await steady.stop(), steady.output()).toBe(0);
    await fed.prove(1);
  });

  it('a new one reads to the end also when no fold runs any more', { timeout: 300_000 }, async () => {
    fed = await FedCluster.start({ brokers: brokers(), registry: registry(), prefix: 'still.', partitions: 4 });
    await fed.startFold();
    await fed.until('positions are there', () => fed!.watcher.seen.size > 500);
    await fed.prove(1);
    const api = await fed.cluster.launch('query-api', 'query-api');
    // The data are soon too old for readiness; but it has read all of them by then.
    await fed.until(
      'it has read everything',
      async () => (await (await api.get('/metrics').catch(() => null))?.text())?.includes('squitter_view_snapshots_total 1') === true,
    );
    expect(await api.stop(), api.output()).toBe(0);
  });
});
