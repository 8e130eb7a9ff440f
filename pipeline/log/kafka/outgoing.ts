// Records on their way out: checked against the topic table, and measured.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { type OutgoingRecord, type OutgoingRecords, RecordBlock } from '../record-block.ts';

/** Room for what Kafka puts before each record, at most. */
const RECORD_HEAD_BYTES = 32;
/** A character of UTF-16 takes at most so many bytes in UTF-8. */
const CHARACTER_BYTES_MAX = 3;

/** Bytes of a record in a batch, before compression, at most. */
export function recordBytes({ key, value }: OutgoingRecord): number {
  return RECORD_HEAD_BYTES + (key === null ? 0 : CHARACTER_BYTES_MAX * key.length) + (value === null ? 0 : value.length);
}

/** As `recordBytes`, of one of a block. */
export function blockRecordBytes(block: RecordBlock, index: number): number {
  return RECORD_HEAD_BYTES + block.valueEnd(index) - block.start(index);
}

/** Bytes of the records in a batch, at most. Error: `log.record_too_large`. */
export function checkRecords(topic: TopicId, records: OutgoingRecords): number {
  const { name, recordBytesMax } = topics[topic];
  let sum = 0;
  for (let i = 0; i < records.length; i += 1) {
    const inBlock = records instanceof RecordBlock;
    const bytes = inBlock ? blockRecordBytes(records, i) : recordBytes(records[i]!);
    const valueBytes = inBlock ? records.valueEnd(i) - records.keyEnd(i) : (records[i]!.value?.length ?? 0);
    if (valueBytes > recordBytesMax)
      throw new SquitterError('log.record_too_large', { topic: name, bytes: valueBytes, limit: recordBytesMax });
    if (bytes > limits.kafkaBatchBytesMax)
      throw new SquitterError('log.record_too_large', { topic: name, bytes, limit: limits.kafkaBatchBytesMax });
    sum += bytes;
  }
  return sum;
}
