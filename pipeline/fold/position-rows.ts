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
  F_GROUND_SPEED,
  F_RELIABLE,
  F_TRACK,
  W_KEY,
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
} from './layout.ts';
import { isOnGround } from './position.ts';
import { hexOf } from './state.ts';
import { writeHex } from './state-writer.ts';

/** Numbers per row, in the order of `add`. */
export const ROW_NUMBERS = 15;
const FIRST_ROWS = 256;
/** Upper bound of a row: an address, two longs of 64 bits, twelve ints of 32. */
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
    };
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
