// A grid of one-degree cells over places, built anew each tick. The aircraft of a tick lie in the order of their cells, so that a search looks at
// a few ranges of them, and what it finds lies close together in memory.
import { MICRODEG_PER_DEG } from '../geo/earth.ts';

const ROWS = 180;
const COLUMNS = 360;
const CELLS = ROWS * COLUMNS;
/** The cell of aircraft without a place. */
const NOWHERE = CELLS;

/** A box in degrees; `westDeg` > `eastDeg` crosses the antimeridian. */
export interface Box {
  readonly southDeg: number;
  readonly westDeg: number;
  readonly northDeg: number;
  readonly eastDeg: number;
}

/** Where aircraft are, by row of the live table. */
export interface PlaceColumns {
  /** 1 where the place is valid. */
  readonly positionValid: Int32Array;
  readonly latitudeMicrodeg: Int32Array;
  readonly longitudeMicrodeg: Int32Array;
}

export class PlaceGrid {
  /** What `collect` found last: pairs of the first number of a range and the one after its last. */
  readonly ranges = new Int32Array(4 * ROWS);
  /** Where each cell's members begin; they end where the next cell's begin. The last one is nowhere. */
  private readonly starts = new Int32Array(CELLS + 2);
  private readonly next = new Int32Array(CELLS + 1);
  private rows = new Int32Array(0);
  private cells = new Int32Array(0);

  /** Puts `rows` into the order of their cells, the ones without a valid place behind all others. Places in that order are what `collect` numbers. */
  order(rows: Int32Array, count: number, { positionValid, latitudeMicrodeg, longitudeMicrodeg }: PlaceColumns): void {
    if (this.rows.length < count) {
      this.rows = new Int32Array(rows.length);
      this.cells = new Int32Array(rows.length);
    }
    const { starts, next, cells, rows: unordered } = this;
    unordered.set(rows.subarray(0, count));
    starts.fill(0);
    for (let n = 0; n < count; n += 1) {
      const row = unordered[n]!;
      const isPlaced = positionValid[row] === 1;
      const cell = isPlaced
        ? rowOf(latitudeMicrodeg[row]! / MICRODEG_PER_DEG) * COLUMNS + columnOf(longitudeMicrodeg[row]! / MICRODEG_PER_DEG)
        : NOWHERE;
      cells[n] = cell;
      starts[cell + 1] = starts[cell + 1]! + 1;
    }
    for (let cell = 0; cell <= CELLS; cell += 1) starts[cell + 1] = starts[cell + 1]! + starts[cell]!;
    next.set(starts.subarray(0, CELLS + 1));
    for (let n = 0; n < count; n += 1) {
      const cell = cells[n]!;
      rows[next[cell]!] = unordered[n]!;
      next[cell] = next[cell]! + 1;
    }
  }

  /** Puts the numbers of all cells that a box touches into `ranges`, ascending: a superset of what lies in it. Gives the number of ranges. */
  collect({ southDeg, westDeg, northDeg, eastDeg }: Box): number {
    const first = columnOf(westDeg);
    const last = columnOf(eastDeg);
    const spanDeg = westDeg > eastDeg ? eastDeg - westDeg + COLUMNS : eastDeg - westDeg;
    // Both ends in one column: either all of it, or all around.
    const isAround = spanDeg >= COLUMNS || (first === last && spanDeg > 1);
    const lastRow = rowOf(northDeg);
    let count = 0;
    for (let row = rowOf(southDeg); row <= lastRow; row += 1) {
      if (isAround) count = this.collectColumns(row, 0, COLUMNS - 1, count);
      else if (first <= last) count = this.collectColumns(row, first, last, count);
      else count = this.collectColumns(row, first, COLUMNS - 1, this.collectColumns(row, 0, last, count));
    }
    return count;
  }

  /** Members of neighbouring cells of one row follow each other. */
  private collectColumns(row: number, first: number, last: number, count: number): number {
    const { starts, ranges } = this;
    const from = starts[row * COLUMNS + first]!;
    const to = starts[row * COLUMNS + last + 1]!;
    if (from === to) return count;
    ranges[2 * count] = from;
    ranges[2 * count + 1] = to;
    return count + 1;
  }
}

function rowOf(latDeg: number): number {
  return Math.max(0, Math.min(ROWS - 1, Math.floor(latDeg) + 90));
}

/** Of any longitude, also beyond ±180. */
function columnOf(lonDeg: number): number {
  const column = (Math.floor(lonDeg) + 180) % COLUMNS;
  return column < 0 ? column + COLUMNS : column;
}
