// Brokers killed under load: no received frame is lost or duplicated, and every process recovers by itself.
import { afterEach, expect, it } from 'vitest';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, ownKafka, sharedRegistry } from '../support/kafka.ts';

const PARTITIONS = 4;
const SEED = 1;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describeWithKafka('the only broker', () => {
  const kafka = ownKafka();
  const registry = sharedRegistry();
  let fed: FedCluster | null = null;
  afterEach(() => fed?.close());

  it('is killed and comes back: ingest, folds and query API continue', { timeout: 300_000 }, async () => {
    fed = await FedCluster.start({ brokers: kafka().brokers, registry: registry(), prefix: '', partitions: PARTITIONS });
    await fed.startFold();
    await fed.startFold();
    const api = await fed.cluster.start('query-api', 'query-api');
    await pause(3000);
    const before = fed.watcher.seen.size;
    await kafka().node(0).kill();
    await pause(3000);
    await kafka().node(0).restart();
    await fed.until('positions come again', () => fed!.watcher.seen.size > before + 100);
    await fed.until('the query API is ready again', () => api.isReady());
    await pause(2000);
    await fed.prove(SEED);
    // Supervisors may have restarted folds; the ingest and the query API kept running.
    expect(await api.stop(), api.output()).toBe(0);
  });
});

describeWithKafka('one of three brokers', () => {
  const kafka = ownKafka({ nodes: 3 });
  const registry = sharedRegistry();
  let fed: FedCluster | null = null;
  afterEach(() => fed?.close());

  it('is killed and comes back: no service waits for it', { timeout: 300_000 }, async () => {
    const { brokers } = kafka();
    fed = await FedCluster.start({ brokers, registry: registry(), prefix: '', partitions: PARTITIONS, copies: 3 });
    await fed.startFold();
    await fed.startFold();
    const api = await fed.cluster.start('query-api', 'query-api');
    await pause(3000);
    for (const node of [1, 2]) {
      const before = fed.watcher.seen.size;
      await kafka().node(node).kill();
      await fed.until('positions come without it', () => fed!.watcher.seen.size > before + 200);
      await kafka().node(node).restart();
      await pause(3000);
    }
    await fed.until('the query API is ready', () => api.isReady());
    await fed.prove(SEED);
    expect(await api.stop(), api.output()).toBe(0);
  });
});
