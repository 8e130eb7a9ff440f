// Records on their way out: checked against the topic table, cut into sends that fit one record batch of Kafka, in the form kafkajs wants.
import type { ICustomPartitioner, Message } from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { OutgoingRecord } from '../event-log.ts';

/** Room for what Kafka puts before each record, at most. */
const RECORD_HEAD_BYTES = 32;

/** kafkajs asks where a record goes: where it was told. */
export const toldPartition: ICustomPartitioner =
  () =>
  ({ message }) =>
    message.partition!;

/** Bytes of a record in a batch, before compression. */
export function recordBytes({ key, value }: OutgoingRecord): number {
  return RECORD_HEAD_BYTES + (key === null ? 0 : Buffer.byteLength(key)) + (value?.length ?? 0);
}

/** Bytes of the records in a batch. Error: `log.record_too_large`. */
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

/** Cuts records into runs that fit one record batch, and that kafkajs is quick with. */
export function cutRecords(records: readonly OutgoingRecord[]): OutgoingRecord[][] {
  const runs: OutgoingRecord[][] = [];
  let run: OutgoingRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = recordBytes(record);
    if (run.length > 0 && (bytes + size > limits.kafkaBatchBytesMax || run.length >= limits.kafkaSendRecordsMax)) {
      runs.push(run);
      run = [];
      bytes = 0;
    }
    run.push(record);
    bytes += size;
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** Digits of a timestamp: kafkajs sorts them as text to find the first and last of a batch. */
const TIMESTAMP_DIGITS = 16;

export function messagesOf(partition: number, records: readonly OutgoingRecord[]): Message[] {
  return records.map(({ key, value, timestampMs }) => ({
    partition,
    key,
    // Bytes that are no Buffer would be written as text.
    value: value === null || Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
    timestamp: String(timestampMs).padStart(TIMESTAMP_DIGITS, '0'),
  }));
}
