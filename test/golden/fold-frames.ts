// Helpers of the fold's tests: recorded frames and records of the frames topic built from them.
import { readFileSync } from 'node:fs';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { createReceivedFrame, PACKED_FRAME_BYTES, packFrame, viewOf } from '../../schemas/packed-frame.ts';

export interface RecordedFrame {
  readonly timeUs: number;
  readonly bytes: Uint8Array;
  readonly receiver?: string;
  readonly signal?: number;
  /** FLAG_* of packed frames. */
  readonly flags?: number;
}

/** A `t,hex` file. */
export function readCsvFrames(path: string): RecordedFrame[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [time, hex] = line.split(',') as [string, string];
      return { timeUs: Math.round(Number(time) * 1e6), bytes: Uint8Array.from(Buffer.from(hex, 'hex')) };
    });
}

/** One record of the frames topic; the default `receiver` is always the same. */
export function frameBatch(frames: readonly RecordedFrame[]): FrameBatch {
  const baseTimeUs = Math.min(...frames.map((frame) => frame.timeUs));
  const receivers = [...new Set(frames.map((frame) => frame.receiver ?? 'here'))];
  const packed = new Uint8Array(frames.length * PACKED_FRAME_BYTES);
  const view = viewOf(packed);
  frames.forEach(({ timeUs, bytes, receiver, signal, flags }, i) => {
    packFrame(view, i * PACKED_FRAME_BYTES, baseTimeUs, {
      ...createReceivedFrame(bytes, 0, bytes.length as 7 | 14),
      timeUs,
      signal: signal ?? 128,
      flags: flags ?? 0,
      receiver: receivers.indexOf(receiver ?? 'here'),
    });
  });
  return { baseTimeUs, receivers, count: frames.length, frames: packed };
}
