// Allocates the bytes of a record, slot after slot. An offset counts in the slot's own unit, like the typed arrays over the record.

const HALF_BYTES = 2;
export const WORD_BYTES = 4;

export class Slots {
  private next = 0;

  /** The next `count` bytes; the offset counts bytes. */
  bytes(count = 1): number {
    return this.allocate(1, count);
  }

  /** The next `count` half words of two bytes; the offset counts half words. */
  halves(count = 1): number {
    return this.allocate(HALF_BYTES, count);
  }

  /** The next `count` words of four bytes; the offset counts words. */
  words(count = 1): number {
    return this.allocate(WORD_BYTES, count);
  }

  /** Skips bytes. */
  skip(bytes: number): void {
    this.next += bytes;
  }

  /** The offset of the next slot, in bytes. */
  get length(): number {
    return this.next;
  }

  private allocate(unit: number, count: number): number {
    const offset = this.next / unit;
    if (!Number.isInteger(offset)) throw new Error(`a slot of ${unit}-byte units cannot begin at byte ${this.next}`);
    this.next += unit * count;
    return offset;
  }
}
