// The EventLog contract against a real Kafka.
import { join } from 'node:path';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type KafkaLog, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { topics } from '../../schemas/topics.ts';
import { eventLogContract } from '../contract/event-log.contract.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { TestTopics } from '../support/kafka-topics.ts';
import { until } from '../support/until.ts';

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
      await testTopics.cleanEagerly('aircraft');
      if (tombstonesExpired) await new Promise((resolve) => setTimeout(resolve, TOMBSTONES_SHORT_MS));
      await testTopics.closeSegment('aircraft', 0);
      await testTopics.untilCompacted(
        log,
        'aircraft',
        0,
        (keys, tombstones) => new Set(keys).size === keys.length && (tombstones === 0 || !tombstonesExpired),
      );
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
