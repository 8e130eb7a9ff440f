// One column of a block in FORMAT Native, in one growing buffer. Adding a row allocates nothing.
import { ABSENT } from '../../schemas/absent.ts';
import { type NativeType, nativeType } from './native-types.ts';

const FIRST_ROWS = 1024;
const TEXT_BYTES_EXPECTED = 8;
const HALF = 2 ** 32;
const VARINT_MORE = 0x80;
const VARINT_BYTES = 5;

/** Appends a varint and returns the index behind it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let left = value;
  let end = at;
  for (; left >= VARINT_MORE; left = Math.floor(left / VARINT_MORE)) {
    bytes[end] = (left % VARINT_MORE) | VARINT_MORE;
    end += 1;
  }
  bytes[end] = left;
  return end + 1;
}

export class NativeColumn {
  readonly name: string;
  readonly type: NativeType;
  rows = 0;
  /** Text: bytes in use. */
  private textLength = 0;
  private nulls: Uint8Array | null;
  private bytes: Uint8Array;
  /** Views of `bytes`; the one that fits the type is used. */
  private words!: Uint16Array;
  private longs!: Uint32Array;

  constructor(name: string, type: string) {
    this.name = name;
    this.type = nativeType(type);
    this.nulls = this.type.isNullable ? new Uint8Array(FIRST_ROWS) : null;
    this.bytes = new Uint8Array(FIRST_ROWS * (this.type.width || TEXT_BYTES_EXPECTED));
    this.setViews();
  }

  /**
   * Adds a number of each of `rows` rows: `numbers[index]`, then every `stride`. ABSENT becomes null, or 0 where the type has no null; a number
   * outside the range of the type becomes its nearest end.
   */
  addNumbers(numbers: Float64Array, index: number, stride: number, rows: number): void {
    this.reserve(rows);
    const { min, max } = this.type;
    const end = index + rows * stride;
    for (let at = index, row = this.rows; at < end; at += stride, row += 1) {
      let value = numbers[at]!;
      if (value === ABSENT) {
        if (this.nulls !== null) this.nulls[row] = 1;
        value = 0;
      } else if (!(value >= min && value <= max)) value = value > max ? max : min;
      this.put(row, value);
    }
    this.rows += rows;
  }

  /** Adds a text of each of `rows` rows: where it begins in `texts` is `numbers[index]`, then every `stride`, and its length is the next number. */
  addTexts(texts: Uint8Array, numbers: Float64Array, index: number, stride: number, rows: number): void {
    this.reserve(rows);
    const end = index + rows * stride;
    for (let at = index, row = this.rows; at < end; at += stride, row += 1) {
      let length = numbers[at + 1]!;
      if (length === ABSENT) {
        if (this.nulls !== null) this.nulls[row] = 1;
        length = 0;
      }
      this.grow(this.textLength + VARINT_BYTES + length);
      let to = writeVarint(this.bytes, this.textLength, length);
      const { bytes } = this;
      for (let from = numbers[at]!, last = from + length; from < last; from += 1, to += 1) bytes[to] = texts[from]!;
      this.textLength = to;
    }
    this.rows += rows;
  }

  /** Adds the same number to `rows` rows. */
  addSame(value: number, rows: number): void {
    this.reserve(rows);
    const end = this.rows + rows;
    for (let row = this.rows; row < end; row += 1) this.put(row, value);
    this.rows = end;
  }

  /** Adds one value: a number, or text for a column of strings. */
  add(value: number | string | null): void {
    this.reserve(1);
    if (value === null && this.nulls !== null) this.nulls[this.rows] = 1;
    if (this.type.width === 0) this.putText(String(value ?? ''));
    else this.put(this.rows, this.inRange(Number(value ?? 0)));
    this.rows += 1;
  }

  /** The column's data as in a block. The pieces are views that the next row may change. */
  pieces(): Uint8Array[] {
    const { width } = this.type;
    const data = this.bytes.subarray(0, width === 0 ? this.textLength : this.rows * width);
    return this.nulls === null ? [data] : [this.nulls.subarray(0, this.rows), data];
  }

  get byteLength(): number {
    const { width } = this.type;
    return (width === 0 ? this.textLength : this.rows * width) + (this.nulls === null ? 0 : this.rows);
  }

  clear(): void {
    this.nulls?.fill(0, 0, this.rows);
    this.rows = 0;
    this.textLength = 0;
  }

  private inRange(value: number): number {
    const { min, max } = this.type;
    if (value >= min && value <= max) return value;
    return value > max ? max : min;
  }

  private put(row: number, value: number): void {
    const { width } = this.type;
    if (width === 4) this.longs[row] = value;
    else if (width === 2) this.words[row] = value;
    else if (width === 1) this.bytes[row] = value;
    else {
      const high = Math.floor(value / HALF);
      this.longs[2 * row] = value - high * HALF;
      this.longs[2 * row + 1] = high;
    }
  }

  private putText(text: string): void {
    const length = Buffer.byteLength(text);
    this.grow(this.textLength + VARINT_BYTES + length);
    this.textLength = writeVarint(this.bytes, this.textLength, length);
    this.textLength += Buffer.from(this.bytes.buffer).write(text, this.textLength);
  }

  private reserve(rows: number): void {
    const total = this.rows + rows;
    if (this.nulls !== null && total > this.nulls.length) {
      const nulls = new Uint8Array(Math.max(total, 2 * this.nulls.length));
      nulls.set(this.nulls);
      this.nulls = nulls;
    }
    this.grow(total * this.type.width);
  }

  private grow(bytes: number): void {
    if (bytes <= this.bytes.length) return;
    const larger = new Uint8Array(wholeWords(Math.max(bytes, 2 * this.bytes.length)));
    larger.set(this.bytes);
    this.bytes = larger;
    this.setViews();
  }

  private setViews(): void {
    const { buffer } = this.bytes;
    this.words = new Uint16Array(buffer);
    this.longs = new Uint32Array(buffer);
  }
}

/** All views need whole words of eight bytes. */
function wholeWords(bytes: number): number {
  return 8 * Math.ceil(bytes / 8);
}
