// Points of tracks as columns of scaled integers: what a position of the topic says, and where silences end and legs start.
import { ABSENT } from '../../schemas/absent.ts';

/** Bits of `flags`. */
export const ON_GROUND = 1;
/** Nothing was heard for a while before this point: the way to it is a guess. */
export const STALE = 2;
/** A leg starts: a take-off, or the first position after a long silence near the ground. */
export const LEG = 4;

const FIRST_CAPACITY = 64;

/** Points by number. ABSENT stands for an unknown value. */
export class Points {
  /** Event time, ms since the Unix epoch. */
  timeMs: Float64Array;
  latitudeMicrodeg: Int32Array;
  longitudeMicrodeg: Int32Array;
  altitudeBaroFt: Int32Array;
  altitudeGeomFt: Int32Array;
  groundSpeedDeciKt: Int32Array;
  trackCentideg: Int32Array;
  baroRateFpm: Int32Array;
  signalDeciDbfs: Int32Array;
  /** Index into `sourceKinds`. */
  source: Uint8Array;
  flags: Uint8Array;
  count = 0;

  constructor(capacity = FIRST_CAPACITY) {
    this.timeMs = new Float64Array(capacity);
    this.latitudeMicrodeg = new Int32Array(capacity);
    this.longitudeMicrodeg = new Int32Array(capacity);
    this.altitudeBaroFt = new Int32Array(capacity).fill(ABSENT);
    this.altitudeGeomFt = new Int32Array(capacity).fill(ABSENT);
    this.groundSpeedDeciKt = new Int32Array(capacity).fill(ABSENT);
    this.trackCentideg = new Int32Array(capacity).fill(ABSENT);
    this.baroRateFpm = new Int32Array(capacity).fill(ABSENT);
    this.signalDeciDbfs = new Int32Array(capacity).fill(ABSENT);
    this.source = new Uint8Array(capacity);
    this.flags = new Uint8Array(capacity);
  }

  get capacity(): number {
    return this.timeMs.length;
  }

  /** Makes room for `capacity` points. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    const wider = new Points(Math.max(capacity, 2 * this.capacity));
    for (const name of columns) {
      wider[name].set(this[name] as Float64Array & Int32Array & Uint8Array);
      this[name] = wider[name] as Float64Array<ArrayBuffer> & Int32Array<ArrayBuffer> & Uint8Array<ArrayBuffer>;
    }
  }

  /** Overwrites point `at` with a point of other columns. */
  copy(at: number, from: Points, index: number): void {
    this.timeMs[at] = from.timeMs[index]!;
    this.latitudeMicrodeg[at] = from.latitudeMicrodeg[index]!;
    this.longitudeMicrodeg[at] = from.longitudeMicrodeg[index]!;
    this.altitudeBaroFt[at] = from.altitudeBaroFt[index]!;
    this.altitudeGeomFt[at] = from.altitudeGeomFt[index]!;
    this.groundSpeedDeciKt[at] = from.groundSpeedDeciKt[index]!;
    this.trackCentideg[at] = from.trackCentideg[index]!;
    this.baroRateFpm[at] = from.baroRateFpm[index]!;
    this.signalDeciDbfs[at] = from.signalDeciDbfs[index]!;
    this.source[at] = from.source[index]!;
    this.flags[at] = from.flags[index]!;
  }

  /** Adds a copy of a point of other columns. */
  push(from: Points, index: number): void {
    if (this.count === this.capacity) this.reserve(2 * this.capacity);
    this.copy(this.count, from, index);
    this.count += 1;
  }

  hasFlag(index: number, flag: number): boolean {
    return (this.flags[index]! & flag) !== 0;
  }
}

const columns = [
  'timeMs',
  'latitudeMicrodeg',
  'longitudeMicrodeg',
  'altitudeBaroFt',
  'altitudeGeomFt',
  'groundSpeedDeciKt',
  'trackCentideg',
  'baroRateFpm',
  'signalDeciDbfs',
  'source',
  'flags',
] as const;
