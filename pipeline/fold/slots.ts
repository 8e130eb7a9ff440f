// Gives out the bytes of a record, one slot behind the other. Offsets count in the slot's own unit, as the typed arrays over the record do.

const HALF_BYTES = 2;
export const WORD_BYTES = 4;

export class Slots {
  private next = 0;

  /** The next bytes, as many as asked for. Offset in bytes. */
  bytes(count = 1): number {
    return this.take(1, count);
  }

  /** The next half words of two bytes. Offset in half words. */
  halves(count = 1): number {
    return this.take(HALF_BYTES, count);
  }

  /** The next words of four bytes. Offset in words. */
  words(count = 1): number {
    return this.take(WORD_BYTES, count);
  }

  /** Leaves bytes unused. */
  skip(bytes: number): void {
    this.next += bytes;
  }

  /** Where the next slot begins, in bytes. */
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
