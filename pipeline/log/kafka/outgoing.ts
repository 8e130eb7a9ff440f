// Records on their way out: checked against the topic table, and measured.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { OutgoingRecord } from '../event-log.ts';

/** Room for what Kafka puts before each record, at most. */
const RECORD_HEAD_BYTES = 32;
/** A character of UTF-16 takes at most so many bytes in UTF-8. */
const CHARACTER_BYTES_MAX = 3;

/** Bytes of a record in a batch, before compression, at most. */
export function recordBytes({ key, value }: OutgoingRecord): number {
  return RECORD_HEAD_BYTES + (key === null ? 0 : CHARACTER_BYTES_MAX * key.length) + (value === null ? 0 : value.length);
}

/** Bytes of the records in a batch, at most. Error: `log.record_too_large`. */
export function checkRecords(topic: TopicId, records: readonly OutgoingRecord[]): number {
  const { name, recordBytesMax } = topics[topic];
  let sum = 0;
  for (const record of records) {
    const bytes = recordBytes(record);
    const valueBytes = record.value?.length ?? 0;
    if (valueBytes > recordBytesMax)
      throw new SquitterError('log.record_too_large', { topic: name, bytes: valueBytes, limit: recordBytesMax });
    if (bytes > limits.kafkaBatchBytesMax)
      throw new SquitterError('log.record_too_large', { topic: name, bytes, limit: limits.kafkaBatchBytesMax });
    sum += bytes;
  }
  return sum;
}
