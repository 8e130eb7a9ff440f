// Aircraft that are not confirmed, in the order in which they were last heard: in a full table the first one gives way to a new one.
// A linked list through the slots, so that each step is a few words at any length.

const NONE = -1;
const FIRST_SLOTS = 256;

export class Newcomers {
  /** Heard longest ago, and most recently; NONE when the list is empty. */
  private first = NONE;
  private last = NONE;
  /** By slot: the previous and the next one in the list. */
  private before = new Int32Array(FIRST_SLOTS);
  private after = new Int32Array(FIRST_SLOTS);
  /** Keys displaced after they were emitted; the next tick reports them as gone. */
  readonly displaced: number[] = [];
  /** All displaced since the process began. */
  displacedTotal = 0;

  /** The slot heard longest ago; below 0 when there is none. */
  get oldest(): number {
    return this.first;
  }

  /** Appends a slot that is not in the list. */
  add(slot: number): void {
    if (slot >= this.before.length) this.grow(slot + 1);
    this.before[slot] = this.last;
    this.after[slot] = NONE;
    if (this.last === NONE) this.first = slot;
    else this.after[this.last] = slot;
    this.last = slot;
  }

  /** Removes a slot from the list. */
  remove(slot: number): void {
    const before = this.before[slot]!;
    const after = this.after[slot]!;
    if (before === NONE) this.first = after;
    else this.after[before] = after;
    if (after === NONE) this.last = before;
    else this.before[after] = before;
  }

  /** Slots, the one heard longest ago first. */
  *inOrder(): Generator<number> {
    for (let slot = this.first; slot !== NONE; slot = this.after[slot]!) yield slot;
  }

  private grow(count: number): void {
    let { length } = this.before;
    while (length < count) length *= 2;
    for (const name of ['before', 'after'] as const) {
      const grown = new Int32Array(length);
      grown.set(this[name]);
      this[name] = grown;
    }
  }
}
