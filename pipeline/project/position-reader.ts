// Reads the rows of PositionBatch values into numbers, without an object per row. Values of other versions of the schema are read as objects.
import type { PositionBatch, PositionRow } from '../../schemas/avro/position-batch.ts';
import { AvroReader } from '../avro/reader.ts';
import type { TopicCodec } from '../log/codec.ts';
import { hexKey, hexKeyBefore } from '../view/hex-key.ts';

/** Numbers of a row, in this order. */
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
] as const;
export type PositionNumber = (typeof positionNumbers)[number];

export const POSITION_STRIDE = positionNumbers.length;
/** An unknown value. Outside the range of Avro's int. */
export const ABSENT_NUMBER = -(2 ** 40);

const FIRST_ROWS = 1024;
const FIRST_OPTIONAL = 5;
const LAST_OPTIONAL = 9;

export class PositionReader {
  /** POSITION_STRIDE numbers per row; valid until the next value is read. */
  numbers = new Float64Array(FIRST_ROWS * POSITION_STRIDE);
  private rows = 0;
  private readonly codec: TopicCodec<PositionBatch>;
  private readonly avro = new AvroReader();

  constructor(codec: TopicCodec<PositionBatch>) {
    this.codec = codec;
  }

  /** Reads a value and returns its number of rows. Errors: those of `decode`, for a value that is not a PositionBatch. */
  read(value: Uint8Array): number {
    const start = this.codec.bodyStart(value);
    this.rows = 0;
    if (start >= 0 && this.readBody(value, start)) return this.rows;
    this.rows = 0;
    for (const row of this.codec.decode(value).rows) this.takeRow(row);
    return this.rows;
  }

  private readBody(value: Uint8Array, start: number): boolean {
    const { avro } = this;
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
    this.rows += 1;
    return true;
  }

  private takeRow(row: PositionRow): void {
    this.grow(this.rows + 1);
    const at = this.rows * POSITION_STRIDE;
    positionNumbers.forEach((name, i) => {
      this.numbers[at + i] = name === 'key' ? hexKey(row.hex) : Number(row[name] ?? ABSENT_NUMBER);
    });
    this.rows += 1;
  }

  private grow(rows: number): void {
    if (rows * POSITION_STRIDE <= this.numbers.length) return;
    const larger = new Float64Array(2 * this.numbers.length);
    larger.set(this.numbers);
    this.numbers = larger;
  }
}
