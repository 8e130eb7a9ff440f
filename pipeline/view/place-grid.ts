// A grid of one-degree cells over places, built anew each tick: a search looks only into the cells that it touches.

const ROWS = 180;
const COLUMNS = 360;
const CELLS = ROWS * COLUMNS;
const MICRODEG = 1_000_000;

/** A box in degrees; `westDeg` > `eastDeg` crosses the antimeridian. */
export interface Box {
  readonly southDeg: number;
  readonly westDeg: number;
  readonly northDeg: number;
  readonly eastDeg: number;
}

export class PlaceGrid {
  /** What `collect` found last. */
  found = new Int32Array(0);
  /** Where each cell's members begin; they end where the next cell's begin. */
  private readonly starts = new Int32Array(CELLS + 1);
  private readonly next = new Int32Array(CELLS);
  private members = new Int32Array(0);
  private cells = new Int32Array(0);

  /** Takes `count` places; those whose latitude is `absent` are nowhere. */
  build(latitudesMicrodeg: Int32Array, longitudesMicrodeg: Int32Array, count: number, absent: number): void {
    if (this.members.length < count) {
      const capacity = latitudesMicrodeg.length;
      this.members = new Int32Array(capacity);
      this.cells = new Int32Array(capacity);
      this.found = new Int32Array(capacity);
    }
    const { starts, next, members, cells } = this;
    starts.fill(0);
    for (let i = 0; i < count; i += 1) {
      const latitude = latitudesMicrodeg[i]!;
      const cell = latitude === absent ? -1 : rowOf(latitude / MICRODEG) * COLUMNS + columnOf(longitudesMicrodeg[i]! / MICRODEG);
      cells[i] = cell;
      if (cell >= 0) starts[cell + 1] = starts[cell + 1]! + 1;
    }
    for (let cell = 0; cell < CELLS; cell += 1) starts[cell + 1] = starts[cell + 1]! + starts[cell]!;
    next.set(starts.subarray(0, CELLS));
    for (let i = 0; i < count; i += 1) {
      const cell = cells[i]!;
      if (cell < 0) continue;
      members[next[cell]!] = i;
      next[cell] = next[cell]! + 1;
    }
  }

  /** Puts the members of all cells that a box touches into `found`: a superset of what lies in it. Gives their number. */
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
      else count = this.collectColumns(row, 0, last, this.collectColumns(row, first, COLUMNS - 1, count));
    }
    return count;
  }

  private collectColumns(row: number, first: number, last: number, count: number): number {
    const { starts, members, found } = this;
    const end = starts[row * COLUMNS + last + 1]!;
    let to = count;
    for (let at = starts[row * COLUMNS + first]!; at < end; at += 1) {
      found[to] = members[at]!;
      to += 1;
    }
    return to;
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
