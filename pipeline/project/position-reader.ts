// Reads the rows of PositionBatch values into numbers, without an object per row: the one reader of the topic. Values of other versions of the schema are converted first.
import { type PositionBatch, positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { type PositionField, type PositionName, positionFields } from '../../schemas/position-fields.ts';
import { hexKeyBefore } from '../aircraft/hex-key.ts';
import { AvroReader } from '../avro/reader.ts';
import { avroType } from '../log/avro.ts';
import type { TopicCodec } from '../log/codec.ts';

/** An unknown value. Outside the range of Avro's int. */
export const ABSENT_NUMBER = -(2 ** 40);

export type PositionCodec = Pick<TopicCodec<PositionBatch>, 'bodyStart' | 'decode'>;

const FIRST_ROWS = 1024;
const batchType = avroType(positionBatchSchema);

/** Operations on a field. */
const [HEX, LONG, INT, BOOLEAN, OPTIONAL_INT, OPTIONAL_TEXT] = [0, 1, 2, 3, 4, 5];
const plan = positionFields.map(({ name, type, isOptional }: PositionField) => {
  if (name === 'hex') return HEX;
  const operations = isOptional ? { int: OPTIONAL_INT, string: OPTIONAL_TEXT } : { long: LONG, int: INT, boolean: BOOLEAN };
  const operation = (operations as Readonly<Record<string, number>>)[type];
  if (operation === undefined) throw new Error(`no reader for the field ${name} of a position`);
  return operation;
});

/** Rows as `stride` numbers each, and the bytes of their texts. */
export interface NumberedRows {
  readonly numbers: Float64Array;
  readonly stride: number;
  readonly texts: Uint8Array;
}

export class PositionReader implements NumberedRows {
  /** Valid until the next value is read. */
  numbers: Float64Array<ArrayBuffer>;
  texts: Uint8Array = new Uint8Array(0);
  /** Numbers of a row. */
  readonly stride: number;
  private rows = 0;
  private readonly codec: PositionCodec;
  private readonly avro = new AvroReader();
  /** By field: its index in a row, −1 for one that is not wanted. */
  private readonly indexes: readonly number[];
  private readonly unwanted = new Float64Array(2);

  /** Reads these fields alone; all by default. */
  constructor(codec: PositionCodec, wanted: readonly PositionName[] = positionFields.map(({ name }) => name)) {
    this.codec = codec;
    let stride = 0;
    this.indexes = positionFields.map(({ name }, i) => {
      if (!wanted.includes(name)) return -1;
      stride += plan[i] === OPTIONAL_TEXT ? 2 : 1;
      return stride - (plan[i] === OPTIONAL_TEXT ? 2 : 1);
    });
    this.stride = stride;
    this.numbers = new Float64Array(FIRST_ROWS * stride);
  }

  /** Where a field is in a row: the address as its `hexKey`; for a text, where it begins in `texts`, and its length behind that. */
  indexOf(name: PositionName): number {
    return this.indexes[positionFields.findIndex((field) => field.name === name)]!;
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
    // The tick, which the record has as its timestamp.
    avro.long(this.unwanted, 0);
    for (let count = avro.int(); count !== 0 && !avro.hasFailed(); count = avro.int()) {
      // A negative count is followed by the size in bytes: allowed by Avro, not written by us.
      if (count < 0) return false;
      for (let i = 0; i < count && !avro.hasFailed(); i += 1) if (!this.readRow()) return false;
    }
    return avro.isWhole();
  }

  private readRow(): boolean {
    const { avro, indexes, unwanted } = this;
    const first = this.rows * this.stride;
    if (first + this.stride > this.numbers.length) this.grow();
    for (let i = 0; i < plan.length; i += 1) {
      const index = indexes[i]!;
      const into = index < 0 ? unwanted : this.numbers;
      const at = index < 0 ? 0 : first + index;
      switch (plan[i]) {
        case OPTIONAL_INT:
          into[at] = avro.isPresent() ? avro.int() : ABSENT_NUMBER;
          break;
        case INT:
          into[at] = avro.int();
          break;
        case LONG:
          avro.long(into, at);
          break;
        case BOOLEAN:
          into[at] = avro.boolean() ? 1 : 0;
          break;
        case HEX: {
          const length = avro.skip();
          into[at] = hexKeyBefore(avro.bytes, avro.at, length);
          if (into[at]! < 0) return false;
          break;
        }
        default:
          into[at + 1] = avro.isPresent() ? avro.skip() : ABSENT_NUMBER;
          into[at] = avro.at - into[at + 1]!;
      }
    }
    this.rows += 1;
    return true;
  }

  private grow(): void {
    const larger = new Float64Array(2 * this.numbers.length);
    larger.set(this.numbers);
    this.numbers = larger;
  }
}
