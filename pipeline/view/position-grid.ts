// A grid of one-degree cells over positions, rebuilt at each tick. A tick's aircraft are in the order of their cells: a search reads
// a few ranges of them, and its results are close together in memory.
import { MICRODEG_PER_DEG } from '../geo/earth.ts';

const ROWS = 180;
const COLUMNS = 360;
const CELLS = ROWS * COLUMNS;
/** The cell of aircraft without a position. */
const NOWHERE = CELLS;

/** A box in degrees; `westDeg` > `eastDeg` crosses the antimeridian. */
export interface Box {
  readonly southDeg: number;
  readonly westDeg: number;
  readonly northDeg: number;
  readonly eastDeg: number;
}

/** Positions of aircraft, by row of the live table. */
interface PositionColumns {
  /** 1 when the position is valid. */
  readonly positionValid: Int32Array;
  readonly latitudeMicrodeg: Int32Array;
  readonly longitudeMicrodeg: Int32Array;
}

export class PositionGrid {
  /** Result of the last `collect`: pairs of the first number of a range and the one after its last. */
  readonly ranges = new Int32Array(4 * ROWS);
  /** Start of each cell's members; they end at the start of the next cell. The last cell is NOWHERE. */
  private readonly starts = new Int32Array(CELLS + 2);
  private readonly next = new Int32Array(CELLS + 1);
  private rows = new Int32Array(0);
  private cells = new Int32Array(0);

  /** Sorts `rows` by cell, those without a valid position last. `collect` returns indices into that order. */
  order(rows: Int32Array, count: number, { positionValid, latitudeMicrodeg, longitudeMicrodeg }: PositionColumns): void {
    if (this.rows.length < count) {
      this.rows = new Int32Array(rows.length);
      this.cells = new Int32Array(rows.length);
    }
    const { starts, next, cells, rows: unordered } = this;
    unordered.set(rows.subarray(0, count));
    starts.fill(0);
    for (let n = 0; n < count; n += 1) {
      const row = unordered[n]!;
      const hasPosition = positionValid[row] === 1;
      const cell = hasPosition
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

  /** Writes the ranges of all cells that a box touches into `ranges`, ascending: a superset of the aircraft in the box. Returns the number of ranges. */
  collect({ southDeg, westDeg, northDeg, eastDeg }: Box): number {
    const first = columnOf(westDeg);
    const last = columnOf(eastDeg);
    const spanDeg = westDeg > eastDeg ? eastDeg - westDeg + COLUMNS : eastDeg - westDeg;
    // Both ends in one column: either inside one cell, or all around.
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

  /** Members of neighbouring cells of one row are consecutive. */
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

/** Takes any longitude, also beyond ±180. */
function columnOf(lonDeg: number): number {
  const column = (Math.floor(lonDeg) + 180) % COLUMNS;
  return column < 0 ? column + COLUMNS : column;
}
