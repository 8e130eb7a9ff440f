// Cuts a byte stream into lines at given terminators, independent of the chunks. Keeps one unfinished line of at most `limits.lineBytesMax` bytes.
import { limits } from '../../schemas/limits/index.ts';
import type { Counters } from '../runtime/counters.ts';
import { addGarbage, type FrameSink, type ParserReason, type ParserStats } from './frame-parser.ts';

/** An AVR line has up to 45 bytes, a CSV line about 50. */
const LINE_BYTES_MAX = limits.lineBytesMax;

/** A line without its terminator: `bytes[from..to)`. `raw` is its length with the terminator, for the byte counts. */
export type LineHandler = (bytes: Uint8Array, from: number, to: number, raw: number) => void;

export class LineSplitter {
  private readonly stats: ParserStats;
  private readonly counters: Counters;
  /** 1 for bytes that end a line. */
  private readonly isTerminator = new Uint8Array(256);
  private readonly pending = Buffer.alloc(LINE_BYTES_MAX);
  /** True inside the rest of a line that was too long. */
  private skipping = false;

  constructor(stats: ParserStats, counters: Counters, terminators: string) {
    this.stats = stats;
    this.counters = counters;
    for (const terminator of terminators) this.isTerminator[terminator.charCodeAt(0)] = 1;
  }

  push(chunk: Uint8Array, sink: FrameSink, onLine: LineHandler): void {
    const { stats, isTerminator } = this;
    stats.bytes += chunk.length;
    stats.sampleBytes = 0;
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (isTerminator[chunk[at]!] === 0) continue;
      this.line(chunk, from, at, sink, onLine);
      from = at + 1;
    }
    this.keep(chunk, from, sink);
  }

  /** Ends the input. The last line needs no terminator. */
  end(onLine: LineHandler): void {
    const length = this.stats.pendingBytes;
    this.stats.pendingBytes = 0;
    this.skipping = false;
    if (length > 0) onLine(this.pending, 0, length, length);
  }

  /** Ends a line at the terminator `chunk[at]`. */
  private line(chunk: Uint8Array, from: number, at: number, sink: FrameSink, onLine: LineHandler): void {
    const { stats, pending } = this;
    const held = stats.pendingBytes;
    if (this.skipping) {
      addGarbage(stats, chunk, from, at + 1);
      this.skipping = false;
      return;
    }
    const length = held + at - from;
    if (length > LINE_BYTES_MAX) {
      this.discard(chunk, from, at + 1, sink);
      return;
    }
    if (held === 0) {
      onLine(chunk, from, at, length + 1);
      return;
    }
    pending.set(chunk.subarray(from, at), held);
    stats.pendingBytes = 0;
    onLine(pending, 0, length, length + 1);
  }

  private keep(chunk: Uint8Array, from: number, sink: FrameSink): void {
    const { stats, pending } = this;
    const length = stats.pendingBytes + chunk.length - from;
    if (this.skipping) {
      addGarbage(stats, chunk, from, chunk.length);
    } else if (length > LINE_BYTES_MAX) {
      this.discard(chunk, from, chunk.length, sink);
      this.skipping = true;
    } else if (length > stats.pendingBytes) {
      pending.set(chunk.subarray(from), stats.pendingBytes);
      stats.pendingBytes = length;
    }
  }

  private discard(chunk: Uint8Array, from: number, to: number, sink: FrameSink): void {
    const { stats, pending } = this;
    const held = stats.pendingBytes;
    stats.pendingBytes = 0;
    addGarbage(stats, pending, 0, held);
    addGarbage(stats, chunk, from, to);
    this.counters.add('line_too_long' satisfies ParserReason);
    sink.rejected?.('line_too_long');
  }
}
