// Group offsets on a real broker that Kafka's own tool deletes and resets while frames arrive: every frame still takes effect once.
import { afterEach, expect, it } from 'vitest';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { consumerGroups } from '../support/kafka-tools.ts';

const PARTITIONS = 4;
const SEED = 1;

describeWithKafka('group offsets on a real broker', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  let fed: FedCluster | null = null;
  afterEach(() => fed?.close());

  it('deleted, reset to the earliest and to the newest frame: the audit is equal', { timeout: 300_000 }, async () => {
    fed = await FedCluster.start({ brokers: brokers(), registry: registry(), prefix: 'offsets.', partitions: PARTITIONS });
    const { folds, cluster, watcher } = fed;
    const { prefix } = cluster.options;
    const group = ['--group', `${prefix}fold`];
    const reset = [...group, '--topic', `${prefix}adsb.frames.v1`, '--reset-offsets', '--execute'];
    const rounds = [
      ['missing', 'kill', [...group, '--delete']],
      ['behind', 'stop', [...reset, '--to-earliest']],
      ['ahead', 'kill', [...reset, '--to-latest']],
    ] as const;
    for (const [problem, how, args] of rounds) {
      const fold = folds[0] ?? (await fed.startFold());
      const before = watcher.seen.size;
      await fed.until('positions come', () => watcher.seen.size > before + 100);
      fold.letGo();
      await (how === 'kill' ? fold.process.kill() : fold.process.stop());
      folds.length = 0;
      // The tool refuses while the group has a member: the session of a killed member must expire first.
      await fed.until('the group is empty', async () => {
        const said = await consumerGroups(brokers(), ...args).catch(String);
        return !/error|not empty|inactive/i.test(said);
      });
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
    await fed.prove(SEED);
  });
});
