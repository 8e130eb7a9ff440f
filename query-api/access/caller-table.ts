// A bounded table of callers by the 64 bits of their keyed hash. Numbers are in typed arrays, so a million rows need tens of MB and no objects.
// Open addressing with linear probing. A row keeps its number until it is removed; then a new row may get it.

const ROWS_FIRST = 512;
/** Words of a row: hash (high, low), UTC day of its bytes. The first is the number of the next free row while it is free. */
const WORDS = 3;
const DAY_WORD = 2;

const FREE = 0;
const USED = 1;
const CHANGED = 2;

export class CallerTable {
  readonly rowsMax: number;
  readonly #columns: number;
  #capacity: number;
  #values: Float64Array;
  #words: Uint32Array;
  #states: Uint8Array;
  /** Row number plus 1 by hash; 0 if empty. At most half full. */
  #index: Int32Array;
  #size = 0;
  /** Rows that were ever used; all further ones are free. */
  #rowsUsed = 0;
  /** First of the freed rows plus 1. */
  #freed = 0;
  #changed = 0;

  /** `columns`: numbers of a row. */
  constructor(rowsMax: number, columns: number) {
    this.rowsMax = rowsMax;
    this.#columns = columns;
    this.#capacity = Math.min(ROWS_FIRST, rowsMax);
    this.#values = new Float64Array(this.#capacity * columns);
    this.#words = new Uint32Array(this.#capacity * WORDS);
    this.#states = new Uint8Array(this.#capacity);
    this.#index = new Int32Array(indexSize(this.#capacity));
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes of all arrays. */
  get bytes(): number {
    return this.#values.byteLength + this.#words.byteLength + this.#states.byteLength + this.#index.byteLength;
  }

  /** Rows that were ever used: all rows are below it. */
  get rowsUsed(): number {
    return this.#rowsUsed;
  }

  isUsed(row: number): boolean {
    return this.#states[row] !== FREE;
  }

  value(row: number, column: number): number {
    return this.#values[row * this.#columns + column]!;
  }

  setValue(row: number, column: number, value: number): void {
    this.#values[row * this.#columns + column] = value;
  }

  high(row: number): number {
    return this.#words[row * WORDS]!;
  }

  low(row: number): number {
    return this.#words[row * WORDS + 1]!;
  }

  day(row: number): number {
    return this.#words[row * WORDS + DAY_WORD]!;
  }

  setDay(row: number, day: number): void {
    this.#words[row * WORDS + DAY_WORD] = day;
  }

  markChanged(row: number): void {
    if (this.#states[row] !== USED) return;
    this.#states[row] = CHANGED;
    this.#changed += 1;
  }

  /** Takes the mark of the first changed row from `row` on, and returns the row; -1 if there is none. */
  nextChanged(row: number): number {
    const found = this.#changed === 0 ? -1 : this.#states.indexOf(CHANGED, row);
    if (found >= 0) {
      this.#states[found] = USED;
      this.#changed -= 1;
    }
    return found;
  }

  /** The caller's row; -1 if it has none. */
  find(high: number, low: number): number {
    const mask = this.#index.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const row = this.#index[slot]! - 1;
      if (row < 0 || (this.low(row) === low && this.high(row) === high)) return row;
    }
  }

  /** A row of zeros for a caller that has none, marked as changed; -1 if the table is full. */
  add(high: number, low: number): number {
    if (this.#size === this.rowsMax) return -1;
    let row = this.#freed - 1;
    if (row >= 0) this.#freed = this.#words[row * WORDS]!;
    else {
      row = this.#rowsUsed;
      if (row === this.#capacity) this.#grow();
      this.#rowsUsed += 1;
    }
    this.#values.fill(0, row * this.#columns, (row + 1) * this.#columns);
    this.#words[row * WORDS] = high;
    this.#words[row * WORDS + 1] = low;
    this.setDay(row, 0);
    this.#states[row] = USED;
    this.markChanged(row);
    this.#size += 1;
    this.#insert(row);
    return row;
  }

  /** Removes a row. Rows behind it in the index move up, so that no look-up ends too early. */
  remove(row: number): void {
    const mask = this.#index.length - 1;
    let hole = this.low(row) & mask;
    while (this.#index[hole] !== row + 1) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; this.#index[slot] !== 0; slot = (slot + 1) & mask) {
      const home = this.low(this.#index[slot]! - 1) & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#index[hole] = this.#index[slot]!;
      hole = slot;
    }
    this.#index[hole] = 0;
    if (this.#states[row] === CHANGED) this.#changed -= 1;
    this.#states[row] = FREE;
    this.#words[row * WORDS] = this.#freed;
    this.#freed = row + 1;
    this.#size -= 1;
  }

  #insert(row: number): void {
    const mask = this.#index.length - 1;
    let slot = this.low(row) & mask;
    while (this.#index[slot] !== 0) slot = (slot + 1) & mask;
    this.#index[slot] = row + 1;
  }

  #grow(): void {
    this.#capacity = Math.min(2 * this.#capacity, this.rowsMax);
    this.#values = copied(this.#values, new Float64Array(this.#capacity * this.#columns));
    this.#words = copied(this.#words, new Uint32Array(this.#capacity * WORDS));
    this.#states = copied(this.#states, new Uint8Array(this.#capacity));
    this.#index = new Int32Array(indexSize(this.#capacity));
    // It grows only when every row is in use.
    for (let row = 0; row < this.#rowsUsed; row += 1) this.#insert(row);
  }
}

function copied<T extends Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A power of two, at least twice the rows. */
function indexSize(rows: number): number {
  return 2 ** Math.ceil(Math.log2(2 * rows));
}
