// Frame files: every row of a Beast, AVR or CSV file with its event time, in chunks of columns. Detects the format from the content; unpacks gzip and xz.
//
// Rows. A row is anything that should contain a frame: a Beast message of type 2 or 3, an AVR message, a CSV line. Row numbers start at 0 and
// include rows without a frame (broken, or Mode A/C in AVR), so row number i always means the same part of the file.
//
// Times:
//   CSV                             the time in the line, exact to the microsecond
//   Beast with readsb time records  the newest time record; counters are ignored
//   Beast and AVR with counters     startUs + counter / 12 MHz; a frame without a counter (0 or the MLAT mark) has the time of the previous frame
//   AVR without counters            AVR_STEP_US after the previous frame; the first frame at startUs
// Counters of several receivers in one file are not reconciled, so times jump.

import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { createReceivedFrame, type ReceivedFrame, viewOf } from '../../schemas/packed-frame.ts';
import type { FeederIds } from '../feeders/feeder-ids.ts';
import { ByteSource } from '../runtime/byte-source.ts';
import { Counters } from '../runtime/counters.ts';
import { BEAST_TICKS_PER_US } from './beast-writer.ts';
import { createParser, detectFormat } from './detect.ts';
import type { FrameFormat, FrameParser, FrameSink, ParserReason } from './frame-parser.ts';
import { type ReceiverTable, receiverIdText } from './receivers.ts';

/** Receiver id for a file that names no receiver. */
export const FILE_RECEIVER = 'file';

/** Time between the frames of an AVR file without counters: 10 ms, 100 frames a second. */
export const AVR_STEP_US = 10_000;

/** Bytes parsed at a time. Every row has at least two bytes. */
const SLICE_BYTES = 16 * 1024;
const ROWS_MAX = SLICE_BYTES / 2 + 2;
const FRAME_BYTES = 14;

export interface FrameFileOptions {
  /** Input for the path `-`. */
  readonly stdin?: Readable;
  /** Event time at counter 0, µs since the Unix epoch; 0 if not given. */
  readonly startUs?: number;
  /** Stops reading: the iteration ends early without an error. */
  readonly signal?: AbortSignal;
}

/** Rows of a file as columns. Reused: valid until the next chunk is requested. */
export interface FrameChunk {
  /** Number of the first row. */
  firstRow: number;
  rows: number;
  /** Why a row contains no frame; null if it contains one. */
  readonly reasons: (ParserReason | null)[];
  /** Event time, µs since the Unix epoch. A row without a frame has the time of the previous frame. */
  readonly timesUs: Float64Array;
  readonly counters: Float64Array;
  readonly signals: Uint8Array;
  /** Index into the file's `receivers`. */
  readonly receivers: Uint16Array;
  readonly flags: Uint8Array;
  /** 7 or 14; 0 if there is no frame. */
  readonly byteLengths: Uint8Array;
  /** 14 bytes for each row. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Bytes read of the file as stored (compressed). */
  bytesRead: number;
}

export interface FrameFile {
  readonly path: string;
  readonly format: FrameFormat;
  /** Size as stored; 0 if unknown (standard input). */
  readonly bytesTotal: number;
  /** Rejections by reason so far. */
  readonly counters: Counters;
  /** Receivers of the frames read so far: FILE_RECEIVER for frames without a receiver, then the ids of readsb's receiver messages. */
  readonly receivers: readonly string[];
  /** Reads the file once from start to end. Error: `input.unreadable` if reading or unpacking fails. */
  chunks(): AsyncIterable<FrameChunk>;
  close(): Promise<void>;
}

/**
 * Opens a frame file; `-` is standard input. Errors: `input.unreadable` (also for damaged gzip or xz), `input.empty`, `input.unknown_format`.
 */
export async function openFrameFile(path: string, options: FrameFileOptions = {}): Promise<FrameFile> {
  const { stream, bytesTotal } = await openStream(path, options);
  const source = new ByteSource(path, stream);
  const head = await source.peek();
  const format = detectFormat(head, head.length, source.ended);
  const name = path === '-' ? 'standard input' : path;
  if (head.length === 0 && source.ended) {
    await source.close();
    throw new SquitterError('input.empty', { path: name });
  }
  if (format === null) {
    await source.close();
    throw new SquitterError('input.unknown_format', { path: name });
  }
  const counters = new Counters();
  const receivers = [FILE_RECEIVER];
  const clock = new FileClock(format, options.startUs ?? 0);
  const parser = createParser(format, { counters, onReceiver: receiverNumbers(receivers), onTime: (timeUs) => clock.set(timeUs) });
  return {
    path,
    format,
    bytesTotal,
    counters,
    receivers,
    chunks: () => readChunks(source, parser, clock, options),
    close: () => source.close(),
  };
}

/** Refuses a file that cannot be played. A pipe is not opened: its bytes can be read once. Errors: those of `openFrameFile`. */
export async function checkFrameFile(path: string): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info !== null && !info.isFile() && !info.isDirectory()) return;
  const file = await openFrameFile(path);
  await file.close();
}

/** Takes numbers in a table for the receivers of a file as they appear: FILE_RECEIVER is `own`, the others are receivers that it passes on. */
export function takeReceivers(table: ReceiverTable, own: string, ids: FeederIds): { of(id: string): number; release(): void } {
  const numbers = new Map([[FILE_RECEIVER, table.take(own)]]);
  return {
    of(id) {
      const number = numbers.get(id) ?? table.take(ids.passedOn(own, id));
      numbers.set(id, number);
      return number;
    },
    release() {
      for (const number of numbers.values()) table.release(number);
    },
  };
}

