// FrameBatch values as records of the frames topic: no key, timestamp = base time.
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import type { Codecs } from '../log/codec.ts';
import type { OutgoingRecord } from '../log/event-log.ts';

export function frameRecords(codecs: Codecs, batches: readonly FrameBatch[]): OutgoingRecord[] {
  return batches.map((batch) => ({ key: null, value: codecs.FrameBatch.encode(batch), timestampMs: Math.floor(batch.baseTimeUs / 1000) }));
}
