// Positions accepted since the last tick, as columns: adding one allocates nothing. They are part of the fold's state.

import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { limits } from '../../schemas/limits.ts';
import type { AvroWriter } from '../avro/writer.ts';
import { ABSENT } from '../decode/message.ts';
import { fieldValue, isValid } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import {
  B_KIND,
  B_RELIABLE_NIC,
  F_ALTITUDE_BARO,
  F_ALTITUDE_GEOM,
  F_BARO_RATE,
  F_CALLSIGN,
  F_GROUND_SPEED,
  F_RELIABLE,
  F_SQUAWK,
  F_TRACK,
  W_KEY,
  X_FLIGHT,
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
} from './layout.ts';
import { isOnGround } from './position.ts';
import { deciDbfsOf, signalPower } from './signal.ts';
import { hexOf } from './state.ts';
import { writeHex } from './state-writer.ts';

/** Numbers per row, in the order of `add`. */
export const ROW_NUMBERS = 19;
/** Numbers per row in fold versions 1 and 2: without call sign, squawk and signal power. */
export const ROW_NUMBERS_BEFORE = 15;
/** Those numbers when they are unknown. */
const UNKNOWN_NUMBERS = [ABSENT, ABSENT, ABSENT, 0];
const FIRST_ROWS = 256;
/** Upper bound of a row: an address, two longs of 64 bits, fourteen ints of 32 with seven branches, a call sign. */
const ROW_BYTES_MAX = 128;
const HEAD_BYTES_MAX = 32;

export class PositionRows {
  numbers = new Float64Array(FIRST_ROWS * ROW_NUMBERS);
  count = 0;
  /** Rows without room since the log began: only when event time stands still for very long. */
  dropped = 0;
  /** Zero of `sinceBaseUs` of `add`. */
  baseTimeUs = 0;

  /** Adds the aircraft's new reliable position, with the other values that are valid now. */
  add(aircraft: Aircraft, sinceBaseUs: number, frameOffset: number, frameIndex: number): void {
    if (this.count >= limits.positionRowsPendingMax) {
      this.dropped += 1;
      return;
    }
    const at = this.count * ROW_NUMBERS;
    if (at + ROW_NUMBERS > this.numbers.length) this.grow();
    const { numbers } = this;
    numbers[at] = aircraft.words[aircraft.at + W_KEY]!;
    numbers[at + 1] = this.baseTimeUs + sinceBaseUs;
    numbers[at + 2] = fieldValue(aircraft, F_RELIABLE);
    numbers[at + 3] = aircraft.words[aircraft.at + X_RELIABLE_LONGITUDE]!;
    numbers[at + 4] = isOnGround(aircraft) ? 1 : 0;
    numbers[at + 5] = isAltitudeReliable(aircraft) ? fieldValue(aircraft, F_ALTITUDE_BARO) : ABSENT;
    numbers[at + 6] = validValue(aircraft, F_ALTITUDE_GEOM);
    numbers[at + 7] = validValue(aircraft, F_GROUND_SPEED);
    numbers[at + 8] = validValue(aircraft, F_TRACK);
    numbers[at + 9] = validValue(aircraft, F_BARO_RATE);
    numbers[at + 10] = aircraft.bytes[aircraft.byte + B_KIND]!;
    numbers[at + 11] = aircraft.bytes[aircraft.byte + B_RELIABLE_NIC]!;
    numbers[at + 12] = aircraft.words[aircraft.at + X_RELIABLE_RC]!;
    numbers[at + 13] = frameOffset;
    numbers[at + 14] = frameIndex;
    // The eight characters as two words: a text would be an object.
    const called = isValid(aircraft, F_CALLSIGN);
    numbers[at + 15] = called ? aircraft.words[aircraft.at + X_FLIGHT]! : ABSENT;
    numbers[at + 16] = called ? aircraft.words[aircraft.at + X_FLIGHT + 1]! : ABSENT;
    numbers[at + 17] = validValue(aircraft, F_SQUAWK);
    numbers[at + 18] = signalPower(aircraft);
    this.count += 1;
  }

