// Reads the rows of PositionBatch values into numbers, without an object per row. Values of other versions of the schema are converted first.
import { type PositionBatch, positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { AvroReader } from '../avro/reader.ts';
import { avroType } from '../log/avro.ts';
import type { TopicCodec } from '../log/codec.ts';
import { hexKeyBefore } from '../view/hex-key.ts';

/** Numbers of a row, in this order. `callsign` is where its text begins in `texts`, and is followed by its length. */
export const positionNumbers = [
  'key',
  'timeUs',
  'latitudeMicrodeg',
  'longitudeMicrodeg',
  'onGround',
  'altitudeBaroFt',
  'altitudeGeomFt',
  'groundSpeedDeciKt',
  'trackCentideg',
  'baroRateFpm',
  'source',
  'nic',
  'rcM',
  'frameOffset',
  'frameIndex',
  'callsign',
  'callsignLength',
  'squawk',
  'rssiDeciDbfs',
] as const;
export type PositionNumber = (typeof positionNumbers)[number];

export const POSITION_STRIDE = positionNumbers.length;
/** An unknown value. Outside the range of Avro's int. */
export const ABSENT_NUMBER = -(2 ** 40);

const FIRST_ROWS = 1024;
const FIRST_OPTIONAL = 5;
const LAST_OPTIONAL = 9;
const batchType = avroType(positionBatchSchema);

/** Rows as POSITION_STRIDE numbers each, and the bytes of their texts. */
export interface NumberedRows {
  readonly numbers: Float64Array;
  readonly texts: Uint8Array;
}

export class PositionReader implements NumberedRows {
  /** Valid until the next value is read. */
  numbers = new Float64Array(FIRST_ROWS * POSITION_STRIDE);
  texts: Uint8Array = new Uint8Array(0);
  private rows = 0;
  private readonly codec: TopicCodec<PositionBatch>;
  private readonly avro = new AvroReader();

  constructor(codec: TopicCodec<PositionBatch>) {
    this.codec = codec;
  }

  /** Reads a value and returns its number of rows. Errors: those of `decode`, for a value that is not a PositionBatch. */
  read(value: Uint8Array): number {
    const start = this.codec.bodyStart(value);
    if (start >= 0 && this.readBody(value, start)) return this.rows;
    if (!this.readBody(batchType.toBuffer(this.codec.decode(value)), 0)) throw new RangeError('a position has an invalid address');
    return this.rows;
  }

  private readBody(value: Uint8Array, start: number): boolean {
    const { avro } = this;
    this.rows = 0;
    this.texts = value;
    avro.start(value, start);
    this.grow(1);
    // The tick, which the record has as its timestamp.
    avro.long(this.numbers, 0);
    for (let count = avro.int(); count !== 0 && !avro.hasFailed(); count = avro.int()) {
      // A negative count is followed by the size in bytes: allowed by Avro, not written by us.
      if (count < 0) return false;
      for (let i = 0; i < count && !avro.hasFailed(); i += 1) if (!this.readRow()) return false;
    }
    return avro.isWhole();
  }

  /** Fields in the order of the schema (schemas/avro/position-batch.ts). */
  private readRow(): boolean {
    this.grow(this.rows + 1);
    const { avro, numbers } = this;
    const at = this.rows * POSITION_STRIDE;
    const length = avro.skip();
    const key = hexKeyBefore(avro.bytes, avro.at, length);
    if (key < 0) return false;
    numbers[at] = key;
    avro.long(numbers, at + 1);
    numbers[at + 2] = avro.int();
    numbers[at + 3] = avro.int();
    numbers[at + 4] = avro.boolean() ? 1 : 0;
    for (let i = FIRST_OPTIONAL; i <= LAST_OPTIONAL; i += 1) numbers[at + i] = avro.isPresent() ? avro.int() : ABSENT_NUMBER;
    numbers[at + 10] = avro.int();
    numbers[at + 11] = avro.int();
    numbers[at + 12] = avro.int();
    avro.long(numbers, at + 13);
    numbers[at + 14] = avro.int();
    const textLength = avro.isPresent() ? avro.skip() : ABSENT_NUMBER;
    numbers[at + 15] = avro.at - textLength;
    numbers[at + 16] = textLength;
    numbers[at + 17] = avro.isPresent() ? avro.int() : ABSENT_NUMBER;
    numbers[at + 18] = avro.isPresent() ? avro.int() : ABSENT_NUMBER;
    this.rows += 1;
    return true;
  }

  private grow(rows: number): void {
    if (rows * POSITION_STRIDE <= this.numbers.length) return;
    const larger = new Float64Array(2 * this.numbers.length);
    larger.set(this.numbers);
    this.numbers = larger;
  }
}
