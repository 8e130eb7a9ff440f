// Writes Avro's binary encoding, for millions of values straight from columns. All other values go through avsc (pipeline/log/codec.ts).
// Apache Avro 1.11 specification, "Binary Encoding": integers are zig-zag varints, a union is the index of its branch and the value.

const FIRST_BYTES = 4096;
const GROUPS_4 = 0x1000_0000;
/** Branch 1 of a union, zig-zag. */
const BRANCH_1 = 2;
const LAST_ASCII = 0x7f;
const CHARACTER_BYTES = 3;

export class AvroWriter {
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  reset(): void {
    this.length = 0;
  }

  /** Makes room for `bytes` more. The methods below do not check for room. */
  reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.length + bytes));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** `int`: 32 bits. */
  int(value: number): void {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  /** `long`, |value| < 2^52, so that the zig-zag value is exact. */
  long(value: number): void {
    const zigzag = value < 0 ? -2 * value - 1 : 2 * value;
    // In two parts: bit operations have 32 bits, and `%` of doubles is slow.
    const high = Math.floor(zigzag / GROUPS_4);
    const low = zigzag - high * GROUPS_4;
    if (high === 0) {
      this.varint(low);
      return;
    }
    const { bytes } = this;
    for (let shift = 0; shift < 28; shift += 7) {
      bytes[this.length] = ((low >> shift) & 0x7f) | 0x80;
      this.length += 1;
    }
    this.varint(high);
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  /** A union of null and int, in this order; null if the value is `absent`. */
  optionalInt(value: number, absent: number): void {
    if (value === absent) {
      this.byte(0);
      return;
    }
    this.byte(BRANCH_1);
    this.int(value);
  }

  /** Branch of a union of null and another type, in this order. Write the value after it. */
  isNull(isNull: boolean): void {
    this.byte(isNull ? 0 : BRANCH_1);
  }

  nullableInt(value: number | null): void {
    if (value === null) {
      this.byte(0);
      return;
    }
    this.byte(BRANCH_1);
    this.int(value);
  }

  nullableString(value: string | null): void {
    this.isNull(value === null);
    if (value !== null) this.string(value);
  }

  byte(value: number): void {
    this.bytes[this.length] = value;
    this.length += 1;
  }

  /** `string`: its length in UTF-8, and the bytes. Needs room for three bytes per character, and five. */
  string(value: string): void {
    const { length } = value;
    const start = this.length;
    this.int(length);
    const { bytes } = this;
    const from = this.length;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (code > LAST_ASCII) {
        this.length = start;
        this.unicode(value);
        return;
      }
      bytes[from + i] = code;
    }
    this.length = from + length;
  }

  /** A text in UTF-8, without its length. */
  characters(value: string): void {
    this.reserve(CHARACTER_BYTES * value.length);
    this.length += this.bytes.write(value, this.length);
  }

  /** `bytes`: their number, then the bytes. */
  block(value: Uint8Array): void {
    this.int(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
  }

  /** Copies bytes `from` to `to` of `source`. For up to a few hundred bytes this is faster than creating a view. */
  copy(source: Uint8Array, from: number, to: number): void {
    const { bytes, length } = this;
    for (let i = from; i < to; i += 1) bytes[length + i - from] = source[i]!;
    this.length = length + to - from;
  }

  private unicode(value: string): void {
    this.int(Buffer.byteLength(value));
    this.length += this.bytes.write(value, this.length);
  }

  private varint(value: number): void {
    const { bytes } = this;
    let left = value;
    let at = this.length;
    while (left > 0x7f) {
      bytes[at] = (left & 0x7f) | 0x80;
      left >>>= 7;
      at += 1;
    }
    bytes[at] = left;
    this.length = at + 1;
  }
}
