// Reads Avro's binary encoding in place: the counterpart of AvroWriter, for tens of thousands of values that go straight into columns.
// A truncated or malformed value fails: every later read returns 0 or false, and no read goes past the end.

const NO_BYTES = new Uint8Array(0);
const GROUP_BITS = 7;
const MORE = 0x80;
/** Bits in the first four groups of a varint. Later groups are read separately, because bit operations have 32 bits. */
const LOW_BITS = 28;
/** The fifth group of an int has the upper four of 32 bits. */
const LAST_INT_GROUP = 0x0f;
/** Limit of a long's zig-zag bits above the lower 28, so that |value| <= 2^52. */
const LARGEST_HIGH = 0x1ff_ffff;
const HALF_LOW = 2 ** (LOW_BITS - 1);
/** Branch 1 of a union, zig-zag. */
const BRANCH_1 = 2;

export class AvroReader {
  bytes: Uint8Array = NO_BYTES;
  /** Index of the next read; past the end once a read has failed. */
  at = 0;
  private end = 0;

  /** Starts a value that extends from `from` to `end`. */
  start(bytes: Uint8Array, from: number, end = bytes.length): void {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** True if no read failed and no bytes are left. */
  isWhole(): boolean {
    return this.at === this.end;
  }

  /** Something was cut short, or written as no writer does it. */
  hasFailed(): boolean {
    return this.at > this.end;
  }

  fail(): void {
    this.at = this.end + 1;
  }

  /** `int`: 32 bits. */
  int(): number {
    const { bytes, end } = this;
    let zigzag = 0;
    let at = this.at;
    for (let shift = 0; shift <= LOW_BITS && at < end; shift += GROUP_BITS) {
      const byte = bytes[at]!;
      at += 1;
      zigzag |= (byte & ~MORE) << shift;
      if (byte >= MORE) continue;
      if (shift === LOW_BITS && byte > LAST_INT_GROUP) break;
      this.at = at;
      return (zigzag >>> 1) ^ -(zigzag & 1);
    }
    this.fail();
    return 0;
  }

  /** `long`, |value| <= 2^52. Stored in an array, because a returned number would be boxed. */
  long(into: Float64Array, index: number): void {
    const { bytes, end } = this;
    let low = 0;
    let high = 0;
    let at = this.at;
    for (let shift = 0; shift < 2 * LOW_BITS && at < end; shift += GROUP_BITS) {
      const byte = bytes[at]!;
      at += 1;
      if (shift < LOW_BITS) low |= (byte & ~MORE) << shift;
      else high |= (byte & ~MORE) << (shift - LOW_BITS);
      if (byte >= MORE) continue;
      if (high > LARGEST_HIGH) break;
      this.at = at;
      const half = high * HALF_LOW + (low >>> 1);
      into[index] = (low & 1) === 0 ? half : -half - 1;
      return;
    }
    this.fail();
    into[index] = 0;
  }

  boolean(): boolean {
    return this.bit(1);
  }

  /** Branch of a union of null and another type, in this order: true if it is not null. */
  isPresent(): boolean {
    return this.bit(BRANCH_1);
  }

  /** Skips a `string` or `bytes` and returns its length. Its content is the `length` bytes before `at`. */
  skip(): number {
    const length = this.int();
    if (length >= 0 && length <= this.end - this.at) {
      this.at += length;
      return length;
    }
    this.fail();
    return 0;
  }

  /** One byte that is 0 (false) or `truth` (true). */
  private bit(truth: number): boolean {
    const { at } = this;
    if (at < this.end) {
      this.at = at + 1;
      const byte = this.bytes[at]!;
      if (byte === truth) return true;
      if (byte === 0) return false;
    }
    this.fail();
    return false;
  }
}
