// The EventLog contract against a real Kafka.
import { join } from 'node:path';
import kafkajs, { type Admin, Kafka, logLevel, Partitioners } from 'kafkajs';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type KafkaLog, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { ensureTopics, topicSettings } from '../../pipeline/log/kafka/topics.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import { eventLogContract } from '../contract/event-log.contract.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { until } from '../support/until.ts';

/** A record this much later than the first of a segment closes the segment. */
const SEGMENT_MS = 100;

class TestTopics {
  readonly namePrefix: string;
  private readonly kafka: Kafka;
  private readonly overrides = new Map<TopicId, Record<string, string>>();

  private constructor(brokers: string[], namePrefix: string) {
    this.namePrefix = namePrefix;
    this.kafka = new Kafka({ brokers, clientId: 'test-topics', logLevel: logLevel.NOTHING });
  }

  /** Creates all topics under unique names; records of any age stay. */
  static async create(brokers: string[], framePartitions: number): Promise<TestTopics> {
    const namePrefix = `test-${Math.random().toString(36).slice(2)}.`;
    const connection = { brokers, clientId: 'test-topics' };
    await ensureTopics(connection, { create: true, replicationFactor: 1, framePartitions, namePrefix, retention: 'forever' });
    const created = new TestTopics(brokers, namePrefix);
    await created.untilLed();
    return created;
  }

  /** A busy broker reports the leader of a new partition before it is that leader: until then it refuses requests. */
  private untilLed(): Promise<void> {
    const names = Object.values(topics).map(({ name }) => `${this.namePrefix}${name}`);
    return this.admin(async (admin) => {
      const isLed = (name: string): Promise<boolean> =>
        admin.fetchTopicOffsets(name).then(
          () => true,
          () => false,
        );
      for (const name of names) await until(() => isLed(name), `${name} has its leaders`);
    });
  }

  /** Changes settings of a topic; earlier changes stay. */
  async set(id: TopicId, settings: Record<string, string>): Promise<void> {
    const override = { ...this.overrides.get(id), ...settings };
    this.overrides.set(id, override);
    const all = { ...topicSettings(topics[id], 1, 'forever'), ...override };
    const configEntries = Object.entries(all).map(([name, value]) => ({ name, value }));
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: `${this.namePrefix}${topics[id].name}` };
    await this.admin(async (admin) => {
      await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] });
      // The broker acknowledges a change before it shows it.
      const isShown = async (): Promise<boolean> => {
        const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
        const shown = new Map(resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]));
        // A ratio of 0 is shown as 0.0.
        return configEntries.every(({ name, value }) => shown.get(name) === value || Number(shown.get(name)) === Number(value));
      };
      await until(isShown, `the settings of ${id} are shown`);
    });
  }

  /** Only closed segments are compacted, and only a write closes one: a record of an aborted transaction, which no reader sees. */
  async closeSegment(id: TopicId, partition: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2 * SEGMENT_MS));
    const options = { transactionalId: `${this.namePrefix}close`, createPartitioner: Partitioners.DefaultPartitioner };
    const producer = this.kafka.producer(options);
    await producer.connect();
    const transaction = await producer.transaction();
    const messages = [{ partition, key: 'aborted', value: 'aborted', timestamp: String(Date.now()) }];
    await transaction.send({ topic: `${this.namePrefix}${topics[id].name}`, messages });
    await transaction.abort();
    await producer.disconnect();
    // The response comes before the marker, and until the marker readers see nothing that is written behind. A new epoch is given behind it.
    const next = this.kafka.producer(options);
    await next.connect();
    await (await next.transaction()).abort();
    await next.disconnect();
  }

  private async admin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

/** Kafka deletes whole segments of at least 1 MB: between this and one more segment is kept. */
const DEADLETTER_RETENTION_BYTES = 1_200_000;
const DEADLETTER_BYTES_MAX = 2_300_000;
/** A busy machine must look at them within this time. */
const TOMBSTONES_SHORT_MS = 5000;
const DAY_MS = 86_400_000;

describeWithKafka('with Kafka', () => {
  const brokers = sharedKafka();
  let testTopics: TestTopics;
  let logs: KafkaLog[] = [];
  const options = () => ({
    connection: { brokers: brokers(), clientId: 'contract' },
    namePrefix: testTopics.namePrefix,
    retention: 'forever' as const,
  });

  async function open(): Promise<EventLog> {
    const log = await openKafkaLog(options());
    logs.push(log);
    return log;
  }

  eventLogContract('EventLog on Kafka', {
    setUp: async () => {
      testTopics = await TestTopics.create(brokers(), 2);
      // Only closed segments are deleted. These close after a day of record time, and after 1 MB.
      await testTopics.set('frames', { 'segment.ms': String(DAY_MS) });
      await testTopics.set('deadletter', { 'segment.bytes': String(1024 * 1024) });
    },
    tearDown: async () => {
      await Promise.all(logs.map((log) => log.close()));
      logs = [];
    },
    open,
    openReader: open,
    childCommand: () => [
      process.execPath,
      join(import.meta.dirname, '../../dist/modules/test/contract/event-log-child.js'),
      'kafka',
      JSON.stringify(options()),
    ],
    shortenTombstones: () => testTopics.set('aircraft', { 'delete.retention.ms': String(TOMBSTONES_SHORT_MS) }),
    compactNow: async (log, tombstonesExpired) => {
      // The cleaner processes every closed segment.
      const eager = { 'min.cleanable.dirty.ratio': '0', 'min.compaction.lag.ms': '0', 'segment.ms': String(SEGMENT_MS) };
      await testTopics.set('aircraft', eager);
      if (tombstonesExpired) await new Promise((resolve) => setTimeout(resolve, TOMBSTONES_SHORT_MS));
      await testTopics.closeSegment('aircraft', 0);
      const isCompacted = async (): Promise<boolean> => {
        const records = await readAll(log, whole('aircraft'));
        const hasTombstones = records.some(({ value }) => value === null);
        return new Set(records.map(({ key }) => key)).size === records.length && !(hasTombstones && tombstonesExpired);
      };
      await until(isCompacted, 'aircraft is compacted');
    },
    expireAt: async (log, nowMs) => {
      // Kafka's clock cannot be moved, so the retention is shortened by the same time.
      const keptMs = Math.max(0, topics.frames.retentionMs - (nowMs - Date.now()));
      await testTopics.set('frames', { 'retention.ms': String(keptMs) });
      await testTopics.set('deadletter', { 'retention.bytes': String(DEADLETTER_RETENTION_BYTES) });
      const oldestMs = Math.min(nowMs, Date.now()) - keptMs;
      const isDone = async (): Promise<boolean> => {
        const frames = await readAll(log, whole('frames'));
        const deadletters = await readAll(log, whole('deadletter'));
        return (
          frames.every(({ timestampMs }) => timestampMs >= oldestMs) &&
          deadletters.reduce((sum, { value }) => sum + (value?.length ?? 0), 0) <= DEADLETTER_BYTES_MAX
        );
      };
      await until(isDone, 'Kafka deleted what is over its time or size');
    },
    deadletterBytesMax: DEADLETTER_BYTES_MAX,
    writers: 'any',
  });
});
