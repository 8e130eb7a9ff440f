// Points of tracks as scaled integers: what a position of the topic says, and where silences end and legs start.
import type { PositionName } from '../../schemas/position-fields.ts';

/** Bits of `flags`. */
export const ON_GROUND = 1;
/** The aircraft was silent for a while before this point: the way to it is a guess. */
export const STALE = 2;
/** A leg starts: a take-off, or the first position after a long silence near the ground. */
export const LEG = 4;

const FIRST_CAPACITY = 64;

/** Values of a point that are those of a position's field, in the order of its words. */
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
/** Indexes into `pointFields`. */
export const [LATITUDE, LONGITUDE, ALTITUDE, GEOMETRIC, SPEED, TRACK, RATE, SIGNAL, SOURCE] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const FLAGS = pointFields.length;
/** Words of a point: its fields and its flags. They are beside one another, because points are read and copied as a whole. */
const POINT_WORDS = FLAGS + 1;

/** Points by number. ABSENT stands for an unknown value. */
export class Points {
  /** Event time, ms since the Unix epoch. */
  timeMs: Float64Array;
  count = 0;
  private words: Int32Array;

  constructor(capacity = FIRST_CAPACITY) {
    this.timeMs = new Float64Array(capacity);
    this.words = new Int32Array(POINT_WORDS * capacity);
  }

  /** The value of a field, by its index; of SOURCE, an index into `sourceKinds`. */
  get(i: number, field: number): number {
    return this.words[POINT_WORDS * i + field]!;
  }

  flags(i: number): number {
    return this.words[POINT_WORDS * i + FLAGS]!;
  }

  hasFlag(i: number, flag: number): boolean {
    return (this.flags(i) & flag) !== 0;
  }

  setFlags(i: number, flags: number): void {
    this.words[POINT_WORDS * i + FLAGS] = flags;
  }

  /** Sets the value of a field, by its index. */
  set(i: number, field: number, value: number): void {
    this.words[POINT_WORDS * i + field] = value;
  }

  /** Sets the values of all fields, which begin at `from` of `numbers`. */
  setFields(i: number, numbers: Float64Array, from: number): void {
    for (let field = 0; field < FLAGS; field += 1) this.words[POINT_WORDS * i + field] = numbers[from + field]!;
  }

  /** Makes room for `capacity` points. */
  reserve(capacity: number): void {
    if (capacity <= this.timeMs.length) return;
    const { timeMs, words } = this;
    const points = Math.max(capacity, 2 * timeMs.length);
    this.timeMs = new Float64Array(points);
    this.timeMs.set(timeMs);
    this.words = new Int32Array(POINT_WORDS * points);
    this.words.set(words);
  }

  /** Overwrites point `at` with one of other points. */
  copy(at: number, from: Points, index: number): void {
    this.timeMs[at] = from.timeMs[index]!;
    const { words } = this;
    const source = from.words;
    for (let word = 0; word < POINT_WORDS; word += 1) words[POINT_WORDS * at + word] = source[POINT_WORDS * index + word]!;
  }

  /** Adds a copy of one of other points. */
  push(from: Points, index: number): void {
    this.reserve(this.count + 1);
    this.copy(this.count, from, index);
    this.count += 1;
  }
}
