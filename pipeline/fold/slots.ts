// Allocates the bytes of a record, slot after slot. Offsets count in the slot's own unit, like the typed arrays over the record.

const HALF_BYTES = 2;
export const WORD_BYTES = 4;

export class Slots {
  private next = 0;

  /** The next `count` bytes. Offset in bytes. */
  bytes(count = 1): number {
    return this.take(1, count);
  }

  /** The next `count` half words of two bytes. Offset in half words. */
  halves(count = 1): number {
    return this.take(HALF_BYTES, count);
  }

  /** The next `count` words of four bytes. Offset in words. */
  words(count = 1): number {
    return this.take(WORD_BYTES, count);
  }

  /** Skips bytes. */
  skip(bytes: number): void {
    this.next += bytes;
  }

  /** Offset of the next slot, in bytes. */
  get length(): number {
    return this.next;
  }

  private take(unit: number, count: number): number {
    const offset = this.next / unit;
    if (!Number.isInteger(offset)) throw new Error(`a slot of ${unit}-byte units cannot begin at byte ${this.next}`);
    this.next += unit * count;
    return offset;
  }
}
