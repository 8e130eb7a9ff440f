// Reads the rows of PositionBatch values into numbers, without an object per row: the one reader of the topic. Values of other versions of the schema are converted first.
import { ABSENT } from '../../schemas/absent.ts';
import { type PositionBatch, positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { type PositionField, type PositionName, positionFields } from '../../schemas/position-fields.ts';
import { hexKeyBefore } from '../aircraft/hex-key.ts';
import { AvroReader } from '../avro/reader.ts';
import { avroType } from '../log/avro.ts';
import type { TopicCodec } from '../log/codec.ts';

export type PositionCodec = Pick<TopicCodec<PositionBatch>, 'bodyStart' | 'decode'>;

const FIRST_ROWS = 1024;
/** Numbers of a text in a row: where it begins, and its length. */
const TEXT_NUMBERS = 2;
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

/** Rows as `stride` numbers each, ABSENT for an unknown value, and the bytes of their texts. */
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
  /** By field: its index in a row. One that is not wanted is written behind the row, where the next row begins. */
  private readonly indexes: readonly number[];

  /** Reads these fields alone, into a row in this order; all by default. */
  constructor(codec: PositionCodec, wanted: readonly PositionName[] = positionFields.map(({ name }) => name)) {
    this.codec = codec;
    const starts = new Map<PositionName, number>();
    let stride = 0;
    for (const name of wanted) {
      starts.set(name, stride);
      stride += plan[positionFields.findIndex((field) => field.name === name)] === OPTIONAL_TEXT ? TEXT_NUMBERS : 1;
    }
    this.indexes = positionFields.map(({ name }) => starts.get(name) ?? stride);
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
    avro.long(this.numbers, 0);
    for (let count = avro.int(); count !== 0 && !avro.hasFailed(); count = avro.int()) {
      // A negative count is followed by the size in bytes: allowed by Avro, not written by us.
      if (count < 0) return false;
      for (let i = 0; i < count && !avro.hasFailed(); i += 1) if (!this.readRow()) return false;
    }
    return avro.isWhole();
  }

  private readRow(): boolean {
    const { avro, indexes } = this;
    const first = this.rows * this.stride;
    if (first + this.stride + TEXT_NUMBERS > this.numbers.length) this.grow();
    const { numbers } = this;
    for (let i = 0; i < plan.length; i += 1) {
      const at = first + indexes[i]!;
      switch (plan[i]) {
        case OPTIONAL_INT:
          numbers[at] = avro.isPresent() ? avro.int() : ABSENT;
          break;
        case INT:
          numbers[at] = avro.int();
          break;
        case LONG:
          avro.long(numbers, at);
          break;
        case BOOLEAN:
          numbers[at] = avro.boolean() ? 1 : 0;
          break;
        case HEX: {
          const length = avro.skip();
          numbers[at] = hexKeyBefore(avro.bytes, avro.at, length);
          if (numbers[at]! < 0) return false;
          break;
        }
        default:
          numbers[at + 1] = avro.isPresent() ? avro.skip() : ABSENT;
          numbers[at] = avro.at - numbers[at + 1]!;
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
