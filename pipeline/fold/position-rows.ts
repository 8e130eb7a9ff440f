// Positions accepted since the last tick, as columns: adding one allocates nothing. They are part of the fold's state.

import { limits } from '../../schemas/limits/index.ts';
import type { AvroWriter } from '../avro/writer.ts';
import { ABSENT } from '../decode/message.ts';
import { fieldValue, isValid } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import {
  B_KIND,
  B_RELIABLE_NIC,
  B_SIGNAL_COUNT,
  F_ALTITUDE_BARO,
  F_ALTITUDE_GEOM,
  F_BARO_RATE,
  F_CALLSIGN,
  F_GROUND_SPEED,
  F_RELIABLE,
  F_SQUAWK,
  F_TRACK,
  W_KEY,
  W_SIGNALS,
  X_FLIGHT,
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
} from './layout.ts';
import { isOnGround } from './position.ts';
import { deciDbfsOf, powerOf } from './signal.ts';
import { writeHex } from './state-writer.ts';

/** Numbers per row that need 64 bits: time and offset. */
export const ROW_LONGS = 2;
/** Numbers per row of 32 bits, in the order of `add`: they fill a line of the processor's cache. */
export const ROW_WORDS = 16;
const FIRST_ROWS = 256;
/** Upper bound of a row: an address, two longs of 64 bits, fourteen ints of 32 with seven branches, a call sign. */
const ROW_BYTES_MAX = 128;
const HEAD_BYTES_MAX = 32;

export class PositionRows {
  longs = new Float64Array(FIRST_ROWS * ROW_LONGS);
  words = new Int32Array(FIRST_ROWS * ROW_WORDS);
  count = 0;
  /** Rows without room since the log began: only when event time stands still for very long. */
  dropped = 0;
  /** Zero of `sinceBaseUs` of `add`. */
  baseTimeUs = 0;

  /** Adds the aircraft's new reliable position, with the other values that are valid now. */
  add(aircraft: Aircraft, sinceBaseUs: number, frameOffset: number, frameIndex: number): void {
    const { count } = this;
    if (count >= limits.positionRowsPendingMax) {
      this.dropped += 1;
      return;
    }
    if (count * ROW_LONGS === this.longs.length) this.resize(2 * count);
    this.count += 1;
    const { longs, words } = this;
    longs[count * ROW_LONGS] = this.baseTimeUs + sinceBaseUs;
    longs[count * ROW_LONGS + 1] = frameOffset;
    const at = count * ROW_WORDS;
    const { words: values, at: from, bytes, byte } = aircraft;
    words[at] = values[from + W_KEY]!;
    words[at + 1] = fieldValue(aircraft, F_RELIABLE);
    words[at + 2] = values[from + X_RELIABLE_LONGITUDE]!;
    words[at + 3] = isAltitudeReliable(aircraft) ? fieldValue(aircraft, F_ALTITUDE_BARO) : ABSENT;
    words[at + 4] = validValue(aircraft, F_ALTITUDE_GEOM);
    words[at + 5] = validValue(aircraft, F_GROUND_SPEED);
    words[at + 6] = validValue(aircraft, F_TRACK);
    words[at + 7] = validValue(aircraft, F_BARO_RATE);
    words[at + 8] = values[from + X_RELIABLE_RC]!;
    words[at + 9] = frameIndex;
    words[at + 10] = packBytes(isOnGround(aircraft), bytes[byte + B_KIND]!, bytes[byte + B_RELIABLE_NIC]!, bytes[byte + B_SIGNAL_COUNT]!);
    // Characters and levels as words: a text or a mean is made when the row is written.
    const called = isValid(aircraft, F_CALLSIGN);
    words[at + 11] = called ? values[from + X_FLIGHT]! : ABSENT;
    words[at + 12] = called ? values[from + X_FLIGHT + 1]! : ABSENT;
    words[at + 13] = validValue(aircraft, F_SQUAWK);
    words[at + 14] = values[from + W_SIGNALS]!;
    words[at + 15] = values[from + W_SIGNALS + 1]!;
  }

