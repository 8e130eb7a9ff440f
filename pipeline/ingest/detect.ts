// Detects Beast, AVR or CSV from the first bytes of a file or connection, and parses from there on.
//
// The first unambiguous pattern decides, so detection also works in the middle of a stream:
//   Beast: 0x1a and a Beast message type; binary bytes may precede it
//   AVR:   a start character, only hex digits and blanks, then `;`
//   CSV:   a line with a decimal number, a comma and hex digits; or the header line `t,hex`
import { limits } from '../../schemas/limits/index.ts';
import type { Counters } from '../runtime/counters.ts';
import { AvrParser, avrPrefixBytes } from './avr.ts';
import { BEAST_ESCAPE, BeastParser, type BeastParserOptions } from './beast.ts';
import { CsvParser } from './csv.ts';
import {
  addGarbage,
  createParserStats,
  type FrameFormat,
  type FrameParser,
  type FrameSink,
  type ParserReason,
  type ParserStats,
} from './frame-parser.ts';
import { HEX_BLANK, HEX_OTHER, hexValues, isBlank } from './hex.ts';

const BEAST_TYPES = new Set([0x31, 0x32, 0x33, 0x34, 0x35, 0x50, 0x57, 0xe3, 0xe4, 0xe8]);
const SEMICOLON = 0x3b;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
/** Digits of a Mode A/C reply, the shortest message. */
const AVR_DIGITS = 4;
const CSV_HEADER = 't,hex';

/** Format of `bytes[0..length)`; null if they do not show it. `whole`: the input ends here, so the last line needs no terminator. */
export function detectFormat(bytes: Uint8Array, length: number, whole: boolean): FrameFormat | null {
  if (isCsvHeader(bytes, length)) return 'csv';
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at]!;
    if (byte === BEAST_ESCAPE) {
      if (at + 1 < length && BEAST_TYPES.has(bytes[at + 1]!) && bytes[at - 1] !== BEAST_ESCAPE) return 'beast';
      continue;
    }
    if (avrPrefixBytes(byte) !== undefined && isAvrMessage(bytes, at + 1, length)) return 'avr';
    const lineStarts = at === 0 || bytes[at - 1] === NEWLINE;
    if (lineStarts && isCsvLine(bytes, at, length, whole)) return 'csv';
  }
  return null;
}

function isCsvHeader(bytes: Uint8Array, length: number): boolean {
  for (let i = 0; i < CSV_HEADER.length; i += 1) {
    if (i >= length || bytes[i] !== CSV_HEADER.charCodeAt(i)) return false;
  }
  return true;
}

function isAvrMessage(bytes: Uint8Array, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at += 1) {
    const value = hexValues[bytes[at]!]!;
    if (bytes[at] === SEMICOLON) return digits >= AVR_DIGITS;
    if (value === HEX_OTHER) return false;
    if (value !== HEX_BLANK) digits += 1;
  }
  return false;
}

/** Number, comma, at least one hex digit, then a comma or the end of the line. */
function isCsvLine(bytes: Uint8Array, from: number, to: number, whole: boolean): boolean {
  let at = from;
  while (at < to && (isBlank(bytes[at]!) || isDecimal(bytes[at]!) || bytes[at]! >= 0x80)) {
    // Only a byte order mark may precede the first digit.
    if (bytes[at]! >= 0x80 && at > 2) return false;
    at += 1;
  }
  if (at === from || at >= to || bytes[at] !== COMMA) return false;
  const hexFrom = at + 1;
  at = hexFrom;
  while (at < to && hexValues[bytes[at]!]! !== HEX_OTHER) at += 1;
  if (at >= to) return whole && at > hexFrom;
  return at > hexFrom && (bytes[at] === COMMA || bytes[at] === NEWLINE);
}

function isDecimal(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e;
}

interface DetectingParserOptions extends BeastParserOptions {
  readonly counters: Counters;
  /** Formats the input may have. A connection may not be CSV: a feeder's frames get the time of their arrival. */
  readonly formats: readonly FrameFormat[];
  /** Format assumed when `limits.detectBytesMax` bytes did not show one; null rejects everything as `bad_format`. */
  readonly fallback: FrameFormat | null;
}

/** Creates the parser for a known format. */
export function createParser(format: FrameFormat, options: BeastParserOptions): FrameParser {
  if (format === 'beast') return new BeastParser(options);
  return format === 'avr' ? new AvrParser(options.counters) : new CsvParser(options.counters);
}

/** A parser that detects the format first. Until then it keeps at most `limits.detectBytesMax` bytes. */
export class DetectingParser implements FrameParser {
  private parser: FrameParser | null = null;
  private unknown = false;
  private firstReceiver = 0;
  private readonly head = Buffer.alloc(limits.detectBytesMax);
  private readonly headStats: ParserStats = createParserStats();
  private readonly options: DetectingParserOptions;

  constructor(options: DetectingParserOptions) {
    this.options = options;
  }

  get format(): FrameFormat | null {
    return this.parser?.format ?? null;
  }

  get stats(): ParserStats {
    return this.parser?.stats ?? this.headStats;
  }

  get receiver(): number {
    return this.parser?.receiver ?? this.firstReceiver;
  }

  set receiver(value: number) {
    this.firstReceiver = value;
    if (this.parser !== null) this.parser.receiver = value;
  }

  push(chunk: Uint8Array, timeUs: number, sink: FrameSink): void {
    if (this.parser !== null) {
      this.parser.push(chunk, timeUs, sink);
      return;
    }
    const { headStats, head } = this;
    if (this.unknown) {
      headStats.bytes += chunk.length;
      headStats.sampleBytes = 0;
      addGarbage(headStats, chunk, 0, chunk.length);
      return;
    }
    const takenBytes = Math.min(chunk.length, head.length - headStats.pendingBytes);
    head.set(takenBytes === chunk.length ? chunk : chunk.subarray(0, takenBytes), headStats.pendingBytes);
    headStats.pendingBytes += takenBytes;
    headStats.bytes += takenBytes;
    this.decide(timeUs, sink, false);
    if (takenBytes < chunk.length) this.push(chunk.subarray(takenBytes), timeUs, sink);
  }

  end(sink: FrameSink): void {
    if (this.parser === null && this.headStats.pendingBytes > 0) this.decide(0, sink, true);
    this.parser?.end(sink);
  }

  private decide(timeUs: number, sink: FrameSink, whole: boolean): void {
    const { headStats, head, options } = this;
    const length = headStats.pendingBytes;
    const over = whole || length === head.length;
    const found = detectFormat(head, length, whole);
    const format = found !== null && options.formats.includes(found) ? found : over ? options.fallback : null;
    if (format === null) {
      if (over) this.giveUp(sink);
      return;
    }
    this.parser = createParser(format, options);
    this.parser.receiver = this.firstReceiver;
    this.parser.push(head.subarray(0, length), timeUs, sink);
  }

  private giveUp(sink: FrameSink): void {
    const { headStats, head, options } = this;
    this.unknown = true;
    addGarbage(headStats, head, 0, headStats.pendingBytes);
    headStats.pendingBytes = 0;
    options.counters.add('bad_format' satisfies ParserReason);
    sink.rejected?.('bad_format');
  }
}
