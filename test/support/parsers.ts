// For tests of frame parsers: feeds bytes to a parser in given chunks and collects copies of its frames.
import fc from 'fast-check';
import type { FrameParser, ParserReason } from '../../pipeline/ingest/frame-parser.ts';
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';

/** A frame by value. */
export interface FrameCopy {
  readonly timeUs: number;
  readonly counter: number;
  readonly signal: number;
  readonly flags: number;
  readonly receiver: number;
  readonly hex: string;
}

export interface Parsed {
  readonly frames: FrameCopy[];
  readonly rejected: ParserReason[];
  /** Frames and rejected rows in order: a frame's hex, or the reason. */
  readonly rows: string[];
  /** Greatest number of pending bytes after any chunk. */
  readonly pendingBytesMax: number;
}

export function copyFrame(frame: ReceivedFrame): FrameCopy {
  const { timeUs, counter, signal, flags, receiver, bytes, at, byteLength } = frame;
  return { timeUs, counter, signal, flags, receiver, hex: Buffer.from(bytes.subarray(at, at + byteLength)).toString('hex') };
}

/** Parses `bytes` cut at the given indices (in any order, out of range ignored), then ends the input. */
export function parseInCuts(parser: FrameParser, bytes: Uint8Array, cuts: readonly number[] = [], timeUs = 1): Parsed {
  const parsed = { frames: [] as FrameCopy[], rejected: [] as ParserReason[], rows: [] as string[], pendingBytesMax: 0 };
  const sink = {
    frame: (frame: ReceivedFrame) => {
      const copy = copyFrame(frame);
      parsed.frames.push(copy);
      parsed.rows.push(copy.hex);
    },
    rejected: (reason: ParserReason) => {
      parsed.rejected.push(reason);
      parsed.rows.push(reason);
    },
  };
  const ends = [...new Set(cuts.filter((cut) => cut > 0 && cut < bytes.length))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...ends, bytes.length]) {
    // A copy, so that a parser that keeps a chunk fails.
    const chunk = Buffer.from(bytes.subarray(from, to));
    parser.push(chunk, timeUs, sink);
    chunk.fill(0xaa);
    parsed.pendingBytesMax = Math.max(parsed.pendingBytesMax, parser.stats.pendingBytes);
    from = to;
  }
  parser.end(sink);
  return parsed;
}

/** Bytes minus all that are accounted for: 0 in a parser that loses nothing. */
export function unaccountedBytes(parser: FrameParser): number {
  const { bytes, frameBytes, otherBytes, garbageBytes, pendingBytes } = parser.stats;
  return bytes - frameBytes - otherBytes - garbageBytes - pendingBytes;
}

/** Frames of random bytes with many 0x1a: the hard case for Beast. */
export function receivedFrames(): fc.Arbitrary<ReceivedFrame> {
  const byte = fc.oneof({ arbitrary: fc.integer({ min: 0, max: 255 }), weight: 3 }, { arbitrary: fc.constant(0x1a), weight: 1 });
  return fc
    .record({
      counter: fc.oneof(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.constant(0x1a1a1a1a1a1a)),
      signal: byte,
      bytes: fc.constantFrom(7, 14).chain((length) => fc.array(byte, { minLength: length, maxLength: length })),
      mlat: fc.boolean(),
    })
    .map(({ counter, signal, bytes, mlat }) => ({
      ...createReceivedFrame(Uint8Array.from(bytes), 0, bytes.length === 7 ? 7 : 14),
      timeUs: 1,
      counter: mlat ? 0 : counter,
      signal,
      flags: mlat ? 2 : 0,
    }));
}
