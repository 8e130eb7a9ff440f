// What every frame parser is: bytes in as they arrive, frames out to a sink, every byte and every rejection accounted for.
// A parser keeps at most one unfinished message (`limits.parserPendingBytesMax`) and allocates nothing per frame.
import { limits } from '../../schemas/limits.ts';
import type { ReceivedFrame } from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';

export type FrameFormat = 'beast' | 'avr' | 'csv';

/** Why bytes gave no frame, as counters name it. `garbage` counts bytes outside of any message; the others count messages or lines. */
export type ParserReason =
  | 'garbage'
  /** Beast: the next message began inside this one. Text: a number of digits that no frame has. */
  | 'bad_length'
  | 'bad_hex'
  | 'bad_time'
  /** A line that is not of the format at all. */
  | 'bad_format'
  | 'line_too_long'
  | 'unknown_type'
  | 'bad_uuid'
  /** The input ended inside a message. */
  | 'truncated'
  /** Well-formed, but no Mode S frame: Mode A/C replies, receiver status, readsb's pings and commands. */
  | 'mode_ac'
  | 'status'
  | 'command'
  /** Beast: a time that a connection ignores. */
  | 'event_time';

export interface FrameSink {
  /** The frame is reused: copy what you keep. */
  frame(frame: ReceivedFrame): void;
  /** A row that should hold a frame and does not: a broken message, a line of text. */
  rejected?(reason: ParserReason): void;
}

/** At all times bytes = frameBytes + otherBytes + garbageBytes + pendingBytes. */
export interface ParserStats {
  bytes: number;
  frames: number;
  frameBytes: number;
  /** Well-formed bytes that are no frames: Mode A/C, status, receiver ids, separators, a header line. */
  otherBytes: number;
  garbageBytes: number;
  /** Bytes of the unfinished message. */
  pendingBytes: number;
  /** First garbage bytes of the latest chunk that had some, for the log line of a disconnect. */
  readonly sample: Uint8Array;
  sampleBytes: number;
}

export interface FrameParser {
  /** null while it is not known yet. */
  readonly format: FrameFormat | null;
  readonly stats: ParserStats;
  /** The receiver number that frames get from now on. */
  receiver: number;
  /** `timeUs`: when the chunk arrived; formats that carry their own time ignore it. The chunk is not kept. */
  push(chunk: Uint8Array, timeUs: number, sink: FrameSink): void;
  /** The input is over: what is still unfinished is rejected as `truncated`, or parsed where the end completes it. */
  end(sink: FrameSink): void;
}

export function createParserStats(): ParserStats {
  return {
    bytes: 0,
    frames: 0,
    frameBytes: 0,
    otherBytes: 0,
    garbageBytes: 0,
    pendingBytes: 0,
    sample: new Uint8Array(limits.garbageSampleBytes),
    sampleBytes: 0,
  };
}

/** Accounts `bytes[from..to)` as garbage and samples it. Counting the reason is the caller's. */
export function addGarbage(stats: ParserStats, bytes: Uint8Array, from: number, to: number): void {
  stats.garbageBytes += to - from;
  const { sample } = stats;
  for (let i = from; i < to && stats.sampleBytes < sample.length; i += 1) {
    sample[stats.sampleBytes] = bytes[i]!;
    stats.sampleBytes += 1;
  }
}

/** Garbage outside of any message, counted in bytes. */
export function addStrayBytes(stats: ParserStats, counters: Counters, bytes: Uint8Array, from: number, to: number): void {
  if (to <= from) return;
  addGarbage(stats, bytes, from, to);
  counters.add('garbage' satisfies ParserReason, to - from);
}

/** The sampled garbage as hex. */
export function garbageSampleHex(stats: ParserStats): string {
  return Buffer.from(stats.sample.subarray(0, stats.sampleBytes)).toString('hex');
}
