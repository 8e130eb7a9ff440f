// Encodes FrameBatch values as records of the frames topic: no key, timestamp = base time.

import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { AvroWriter } from '../avro/writer.ts';
import type { Codecs } from '../log/codec.ts';
import type { OutgoingRecord } from '../log/record-block.ts';

/** Size bounds: head, numbers and lengths of a value; each receiver without its characters; each character. */
const VALUE_HEAD_BYTES = 64;
const RECEIVER_BYTES = 5;
const CHARACTER_BYTES = 3;

/**
 * The values are slices of the writer's memory, valid until the next write to it. A caller that appends continuously should keep a writer per
 * partition: values are 64 KB, and allocating each would happen thousands of times a minute.
 */
export function frameRecords(codecs: Codecs, batches: readonly FrameBatch[], writer = new AvroWriter()): OutgoingRecord[] {
  writer.reset();
  const ends = batches.map((batch) => {
    codecs.FrameBatch.writeHead(writer);
    writeFrameBatch(writer, batch);
    return writer.length;
  });
  const { bytes } = writer;
  return batches.map(({ baseTimeUs }, i) => ({
    key: null,
    value: bytes.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]!),
    timestampMs: Math.floor(baseTimeUs / 1000),
  }));
}

/** Writes the fields in the order of `frameBatchSchema`. */
function writeFrameBatch(writer: AvroWriter, { baseTimeUs, receivers, count, frames }: FrameBatch): void {
  let bytes = VALUE_HEAD_BYTES + frames.length;
  for (const receiver of receivers) bytes += RECEIVER_BYTES + CHARACTER_BYTES * receiver.length;
  writer.reserve(bytes);
  writer.long(baseTimeUs);
  if (receivers.length > 0) writer.int(receivers.length);
  for (const receiver of receivers) writer.string(receiver);
  writer.int(0);
  writer.int(count);
  writer.block(frames);
}
