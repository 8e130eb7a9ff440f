// The first record of a partition that is still in the log.

import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from './event-log.ts';

/** Null in an empty partition. Its value is valid until the log is read again. */
export async function firstRecord(log: EventLog, topic: TopicId, partition: number): Promise<StoredRecord | null> {
  for await (const batch of log.read({ topic, partition, from: 'earliest', to: 'end' })) return batch.records[0]!;
  return null;
}
