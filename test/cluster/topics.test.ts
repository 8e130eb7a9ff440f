// Topics on a real broker: created from the topic table, refused by every service when they contradict it, and what may be appended to them.
import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { serviceNames } from '../../infra/cluster/configuration.ts';
import { openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { ensureTopics, topicSettings } from '../../pipeline/log/kafka/topics.ts';
import { topicIds, topicPartitions, topics } from '../../schemas/topics.ts';
import { ServiceProcess } from '../support/cluster.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { squitter } from '../support/service.ts';
import { until } from '../support/until.ts';

describeWithKafka('topics', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const run = (...args: string[]) => squitter(['topics', '--brokers', brokers()[0]!, ...args]);

  test('squitter topics reports what is missing, creates it, then reports no differences, and names every difference from other settings', async () => {
    const before = await run('--copies', '1');
    expect(before.code).toBe(1);
    for (const id of topicIds) expect(before.stderr).toContain(`${topics[id].name}: missing`);
    const created = await run('--copies', '1', '--create');
    expect([created.code, created.stderr]).toEqual([0, '']);
    expect(created.stdout).toMatch(/^adsb\.frames\.v1 +12 partitions, 1 copies, 7 days$/m);
    const after = await run('--copies', '1');
    expect([after.code, after.stdout]).toEqual([0, created.stdout]);
    const other = await run('--copies', '3', '--partitions', '24', '--create');
    expect([other.code, other.stdout]).toEqual([1, '']);
    for (const difference of ['frames.v1: expected partitions 24, got 12', 'feeders.v1: expected min.insync.replicas 2, got 1'])
      expect(other.stderr).toContain(difference);
  });

  test('no service starts on contradicting topics: it names them with their prefix, and every difference', async () => {
    const admin = new kafkajs.Kafka({ brokers: brokers(), clientId: 'test', logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.createTopics({
      waitForLeaders: false,
      topics: topicIds.map((id) => ({
        topic: `wrong.${topics[id].name}`,
        numPartitions: id === 'positions' ? 3 : topicPartitions(topics[id], 4),
        replicationFactor: 1,
        configEntries: Object.entries({
          ...topicSettings(topics[id], 1),
          ...(id === 'aircraft' ? { 'cleanup.policy': 'delete' } : {}),
        }).map(([name, value]) => ({ name, value })),
      })),
    });
    // kafkajs does not wait for a broker that has not heard of a topic yet.
    const names = topicIds.map((id) => `wrong.${topics[id].name}`);
    const known = (): Promise<unknown> => admin.fetchTopicMetadata({ topics: names }).catch(() => null);
    await until(known, 'topics that every broker knows');
    await admin.disconnect();
    const flags = ['--brokers', brokers().join(','), '--registry', registry(), '--kafka-prefix', 'wrong.'];
    const runs = serviceNames.map(async (service) => {
      const listen = service === 'ingest' ? ['--listen', '127.0.0.1:0'] : [];
      const store = service === 'project' || service === 'export' ? ['--clickhouse', 'http://127.0.0.1:1'] : [];
      const out = service === 'export' ? ['--out', 'never-made'] : [];
      const started = new ServiceProcess(service, service, [...flags, ...listen, ...store, ...out]);
      expect(await started.ended, started.output()).toBe(1);
      const failed = started
        .output()
        .split('\n')
        .find((line) => line.includes('"msg":"failed"'))!;
      const { code, message } = (JSON.parse(failed) as { err: { code: string; message: string } }).err;
      expect(code).toBe('log.topic_mismatch');
      expect(message.split('\n').slice(1).sort()).toEqual([
        'wrong.adsb.aircraft.v1: expected cleanup.policy compact, got delete',
        'wrong.adsb.positions.v1: expected partitions 4, got 3',
      ]);
    });
    await Promise.all(runs);
    const checked = await squitter(['config', 'check', 'fold', '--connect', ...flags.slice(0, 4), '--kafka-prefix', 'none.']);
    expect(checked.stdout).toContain('without none.adsb.frames.v1');
  });

  test('are created by services that start together; records that Kafka would delete at once are refused', async () => {
    const connection = { brokers: brokers(), clientId: 'topics' };
    const ensure = () => ensureTopics(connection, { create: true, replicationFactor: 1, framePartitions: 4, namePrefix: 'old.' });
    await Promise.all([ensure(), ensure(), ensure()]);
    const log = await openKafkaLog({ connection, namePrefix: 'old.' });
    for (const id of topicIds) expect(log.partitions(id)).toBe(topicPartitions(topics[id], 4));
    const record = { key: null, value: Buffer.from('x'), timestampMs: Date.now() - 8 * 86_400_000 };
    await expect(log.append('frames', 0, [record])).rejects.toMatchObject({ code: 'log.record_too_old' });
    // Compacted topics keep records of any age.
    await log.append('feeders', 0, [{ ...record, key: 'f' }]);
    await log.append('frames', 0, [{ ...record, timestampMs: Date.now() + 8 * 86_400_000 }]);
    await log.close();
  });
});
