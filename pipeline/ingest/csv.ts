// CSV parser: `t,hex` lines. t is decimal seconds since the Unix epoch; hex has 14 or 28 digits. Further columns are ignored.
// A first line that does not begin with a digit is a header. Every other non-empty line is a row: a frame, or a rejection with its reason.
// Times are exact: digits are read one by one into whole microseconds, and digits after the sixth decimal are cut off.
import { createReceivedFrame, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';
import { addGarbage, type ParserReason } from './frame-parser.ts';
import { isBlank, readHex } from './hex.ts';
import { LineParser } from './line-parser.ts';

const COMMA = 0x2c;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const DECIMALS = 6;

export class CsvParser extends LineParser {
  readonly format = 'csv';
  private readonly body = new Uint8Array(14);
  private readonly received: ReceivedFrame = createReceivedFrame(this.body, 0);
  private headerPossible = true;

  constructor(counters: Counters) {
    super(counters, '\n');
  }

  protected row(bytes: Uint8Array, lineFrom: number, to: number, raw: number): void {
    const { stats, received } = this;
    let from = this.headerPossible && hasByteOrderMark(bytes, lineFrom) ? lineFrom + 3 : lineFrom;
    while (from < to && isBlank(bytes[from]!)) from += 1;
    const header = this.headerPossible && from < to && !isDigit(bytes[from]!) && bytes[from] !== POINT;
    if (from === to || header) {
      if (header) this.headerPossible = false;
      stats.otherBytes += raw;
      return;
    }
    this.headerPossible = false;
    const comma = fieldEnd(bytes, from, to);
    const hexEnd = fieldEnd(bytes, comma + 1, to);
    const timeUs = readTimeUs(bytes, from, comma);
    const digits = comma < to ? readHex(bytes, comma + 1, hexEnd, this.body) : -1;
    const reason = rowReason(comma < to, timeUs, digits);
    if (reason !== null) {
      addGarbage(stats, bytes, lineFrom, to);
      stats.otherBytes += raw - (to - lineFrom);
      this.counters.add(reason);
      this.sink.rejected?.(reason);
      return;
    }
    received.timeUs = timeUs;
    received.receiver = this.receiver;
    received.byteLength = digits === 28 ? 14 : 7;
    stats.frames += 1;
    stats.frameBytes += raw;
    this.sink.frame(received);
  }
}

function rowReason(hasComma: boolean, timeUs: number, digits: number): ParserReason | null {
  if (!hasComma) return 'bad_format';
  if (timeUs < 0) return 'bad_time';
  if (digits < 0) return 'bad_hex';
  return digits === 14 || digits === 28 ? null : 'bad_length';
}

function fieldEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== COMMA) at += 1;
  return Math.min(at, to);
}

/** Decimal seconds as whole microseconds; -1 if the text is not a time. Uses no fractions, so .808609 stays 808609. */
export function readTimeUs(bytes: Uint8Array, from: number, to: number): number {
  let timeUs = 0;
  let digits = 0;
  let decimals = -1;
  let last = to;
  while (last > from && isBlank(bytes[last - 1]!)) last -= 1;
  for (let at = from; at < last; at += 1) {
    const byte = bytes[at]!;
    if (byte === POINT && decimals < 0) {
      decimals = 0;
    } else if (isDigit(byte)) {
      digits += 1;
      if (decimals >= DECIMALS) continue;
      timeUs = timeUs * 10 + byte - DIGIT_0;
      if (decimals >= 0) decimals += 1;
    } else {
      return -1;
    }
  }
  for (let missing = Math.max(decimals, 0); missing < DECIMALS; missing += 1) timeUs *= 10;
  return digits > 0 && timeUs <= Number.MAX_SAFE_INTEGER ? timeUs : -1;
}

function hasByteOrderMark(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

function isDigit(byte: number): boolean {
  return byte >= DIGIT_0 && byte <= DIGIT_9;
}
