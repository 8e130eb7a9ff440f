// Points of tracks as columns of scaled integers: what a position of the topic says, and where silences end and legs start.
import { ABSENT } from '../../schemas/absent.ts';
import type { PositionName } from '../../schemas/position-fields.ts';

/** Bits of `flags`. */
export const ON_GROUND = 1;
/** Nothing was heard for a while before this point: the way to it is a guess. */
export const STALE = 2;
/** A leg starts: a take-off, or the first position after a long silence near the ground. */
export const LEG = 4;

const FIRST_CAPACITY = 64;

/** Columns that have the values of a position's field, under its name. */
export const pointFields = [
  'latitudeMicrodeg',
  'longitudeMicrodeg',
  'altitudeBaroFt',
  'altitudeGeomFt',
  'groundSpeedDeciKt',
  'trackCentideg',
  'baroRateFpm',
  'rssiDeciDbfs',
  'source',
] as const satisfies readonly PositionName[];

/** Points by number. ABSENT stands for an unknown value. */
export class Points {
  /** Event time, ms since the Unix epoch. */
  timeMs: Float64Array;
  latitudeMicrodeg!: Int32Array;
  longitudeMicrodeg!: Int32Array;
  altitudeBaroFt!: Int32Array;
  altitudeGeomFt!: Int32Array;
  groundSpeedDeciKt!: Int32Array;
  trackCentideg!: Int32Array;
  baroRateFpm!: Int32Array;
  rssiDeciDbfs!: Int32Array;
  /** Index into `sourceKinds`. */
  source!: Int32Array;
  flags: Uint8Array;
  /** The columns of `pointFields`, in their order. */
  columns: readonly Int32Array[];
  count = 0;

  constructor(capacity = FIRST_CAPACITY) {
    this.timeMs = new Float64Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.columns = pointFields.map((name) => {
      this[name] = new Int32Array(capacity).fill(ABSENT);
      return this[name];
    });
  }

  /** Makes room for `capacity` points. */
  reserve(capacity: number): void {
    if (capacity <= this.timeMs.length) return;
    const { timeMs, flags, ...wider } = new Points(Math.max(capacity, 2 * this.timeMs.length));
    timeMs.set(this.timeMs);
    flags.set(this.flags);
    wider.columns.forEach((column, i) => {
      column.set(this.columns[i]!);
    });
    Object.assign(this, wider, { timeMs, flags, count: this.count });
  }

  /** Overwrites point `at` with a point of other columns. */
  copy(at: number, from: Points, index: number): void {
    this.timeMs[at] = from.timeMs[index]!;
    this.flags[at] = from.flags[index]!;
    for (let i = 0; i < pointFields.length; i += 1) this.columns[i]![at] = from.columns[i]![index]!;
  }

  /** Adds a copy of a point of other columns. */
  push(from: Points, index: number): void {
    this.reserve(this.count + 1);
    this.copy(this.count, from, index);
    this.count += 1;
  }

  hasFlag(index: number, flag: number): boolean {
    return (this.flags[index]! & flag) !== 0;
  }
}
