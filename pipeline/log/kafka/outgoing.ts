// Checks outgoing records against the topic table and computes their size.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { type OutgoingRecord, type OutgoingRecords, RecordBlock } from '../record-block.ts';

/** Upper bound of Kafka's header of a record. */
const RECORD_HEAD_BYTES = 32;
/** Most bytes of a UTF-16 character in UTF-8. */
const CHARACTER_BYTES_MAX = 3;

/** Upper bound of the bytes of a record in a batch, before compression. */
export function recordBytes({ key, value }: OutgoingRecord): number {
  return RECORD_HEAD_BYTES + (key === null ? 0 : CHARACTER_BYTES_MAX * key.length) + (value === null ? 0 : value.length);
}

/** Like `recordBytes`, for a record of a block. */
export function blockRecordBytes(block: RecordBlock, index: number): number {
  return RECORD_HEAD_BYTES + block.valueEnd(index) - block.start(index);
}

/** Upper bound of the bytes of the records in a batch. Error: `log.record_too_large`. */
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
