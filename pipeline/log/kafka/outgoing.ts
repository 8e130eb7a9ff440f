// Checks outgoing records against the topic table and computes their size.

import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { contentBytes, type Records } from '../record-block.ts';

/** Upper bound of Kafka's header of a record. */
const RECORD_HEAD_BYTES = 32;

/** Upper bound of the bytes of a record in a batch, before compression. */
export function recordBytes(records: Records, index: number): number {
  return RECORD_HEAD_BYTES + contentBytes(records, index);
}

/** Upper bound of the bytes of the records in a batch. Error: `log.record_too_large`. */
export function checkRecords(topic: TopicId, records: Records): number {
  const { name, recordBytesMax } = topics[topic];
  let sum = 0;
  for (let i = 0; i < records.length; i += 1) {
    const bytes = recordBytes(records, i);
    const valueBytes = records.valueBytes(i);
    if (valueBytes > recordBytesMax)
      throw new SquitterError('log.record_too_large', { topic: name, bytes: valueBytes, limit: recordBytesMax });
    if (bytes > limits.kafkaBatchBytesMax)
      throw new SquitterError('log.record_too_large', { topic: name, bytes, limit: limits.kafkaBatchBytesMax });
    sum += bytes;
  }
  return sum;
}
