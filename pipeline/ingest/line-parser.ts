// A parser of text: cuts its bytes into lines at given terminators, independent of the chunks. Keeps one unfinished line of at most
// `limits.lineBytesMax` bytes.
import { limits } from '../../schemas/limits/index.ts';
import type { Counters } from '../runtime/counters.ts';
import {
  addGarbage,
  createParserStats,
  type FrameFormat,
  type FrameParser,
  type FrameSink,
  type ParserReason,
  type ParserStats,
} from './frame-parser.ts';

/** An AVR line has up to 45 bytes, a CSV line about 50. */
const LINE_BYTES_MAX = limits.lineBytesMax;

export abstract class LineParser implements FrameParser {
  abstract readonly format: FrameFormat;
  readonly stats: ParserStats = createParserStats();
  receiver = 0;
  protected sink: FrameSink = { frame: () => undefined };
  protected readonly counters: Counters;
  /** 1 for bytes that end a line. */
  private readonly isTerminator = new Uint8Array(256);
  private readonly pending = Buffer.alloc(LINE_BYTES_MAX);
  /** True inside the rest of a line that was too long. */
  private skipping = false;

  constructor(counters: Counters, terminators: string) {
    this.counters = counters;
    for (const terminator of terminators) this.isTerminator[terminator.charCodeAt(0)] = 1;
  }

  /** A line without its terminator: `bytes[from..to)`. `raw` is its length with the terminator, for the byte counts. */
  protected abstract row(bytes: Uint8Array, from: number, to: number, raw: number): void;

  push(chunk: Uint8Array, _timeUs: number, sink: FrameSink): void {
    const { stats, isTerminator } = this;
    this.sink = sink;
    stats.bytes += chunk.length;
    stats.sampleBytes = 0;
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (isTerminator[chunk[at]!] === 0) continue;
      this.line(chunk, from, at);
      from = at + 1;
    }
    this.keep(chunk, from);
  }

  end(sink: FrameSink): void {
    this.sink = sink;
    const length = this.stats.pendingBytes;
    this.stats.pendingBytes = 0;
    this.skipping = false;
    if (length > 0) this.lastRow(this.pending, length);
  }

  /** The last line needs no terminator. */
  protected lastRow(bytes: Uint8Array, length: number): void {
    this.row(bytes, 0, length, length);
  }

  /** Ends a line at the terminator `chunk[at]`. */
  private line(chunk: Uint8Array, from: number, at: number): void {
    const { stats, pending } = this;
    const held = stats.pendingBytes;
    if (this.skipping) {
      addGarbage(stats, chunk, from, at + 1);
      this.skipping = false;
      return;
    }
    const length = held + at - from;
    if (length > LINE_BYTES_MAX) {
      this.discard(chunk, from, at + 1);
      return;
    }
    if (held === 0) {
      this.row(chunk, from, at, length + 1);
      return;
    }
    pending.set(chunk.subarray(from, at), held);
    stats.pendingBytes = 0;
    this.row(pending, 0, length, length + 1);
  }

  private keep(chunk: Uint8Array, from: number): void {
    const { stats, pending } = this;
    const length = stats.pendingBytes + chunk.length - from;
    if (this.skipping) {
      addGarbage(stats, chunk, from, chunk.length);
    } else if (length > LINE_BYTES_MAX) {
      this.discard(chunk, from, chunk.length);
      this.skipping = true;
    } else if (length > stats.pendingBytes) {
      pending.set(chunk.subarray(from), stats.pendingBytes);
      stats.pendingBytes = length;
    }
  }

  private discard(chunk: Uint8Array, from: number, to: number): void {
    const { stats, pending } = this;
    const held = stats.pendingBytes;
    stats.pendingBytes = 0;
    addGarbage(stats, pending, 0, held);
    addGarbage(stats, chunk, from, to);
    this.counters.add('line_too_long' satisfies ParserReason);
    this.sink.rejected?.('line_too_long');
  }
}
