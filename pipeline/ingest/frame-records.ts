// FrameBatch values as records of the frames topic: no key, timestamp = base time.
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import type { Codecs } from '../log/codec.ts';
import type { OutgoingRecord } from '../log/event-log.ts';

export function frameRecords(codecs: Codecs, batches: readonly FrameBatch[]): OutgoingRecord[] {
  return batches.map((batch) => {
    const { baseTimeUs, frames } = batch;
    // avsc takes bytes as a Buffer only; this is a view, not a copy.
    const value = codecs.FrameBatch.encode({ ...batch, frames: Buffer.from(frames.buffer, frames.byteOffset, frames.length) });
    return { key: null, value, timestampMs: Math.floor(baseTimeUs / 1000) };
  });
}
