// AVR parser: frames as text, the "raw" format of dump1090 and readsb. A message ends with `;`.
//
//   *HEX;          frame                                    :HEX; means the same
//   @TTTTTTTTTTTTHEX;   12 digits of 12 MHz counter, frame  %…; means the same
//   <TTTTTTTTTTTTSSHEX; counter, 2 digits of signal level as in Beast, frame
//
// HEX has 14 or 28 digits; 4 digits are a Mode A/C reply, counted `mode_ac`. Digits may be upper or lower case. Blanks, CR and LF may stand between
// messages, and blanks inside them. Every non-empty piece between two terminators (`;` or LF) is a row: a frame, or a rejection with its reason.
import { createReceivedFrame, FLAG_MLAT, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';
import { BEAST_MLAT_COUNTER } from './beast.ts';
import { addGarbage, addStrayBytes, type FrameSink, type ParserReason } from './frame-parser.ts';
import { isBlank, readHex } from './hex.ts';
import { LineParser } from './line-parser.ts';

const COUNTER_BYTES = 6;
const SIGNAL_BYTES = 1;
const LONG_BYTES = 14;

/** Bytes before the frame, by the start character of a message; undefined for other characters. */
export function avrPrefixBytes(start: number): number | undefined {
  switch (start) {
    case 0x2a: // *
    case 0x3a: // :
      return 0;
    case 0x40: // @
    case 0x25: // %
      return COUNTER_BYTES;
    case 0x3c: // <
      return COUNTER_BYTES + SIGNAL_BYTES;
    default:
      return undefined;
  }
}

export class AvrParser extends LineParser {
  readonly format = 'avr';
  private readonly body = new Uint8Array(COUNTER_BYTES + SIGNAL_BYTES + LONG_BYTES);
  private readonly received: ReceivedFrame = createReceivedFrame(this.body, 0);

  constructor(counters: Counters) {
    super(counters, ';\n');
  }

  override push(chunk: Uint8Array, timeUs: number, sink: FrameSink): void {
    this.received.timeUs = timeUs;
    super.push(chunk, timeUs, sink);
  }

  protected override lastRow(bytes: Uint8Array, length: number): void {
    const start = skipBlanks(bytes, 0, length);
    this.stats.otherBytes += start;
    if (start < length) this.reject('truncated', bytes, start, length, 0);
  }

  protected row(bytes: Uint8Array, from: number, to: number, raw: number): void {
    const { stats } = this;
    const text = skipBlanks(bytes, from, to);
    if (text === to) {
      stats.otherBytes += raw;
      return;
    }
    const terminators = raw - (to - from);
    // The message begins at the last start character; earlier bytes are the tail of another message.
    let start = to - 1;
    while (start >= text && avrPrefixBytes(bytes[start]!) === undefined) start -= 1;
    stats.otherBytes += text - from;
    if (start < text) {
      this.reject('bad_format', bytes, text, to, terminators);
      return;
    }
    addStrayBytes(stats, this.counters, bytes, text, start);
    this.message(bytes, start, to, terminators);
  }

  private message(bytes: Uint8Array, start: number, to: number, terminators: number): void {
    const { body, received, stats } = this;
    const prefix = avrPrefixBytes(bytes[start]!)!;
    const digits = readHex(bytes, start + 1, to, body);
    if (digits < 0) {
      this.reject('bad_hex', bytes, start, to, terminators);
      return;
    }
    const frameDigits = digits - 2 * prefix;
    if (frameDigits === 4) {
      this.counters.add('mode_ac' satisfies ParserReason);
      stats.otherBytes += to - start + terminators;
      this.sink.rejected?.('mode_ac');
      return;
    }
    if (frameDigits !== 14 && frameDigits !== 28) {
      this.reject('bad_length', bytes, start, to, terminators);
      return;
    }
    received.byteLength = frameDigits === 28 ? 14 : 7;
    received.at = prefix;
    received.receiver = this.receiver;
    const counter = prefix === 0 ? 0 : readCounter(body);
    received.flags = counter === BEAST_MLAT_COUNTER ? FLAG_MLAT : 0;
    received.counter = counter === BEAST_MLAT_COUNTER ? 0 : counter;
    received.signal = prefix > COUNTER_BYTES ? body[COUNTER_BYTES]! : 0;
    stats.frames += 1;
    stats.frameBytes += to - start + terminators;
    this.sink.frame(received);
  }

  private reject(reason: ParserReason, bytes: Uint8Array, from: number, to: number, terminators: number): void {
    addGarbage(this.stats, bytes, from, to);
    this.stats.otherBytes += terminators;
    this.counters.add(reason);
    this.sink.rejected?.(reason);
  }
}

/** 48 bits, big-endian. */
function readCounter(body: Uint8Array): number {
  const low = ((body[2]! << 24) | (body[3]! << 16) | (body[4]! << 8) | body[5]!) >>> 0;
  return ((body[0]! << 8) | body[1]!) * 0x1_0000_0000 + low;
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at]!)) at += 1;
  return at;
}