  /** Writes rows `from` to `to` (exclusive) as the body of a PositionBatch. A tick has up to a million, so no objects are made. */
  write(writer: AvroWriter, tickMs: number, from: number, to: number): void {
    writer.reserve(HEAD_BYTES_MAX);
    writer.long(tickMs);
    if (to > from) writer.long(to - from);
    for (let i = from; i < to; i += 1) {
      writer.reserve(ROW_BYTES_MAX);
      this.writeRow(writer, i);
    }
    writer.reserve(HEAD_BYTES_MAX);
    writer.long(0);
  }

  clear(): void {
    this.count = 0;
  }

  /** Fields in the order of the schema (schemas/avro/position-batch.ts). */
  private writeRow(writer: AvroWriter, row: number): void {
    const { longs, words } = this;
    const at = row * ROW_WORDS;
    const packed = words[at + 10]!;
    writeHex(writer, words[at]!);
    writer.long(longs[row * ROW_LONGS]!);
    writer.int(words[at + 1]!);
    writer.int(words[at + 2]!);
    writer.byte(packed >> 24);
    for (let i = 3; i <= 7; i += 1) writer.optionalInt(words[at + i]!, ABSENT);
    writer.int((packed >> 16) & 0xff);
    writer.int((packed >> 8) & 0xff);
    writer.int(words[at + 8]!);
    writer.long(longs[row * ROW_LONGS + 1]!);
    writer.int(words[at + 9]!);
    writeCallSign(writer, words[at + 11]!, words[at + 12]!);
    writer.optionalInt(words[at + 13]!, ABSENT);
    writer.optionalInt(this.signalLevel(at), ABSENT);
  }

  /** Tenths of dBFS; ABSENT when it is unknown. */
  private signalLevel(at: number): number {
    const { words } = this;
    const power = powerOf(words[at + 14]!, words[at + 15]!, words[at + 10]! & 0xff);
    return power === 0 ? ABSENT : deciDbfsOf(power);
  }

  /** Makes room for as many rows, and keeps those it has. */
  private resize(rows: number): void {
    const { longs, words } = this;
    this.longs = new Float64Array(rows * ROW_LONGS);
    this.words = new Int32Array(rows * ROW_WORDS);
    this.longs.set(longs);
    this.words.set(words);
  }

  /** Rows of a snapshot. */
  static fromNumbers(longs: readonly number[], words: readonly number[]): PositionRows {
    const rows = new PositionRows();
    const count = longs.length / ROW_LONGS;
    rows.resize(Math.max(FIRST_ROWS, 2 * count));
    rows.count = count;
    rows.longs.set(longs);
    rows.words.set(words);
    return rows;
  }
}

/** Ground, kind, NIC and the number of signal levels in one word. */
function packBytes(onGround: boolean, kind: number, nic: number, signals: number): number {
  return ((onGround ? 1 : 0) << 24) | (kind << 16) | (nic << 8) | signals;
}

function validValue(aircraft: Aircraft, field: number): number {
  return isValid(aircraft, field) ? fieldValue(aircraft, field) : ABSENT;
}

const BLANK = 0x20;
const CHARACTERS = 8;

/** The character at `i` of the eight in two words. */
function characterAt(first: number, second: number, i: number): number {
  return ((i < 4 ? first : second) >> (8 * (i & 3))) & 0x7f;
}

/** A nullable Avro string without the blanks around the call sign; null when it has nothing else. */
function writeCallSign(writer: AvroWriter, first: number, second: number): void {
  let from = 0;
  let to = first === ABSENT ? 0 : CHARACTERS;
  while (to > from && characterAt(first, second, to - 1) === BLANK) to -= 1;
  while (from < to && characterAt(first, second, from) === BLANK) from += 1;
  writer.isNull(from === to);
  if (from === to) return;
  writer.int(to - from);
  for (let i = from; i < to; i += 1) writer.byte(characterAt(first, second, i));
}