/** Numbers receiver ids in order of appearance, from 1. Ids over the limit get number 0, the file's own receiver. */
function receiverNumbers(receivers: string[]): (high: number, low: number) => number {
  const numbers = new Map<string, number>();
  return (high, low) => {
    const id = receiverIdText(high, low);
    const known = numbers.get(id);
    if (known !== undefined) return known;
    if (receivers.length > limits.receiversPerFeederMax) return 0;
    receivers.push(id);
    numbers.set(id, receivers.length - 1);
    return receivers.length - 1;
  };
}

/** Fills `frame` from row `row` of a chunk; its receiver is an index into the file's `receivers`. `chunk.reasons[row]` must be null. The bytes are valid as long as the chunk. */
export function chunkFrame(chunk: FrameChunk, row: number, frame: ReceivedFrame): ReceivedFrame {
  frame.timeUs = chunk.timesUs[row]!;
  frame.counter = chunk.counters[row]!;
  frame.signal = chunk.signals[row]!;
  frame.receiver = chunk.receivers[row]!;
  frame.flags = chunk.flags[row]!;
  frame.byteLength = chunk.byteLengths[row] === 7 ? 7 : 14;
  frame.bytes = chunk.bytes;
  frame.view = chunk.view;
  frame.at = row * FRAME_BYTES;
  return frame;
}

/** Creates a frame for `chunkFrame` to fill. */
export function createChunkFrame(): ReceivedFrame {
  return createReceivedFrame(new Uint8Array(FRAME_BYTES));
}

async function openStream(path: string, options: FrameFileOptions): Promise<{ stream: Readable; bytesTotal: number }> {
  if (path === '-') {
    if (options.stdin === undefined)
      throw new SquitterError('input.unreadable', { path: 'standard input', detail: 'there is no standard input' });
    return { stream: options.stdin, bytesTotal: 0 };
  }
  let info: Stats;
  try {
    info = await stat(path);
  } catch (error) {
    throw new SquitterError('input.unreadable', { path, detail: (error as Error).message }, error);
  }
  if (info.isDirectory()) throw new SquitterError('input.unreadable', { path, detail: 'expected a file, got a folder' });
  return { stream: createReadStream(path, { highWaterMark: 256 * 1024 }), bytesTotal: info.size };
}

async function* readChunks(
  source: ByteSource,
  parser: FrameParser,
  clock: FileClock,
  options: FrameFileOptions,
): AsyncGenerator<FrameChunk> {
  const chunk = createChunk();
  const sink = createChunkSink(chunk, clock);
  try {
    for await (const bytes of source.bytes()) {
      for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
        if (options.signal?.aborted === true) return;
        startChunk(chunk, source.storedBytesRead);
        parser.push(bytes.subarray(at, at + SLICE_BYTES), 0, sink);
        if (chunk.rows > 0) yield chunk;
      }
    }
    startChunk(chunk, source.storedBytesRead);
    parser.end(sink);
    if (chunk.rows > 0) yield chunk;
  } finally {
    await source.close();
  }
}

/** Event times of frames, by the rules at the top of this file. */
class FileClock {
  lastUs: number;
  private readonly format: FrameFormat;
  private readonly startUs: number;
  private isFirst = true;
  private isSet = false;

  constructor(format: FrameFormat, startUs: number) {
    this.format = format;
    this.startUs = startUs;
    this.lastUs = startUs;
  }

  /** Sets the time from a time record. */
  set(timeUs: number): void {
    this.lastUs = timeUs;
    this.isSet = true;
  }

  timeOf(frame: ReceivedFrame): number {
    if (this.format === 'csv') this.lastUs = frame.timeUs;
    else if (this.isSet) return this.lastUs;
    else if (frame.counter > 0) this.lastUs = this.startUs + Math.floor(frame.counter / BEAST_TICKS_PER_US);
    else if (this.format === 'avr' && !this.isFirst) this.lastUs += AVR_STEP_US;
    this.isFirst = false;
    return this.lastUs;
  }
}

function createChunk(): FrameChunk {
  const bytes = new Uint8Array(ROWS_MAX * FRAME_BYTES);
  return {
    firstRow: 0,
    rows: 0,
    reasons: new Array<ParserReason | null>(ROWS_MAX).fill(null),
    timesUs: new Float64Array(ROWS_MAX),
    counters: new Float64Array(ROWS_MAX),
    signals: new Uint8Array(ROWS_MAX),
    receivers: new Uint16Array(ROWS_MAX),
    flags: new Uint8Array(ROWS_MAX),
    byteLengths: new Uint8Array(ROWS_MAX),
    bytes,
    view: viewOf(bytes),
    bytesRead: 0,
  };
}

function startChunk(chunk: FrameChunk, bytesRead: number): void {
  chunk.firstRow += chunk.rows;
  chunk.rows = 0;
  chunk.bytesRead = bytesRead;
}

function createChunkSink(chunk: FrameChunk, clock: FileClock): FrameSink {
  return {
    frame(frame) {
      const row = chunk.rows;
      const { bytes, at, byteLength } = frame;
      chunk.reasons[row] = null;
      chunk.timesUs[row] = clock.timeOf(frame);
      chunk.counters[row] = frame.counter;
      chunk.signals[row] = frame.signal;
      chunk.receivers[row] = frame.receiver;
      chunk.flags[row] = frame.flags;
      chunk.byteLengths[row] = byteLength;
      const target = row * FRAME_BYTES;
      for (let i = 0; i < FRAME_BYTES; i += 1) chunk.bytes[target + i] = i < byteLength ? bytes[at + i]! : 0;
      chunk.rows += 1;
    },
    rejected(reason) {
      const row = chunk.rows;
      chunk.reasons[row] = reason;
      chunk.timesUs[row] = clock.lastUs;
      chunk.byteLengths[row] = 0;
      chunk.rows += 1;
    },
  };
}
