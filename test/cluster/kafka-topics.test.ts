// Topics on a real Kafka: created from the topic table, and refused when they contradict it.
import { Kafka, logLevel } from 'kafkajs';
import { expect, test } from 'vitest';
import { openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { type EnsureTopicsOptions, ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { topicIds, topicPartitions, topics } from '../../schemas/topics.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { TestTopics } from '../support/kafka-topics.ts';

const FRAME_PARTITIONS = 4;

describeWithKafka('topics on Kafka', () => {
  const brokers = sharedKafka();
  const connection = () => ({ brokers: brokers(), clientId: 'topics' });
  const ensure = (options: Partial<EnsureTopicsOptions>): Promise<void> =>
    ensureTopics(connection(), { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS, ...options });

  test('are created from the table, also by services that start together; a second time changes nothing', async () => {
    const namePrefix = 'created.';
    await Promise.all([ensure({ namePrefix }), ensure({ namePrefix }), ensure({ namePrefix })]);
    await ensure({ namePrefix, create: false });
    const log = await openKafkaLog({ connection: connection(), namePrefix });
    for (const id of topicIds) expect(log.partitions(id)).toBe(topicPartitions(topics[id], FRAME_PARTITIONS));
    await log.close();
  });

  test('missing ones are named, and created only on request', async () => {
    const namePrefix = 'missing.';
    await expect(ensure({ namePrefix, create: false })).rejects.toMatchObject({
      code: 'log.topic_mismatch',
      message: expect.stringContaining('missing.adsb.frames.v1: missing'),
    });
    await expect(openKafkaLog({ connection: connection(), namePrefix })).rejects.toMatchObject({
      code: 'log.topics_missing',
      message: expect.stringContaining('missing.adsb.aircraft.v1'),
    });
    const admin = new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    expect((await admin.listTopics()).filter((name) => name.startsWith(namePrefix))).toEqual([]);
    await admin.disconnect();
  });

  test('a topic that contradicts the table is refused, with every setting that differs', async () => {
    const testTopics = await TestTopics.create(brokers(), 2);
    const { namePrefix } = testTopics;
    await testTopics.set('frames', { 'retention.ms': '60000', 'compression.type': 'gzip' });
    await testTopics.set('aircraft', { 'cleanup.policy': 'delete' });
    const failure = await ensure({ namePrefix, replicationFactor: 3 }).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'log.topic_mismatch', retriable: false });
    const lines = String(failure).split('\n');
    expect(lines).toContain(`${namePrefix}adsb.frames.v1: expected retention.ms 604800000, got 60000`);
    expect(lines).toContain(`${namePrefix}adsb.frames.v1: expected compression.type producer, got gzip`);
    expect(lines).toContain(`${namePrefix}adsb.frames.v1: expected partitions ${FRAME_PARTITIONS}, got 2`);
    expect(lines).toContain(`${namePrefix}adsb.aircraft.v1: expected cleanup.policy compact, got delete`);
    expect(lines).toContain(`${namePrefix}adsb.feeders.v1: expected copies 3, got 1`);
    expect(lines).toContain(`${namePrefix}adsb.feeders.v1: expected min.insync.replicas 2, got 1`);
    expect(lines.filter((line) => line.includes('adsb.feeders.v1')).length).toBe(2);
  });

  test('records that Kafka would delete at once are refused', async () => {
    const namePrefix = 'old.';
    await ensure({ namePrefix });
    const log = await openKafkaLog({ connection: connection(), namePrefix });
    const record = { key: null, value: Buffer.from('x'), timestampMs: Date.now() - 8 * 86_400_000 };
    await expect(log.append('frames', 0, [record])).rejects.toMatchObject({ code: 'log.record_too_old' });
    // Compacted topics keep records of any age.
    await log.append('feeders', 0, [{ ...record, key: 'f' }]);
    await log.append('frames', 0, [{ ...record, timestampMs: Date.now() + 8 * 86_400_000 }]);
    await log.close();
  });
});
