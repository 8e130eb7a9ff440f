// FrameBatch values as records of the frames topic: no key, timestamp = base time.

import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { AvroWriter } from '../avro/writer.ts';
import type { Codecs } from '../log/codec.ts';
import type { OutgoingRecord } from '../log/event-log.ts';

/** What head, numbers and lengths of a value take at most, and its receivers besides their characters. */
const VALUE_HEAD_BYTES_MAX = 64;
const RECEIVER_BYTES_MAX = 5;
const CHARACTER_BYTES_MAX = 3;

/**
 * Their values lie in the writer's memory, and are valid until it is written to again. Whoever appends all the time keeps a writer per partition:
 * values are 64 KB, and memory for each of them would be asked for thousands of times a minute.
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

/** Field by field as `frameBatchSchema` has them. */
function writeFrameBatch(writer: AvroWriter, { baseTimeUs, receivers, count, frames }: FrameBatch): void {
  let bytes = VALUE_HEAD_BYTES_MAX + frames.length;
  for (const receiver of receivers) bytes += RECEIVER_BYTES_MAX + CHARACTER_BYTES_MAX * receiver.length;
  writer.reserve(bytes);
  writer.long(baseTimeUs);
  if (receivers.length > 0) writer.int(receivers.length);
  for (const receiver of receivers) writer.string(receiver);
  writer.int(0);
  writer.int(count);
  writer.block(frames);
}
