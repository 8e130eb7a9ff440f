// Interface of the frame parsers: bytes in, frames out to a sink. Every byte and every rejection is counted.
// A parser keeps at most one unfinished message (`limits.parserPendingBytesMax`) and allocates nothing per frame.
import { limits } from '../../schemas/limits/index.ts';
import type { ReceivedFrame } from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';

export type FrameFormat = 'beast' | 'avr' | 'csv';

/** Counter names for input without a frame. `garbage` counts bytes outside any message; the others count messages or lines. */
export type ParserReason =
  | 'garbage'
  /** Beast: the next message begins inside this one. Text: no frame has this number of digits. */
  | 'bad_length'
  | 'bad_hex'
  | 'bad_time'
  /** A line that does not have the format. */
  | 'bad_format'
  | 'line_too_long'
  | 'unknown_type'
  | 'bad_uuid'
  /** The input ended inside a message. */
  | 'truncated'
  /** Well-formed, but not a Mode S frame: Mode A/C replies, receiver status, readsb's pings and commands. */
  | 'mode_ac'
  | 'status'
  | 'command'
  /** Beast: a time message on a connection, which is ignored. */
  | 'event_time';

export interface FrameSink {
  /** The frame object is reused: copy what you keep. */
  frame(frame: ReceivedFrame): void;
  /** Called for a row that should contain a frame but does not: a broken message or a line of text. */
  rejected?(reason: ParserReason): void;
}

/** Invariant: bytes = frameBytes + otherBytes + garbageBytes + pendingBytes. */
export interface ParserStats {
  bytes: number;
  frames: number;
  frameBytes: number;
  /** Well-formed bytes without a frame: Mode A/C, status, receiver ids, separators, a header line. */
  otherBytes: number;
  garbageBytes: number;
  /** Bytes of the unfinished message. */
  pendingBytes: number;
  /** First garbage bytes of the latest chunk with garbage, for the log line of a disconnect. */
  readonly sample: Uint8Array;
  sampleBytes: number;
}

export interface FrameParser {
  /** null while unknown. */
  readonly format: FrameFormat | null;
  readonly stats: ParserStats;
  /** Receiver number of the frames that follow. */
  receiver: number;
  /** `timeUs`: arrival time of the chunk; formats that carry their own time ignore it. The chunk is not kept. */
  push(chunk: Uint8Array, timeUs: number, sink: FrameSink): void;
  /** Ends the input. An unfinished message is rejected as `truncated`, or parsed if the end completes it. */
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

/** Adds `bytes[from..to)` to the garbage bytes and the sample. The caller counts the reason. */
export function addGarbage(stats: ParserStats, bytes: Uint8Array, from: number, to: number): void {
  stats.garbageBytes += to - from;
  const { sample } = stats;
  for (let i = from; i < to && stats.sampleBytes < sample.length; i += 1) {
    sample[stats.sampleBytes] = bytes[i]!;
    stats.sampleBytes += 1;
  }
}

/** Counts garbage outside any message, in bytes. */
export function addStrayBytes(stats: ParserStats, counters: Counters, bytes: Uint8Array, from: number, to: number): void {
  if (to <= from) return;
  addGarbage(stats, bytes, from, to);
  counters.add('garbage' satisfies ParserReason, to - from);
}

/** The garbage sample as hex. */
export function garbageSampleHex(stats: ParserStats): string {
  return Buffer.from(stats.sample.subarray(0, stats.sampleBytes)).toString('hex');
}
