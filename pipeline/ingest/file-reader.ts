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
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
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
const ROWS_PER_SLICE = SLICE_BYTES / 2 + 2;
const FRAME_BYTES = 14;

export interface FrameFileOptions {
  /** Input for the path `-`. */
  readonly stdin?: Readable;
  /** Event time at counter 0, µs since the Unix epoch; 0 if not given. */
  readonly startUs?: number;
  /** Stops reading: the iteration ends early without an error. */
  readonly signal?: AbortSignal;
}

/** A row of a file. Its bytes are valid until the next chunk is requested; a row without a frame has the time of the previous frame. */
export class FileRow implements ReceivedFrame {
  // Objects made by spreading, or whose numbers begin as 0, take twice the time of `squitter fold`.
  timeUs = Number.NaN;
  counter = Number.NaN;
  signal = 0;
  flags = 0;
  receiver = 0;
  byteLength: 7 | 14 = 14;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly at: number;
  /** Its number, from 0. */
  row = 0;
  /** Why it contains no frame; null if it contains one. */
  reason: ParserReason | null = null;
  /** FILE_RECEIVER without a receiver in the file, else the id of readsb's receiver message. */
  receiverId = FILE_RECEIVER;

  constructor({ bytes, view }: ReceivedFrame, at: number) {
    this.bytes = bytes;
    this.view = view;
    this.at = at;
  }
}

/** Rows of a file. Reused: valid until the next chunk is requested. */
export interface FrameChunk {
  readonly rows: readonly FileRow[];
  /** Those of `rows` that contain a frame. */
  readonly frames: readonly FileRow[];
  /** Rows of the file up to the end of this chunk. */
  readonly rowsRead: number;
  /** Bytes read of the file as stored (compressed). */
  readonly bytesRead: number;
}

export interface FrameFile {
  readonly format: FrameFormat;
  /** Size as stored; 0 if unknown (standard input). */
  readonly bytesTotal: number;
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
    format,
    bytesTotal,
    chunks: () => readChunks(source, parser, new Rows(clock, receivers), options),
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
export function takeReceivers(table: ReceiverTable, own: string, ids: FeederIds): { numberOf(id: string): number; release(): void } {
  const numbers = new Map([[FILE_RECEIVER, table.acquire(own)]]);
  return {
    numberOf(id) {
      const number = numbers.get(id) ?? table.acquire(ids.passedOn(own, id));
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

async function* readChunks(source: ByteSource, parser: FrameParser, rows: Rows, { signal }: FrameFileOptions): AsyncGenerator<FrameChunk> {
  try {
    for await (const bytes of source.bytes()) {
      for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
        if (signal?.aborted === true) return;
        rows.start(source.storedBytesRead);
        parser.push(bytes.subarray(at, at + SLICE_BYTES), 0, rows);
        if (rows.rows.length > 0) yield rows;
      }
    }
    rows.start(source.storedBytesRead);
    parser.end(rows);
    if (rows.rows.length > 0) yield rows;
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

/** Collects the rows of a chunk, in objects that the next chunk uses again. */
class Rows implements FrameChunk, FrameSink {
  readonly rows: FileRow[] = [];
  readonly frames: FileRow[] = [];
  rowsRead = 0;
  bytesRead = 0;
  private readonly clock: FileClock;
  private readonly receivers: readonly string[];
  private readonly spare: FileRow[] = [];
  private readonly memory = createReceivedFrame(new Uint8Array(ROWS_PER_SLICE * FRAME_BYTES));

  constructor(clock: FileClock, receivers: readonly string[]) {
    this.clock = clock;
    this.receivers = receivers;
  }

  start(bytesRead: number): void {
    this.rows.length = 0;
    this.frames.length = 0;
    this.bytesRead = bytesRead;
  }

  frame(frame: ReceivedFrame): void {
    const { bytes, at, byteLength, counter, signal, flags, receiver } = frame;
    const row = this.add(null, this.clock.timeOf(frame));
    for (let i = 0; i < FRAME_BYTES; i += 1) row.bytes[row.at + i] = i < byteLength ? bytes[at + i]! : 0;
    row.byteLength = byteLength;
    row.counter = counter;
    row.signal = signal;
    row.flags = flags;
    row.receiver = receiver;
    row.receiverId = this.receivers[receiver]!;
    this.frames.push(row);
  }

  rejected(reason: ParserReason): void {
    this.add(reason, this.clock.lastUs);
  }

  private add(reason: ParserReason | null, timeUs: number): FileRow {
    const { spare, rows } = this;
    if (spare.length === rows.length) spare.push(new FileRow(this.memory, FRAME_BYTES * rows.length));
    const row = spare[rows.length]!;
    row.row = this.rowsRead;
    row.reason = reason;
    row.timeUs = timeUs;
    this.rowsRead += 1;
    rows.push(row);
    return row;
  }
}