  /** The rows in order of acceptance, as objects. */
  build(): PositionRow[] {
    return Array.from({ length: this.count }, (_, i) => this.row(i * ROW_NUMBERS));
  }

  /** Writes rows `from` to `to` (exclusive) as the body of a PositionBatch. A tick has up to a million, so no objects are made. */
  write(writer: AvroWriter, tickMs: number, from: number, to: number): void {
    writer.reserve(HEAD_BYTES_MAX);
    writer.long(tickMs);
    if (to > from) writer.long(to - from);
    for (let i = from; i < to; i += 1) {
      writer.reserve(ROW_BYTES_MAX);
      this.writeRow(writer, i * ROW_NUMBERS);
    }
    writer.reserve(HEAD_BYTES_MAX);
    writer.long(0);
  }

  clear(): void {
    this.count = 0;
  }

  /** Fields in the order of the schema (schemas/avro/position-batch.ts). */
  private writeRow(writer: AvroWriter, at: number): void {
    const { numbers } = this;
    writeHex(writer, numbers[at]!);
    writer.long(numbers[at + 1]!);
    writer.int(numbers[at + 2]!);
    writer.int(numbers[at + 3]!);
    writer.byte(numbers[at + 4]!);
    for (let i = 5; i <= 9; i += 1) writer.optionalInt(numbers[at + i]!, ABSENT);
    for (let i = 10; i <= 12; i += 1) writer.int(numbers[at + i]!);
    writer.long(numbers[at + 13]!);
    writer.int(numbers[at + 14]!);
    writeCallSign(writer, numbers[at + 15]!, numbers[at + 16]!);
    writer.optionalInt(numbers[at + 17]!, ABSENT);
    const power = numbers[at + 18]!;
    writer.optionalInt(power === 0 ? ABSENT : deciDbfsOf(power), ABSENT);
  }

  private row(at: number): PositionRow {
    const { numbers } = this;
    const optional = (i: number): number | null => (numbers[at + i] === ABSENT ? null : numbers[at + i]!);
    return {
      hex: hexOf(numbers[at]!),
      timeUs: numbers[at + 1]!,
      latitudeMicrodeg: numbers[at + 2]!,
      longitudeMicrodeg: numbers[at + 3]!,
      onGround: numbers[at + 4] === 1,
      altitudeBaroFt: optional(5),
      altitudeGeomFt: optional(6),
      groundSpeedDeciKt: optional(7),
      trackCentideg: optional(8),
      baroRateFpm: optional(9),
      source: numbers[at + 10]!,
      nic: numbers[at + 11]!,
      rcM: numbers[at + 12]!,
      frameOffset: numbers[at + 13]!,
      frameIndex: numbers[at + 14]!,
      callsign: callSignOf(numbers[at + 15]!, numbers[at + 16]!),
      squawk: optional(17),
      rssiDeciDbfs: numbers[at + 18] === 0 ? null : deciDbfsOf(numbers[at + 18]!),
    };
  }

  /** Rows of a snapshot, of `stride` numbers each. In rows of older versions, call sign, squawk and signal level are unknown. */
  static of(numbers: readonly number[], stride: number): PositionRows {
    const rows = new PositionRows();
    rows.count = numbers.length / stride;
    rows.numbers = new Float64Array(Math.max(rows.numbers.length, 2 * rows.count * ROW_NUMBERS));
    for (let i = 0; i < rows.count; i += 1) {
      const row = [...numbers.slice(i * stride, (i + 1) * stride), ...UNKNOWN_NUMBERS.slice(stride - ROW_NUMBERS_BEFORE)];
      rows.numbers.set(row, i * ROW_NUMBERS);
    }
    return rows;
  }

  private grow(): void {
    const numbers = new Float64Array(2 * this.numbers.length);
    numbers.set(this.numbers);
    this.numbers = numbers;
  }
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

function callSignOf(first: number, second: number): string | null {
  if (first === ABSENT) return null;
  const text = String.fromCharCode(...Array.from({ length: CHARACTERS }, (_, i) => characterAt(first, second, i))).trim();
  return text === '' ? null : text;
}
