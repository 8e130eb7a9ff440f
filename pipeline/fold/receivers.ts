// Receivers by number: counts, lateness, and their rough position: the reference for surface positions while an aircraft's own position is
// unknown. The receiver position is configured (one for all), or learnt from the airborne positions that it gave.
import { limits } from '../../schemas/limits/index.ts';
import { REASON_DUPLICATE, REASON_POSITION_IMPLAUSIBLE } from './address-filter.ts';
import { type CurrentFrame, isOriginal } from './current-frame.ts';
import { FeederRows } from './feeder-rows.ts';

/** In microdegrees. */
export interface Coordinates {
  readonly latitudeMicrodeg: number;
  readonly longitudeMicrodeg: number;
}

/** Degrees as microdegrees. */
export function toMicrodegrees(degrees: { readonly lat: number; readonly lon: number } | null): Coordinates | null {
  return degrees && { latitudeMicrodeg: Math.round(degrees.lat * 1e6), longitudeMicrodeg: Math.round(degrees.lon * 1e6) };
}

/** Counts of one receiver since the log began. */
interface ReceiverCounts {
  readonly id: string;
  /** All frames, including noise. */
  readonly frames: number;
  /** Frames that changed a state. */
  readonly messages: number;
  /** Duplicates of another receiver's frames. */
  readonly duplicates: number;
  /** Positions that became an aircraft's position. */
  readonly positions: number;
  /** Contradictions to the others: impossible positions, clocks too far off to be corrected. */
  readonly disagreements: number;
  /** Lateness behind the earliest receiver; lateness.ts. */
  readonly lateMs: number;
  /** DF 17 whose parity is right without a repair. */
  readonly cleanDf17: number;
  /** Event time of its last frame. */
  readonly heardMs: number;
}

/** Numbers kept per receiver, one row of three cache lines each; number 0 is no receiver and has a row too. */
export const RECEIVER_NUMBERS = 24;
// The first line is what every frame writes.
/** Frames by result: took effect, duplicates, refused. */
export const R_MESSAGES = 0;
export const R_DUPLICATES = 1;
export const R_REFUSED = 2;
export const R_POSITIONS = 3;
/** Ms since the time base. */
const R_HEARD = 4;
/** Clean DF 17: number, the last one in ms since the time base, sum of the squares of their signal. */
export const R_CLEAN = 5;
export const R_CLEAN_HEARD = 6;
export const R_CLEAN_SQUARES = 7;
/** When the next sample of its coverage is due, ms since the time base. */
export const R_COVERAGE_DUE = 8;
export const R_DISAGREEMENTS = 9;
/** Positions counted for its rough position, least and greatest latitude, least and greatest longitude. */
const R_LEARNT = 10;
const R_LATITUDE_MIN = 11;
const R_LATITUDE_MAX = 12;
const R_LONGITUDE_MIN = 13;
const R_LONGITUDE_MAX = 14;
/** Its coverage, receiver-coverage.ts: samples, their weight, their mean as a vector. */
export const R_COVERAGE_SAMPLES = 15;
export const R_COVERAGE_WEIGHT = 16;
export const R_COVERAGE_X = 17;
export const R_COVERAGE_Y = 18;
export const R_COVERAGE_Z = 19;
/** Duplicates of positions that came promptly. */
export const R_CORROBORATED = 20;

/** Words of lateness.ts per receiver. Others read the first two: its lateness, and how much later than that its frames still are, ms. */
export const LATENESS_WORDS = 9;

/** Fewer positions may come from one corner of its range. */
const POSITIONS_MIN = 100;
/** A receiver hears 300 nm. Positions farther apart come from several receivers with one id, and give no position. */
const LATITUDE_SPAN_MAX = 12_000_000;
const LONGITUDE_SPAN_MAX = 30_000_000;
const FIRST_RECEIVERS = 16;
const TURN = 360_000_000;

export class ReceiverTable {
  /** Position of all receivers, when it is configured. */
  readonly given: Coordinates | null;
  /** Id of number n is at n − 1; number 0 is no receiver. */
  readonly ids: string[] = [];
  /** Row n, of RECEIVER_NUMBERS, belongs to number n. */
  numbers = new Float64Array(FIRST_RECEIVERS * RECEIVER_NUMBERS);
  /** Row n, of LATENESS_WORDS, belongs to number n. */
  lateness = new Int32Array(FIRST_RECEIVERS * LATENESS_WORDS);
  /** More about the feeders among them. */
  readonly feeders = new FeederRows();
  private readonly byId = new Map<string, number>();
  private readonly learnt = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };

  constructor(given: Coordinates | null) {
    this.given = given;
  }

  /** Number of an id, assigned on first use; 0 when there are too many. */
  numberOf(id: string): number {
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    if (this.ids.length >= limits.receiversPerPartitionMax) return 0;
    this.ids.push(id);
    this.byId.set(id, this.ids.length);
    this.feeders.add(this.ids.length, id);
    if ((this.ids.length + 1) * LATENESS_WORDS > this.lateness.length) this.grow();
    return this.ids.length;
  }

  /** More than one receiver is known: only then there are duplicates. */
  get several(): boolean {
    return this.ids.length > 1;
  }

  /** Counts a frame, dated `now` ms after the time base. `reject` is the reason for its rejection, −1 for none. */
  countFrame(number: number, now: number, reject: number): void {
    const { numbers } = this;
    const at = number * RECEIVER_NUMBERS;
    numbers[at + R_HEARD] = now;
    numbers[at + (reject < 0 ? R_MESSAGES : reject === REASON_DUPLICATE ? R_DUPLICATES : R_REFUSED)]! += 1;
    if (reject === REASON_POSITION_IMPLAUSIBLE) numbers[at + R_DISAGREEMENTS]! += 1;
  }

  /** Counts a DF 17 whose parity is right, unless a receiver repaired it or a server made it. */
  countClean(frame: CurrentFrame): void {
    if (!isOriginal(frame)) return;
    const { numbers } = this;
    const at = frame.receiver * RECEIVER_NUMBERS;
    numbers[at + R_CLEAN]! += 1;
    numbers[at + R_CLEAN_HEARD] = frame.now;
    numbers[at + R_CLEAN_SQUARES]! += frame.signal * frame.signal;
  }

  /** Adds one to another column of the receiver's row. */
  count(number: number, column: number): void {
    this.numbers[number * RECEIVER_NUMBERS + column]! += 1;
  }

  /** Lateness behind the earliest receiver. */
  lateMs(number: number): number {
    return this.lateness[number * LATENESS_WORDS]!;
  }

  /** Bound on how much later than that most of its frames are. */
  spreadMs(number: number): number {
    return this.lateness[number * LATENESS_WORDS + 1]!;
  }

  countsOf(number: number, timeBaseMs: number): ReceiverCounts {
    const row = this.numbers.subarray(number * RECEIVER_NUMBERS, (number + 1) * RECEIVER_NUMBERS);
    return {
      id: this.ids[number - 1]!,
      frames: row[R_MESSAGES]! + row[R_DUPLICATES]! + row[R_REFUSED]!,
      messages: row[R_MESSAGES]!,
      duplicates: row[R_DUPLICATES]!,
      positions: row[R_POSITIONS]!,
      disagreements: row[R_DISAGREEMENTS]!,
      cleanDf17: row[R_CLEAN]!,
      lateMs: this.lateMs(number),
      heardMs: timeBaseMs + row[R_HEARD]!,
    };
  }

  /** Receivers whose frames are dated back, and feeders that others contradicted in the last whole minute. */
  observed(): { readonly receiversLate: number; readonly feedersContradicted: number } {
    const receiversLate = this.ids.filter((_, i) => this.lateMs(i + 1) > 0).length;
    return { receiversLate, feedersContradicted: this.feeders.contradicted };
  }

  /** Moves all times `byMs` into the past, after a change of the time base. */
  shiftTimes(byMs: number): void {
    for (let at = 0; at < this.numbers.length; at += RECEIVER_NUMBERS) {
      this.numbers[at + R_HEARD]! -= byMs;
      this.numbers[at + R_CLEAN_HEARD]! -= byMs;
      this.numbers[at + R_COVERAGE_DUE]! -= byMs;
    }
  }

  /** Learns from the proven position of an airborne aircraft that this receiver heard. */
  learn(number: number, latitude: number, longitude: number): void {
    if (number === 0) return;
    const { numbers } = this;
    const at = number * RECEIVER_NUMBERS;
    const first = numbers[at + R_LEARNT] === 0;
    numbers[at + R_LEARNT]! += 1;
    if (first || latitude < numbers[at + R_LATITUDE_MIN]!) numbers[at + R_LATITUDE_MIN] = latitude;
    if (first || latitude > numbers[at + R_LATITUDE_MAX]!) numbers[at + R_LATITUDE_MAX] = latitude;
    // Longitudes continue across the antimeridian, so that east − west is the span.
    const west = numbers[at + R_LONGITUDE_MIN]!;
    const east = first ? 0 : longitude - west;
    const unwound = east > TURN / 2 ? longitude - TURN : east < -TURN / 2 ? longitude + TURN : longitude;
    if (first || unwound < west) numbers[at + R_LONGITUDE_MIN] = unwound;
    if (first || unwound > numbers[at + R_LONGITUDE_MAX]!) numbers[at + R_LONGITUDE_MAX] = unwound;
  }

  /** The receiver's position as far as known, accurate to some hundred km; null when unknown. The returned object is reused. */
  roughPosition(number: number): Coordinates | null {
    if (this.given !== null) return this.given;
    if (number === 0) return null;
    const { numbers, learnt } = this;
    const at = number * RECEIVER_NUMBERS;
    if (numbers[at + R_LEARNT]! < POSITIONS_MIN) return null;
    const south = numbers[at + R_LATITUDE_MIN]!;
    const north = numbers[at + R_LATITUDE_MAX]!;
    const west = numbers[at + R_LONGITUDE_MIN]!;
    const east = numbers[at + R_LONGITUDE_MAX]!;
    if (north - south > LATITUDE_SPAN_MAX || east - west > LONGITUDE_SPAN_MAX) return null;
    learnt.latitudeMicrodeg = Math.round((south + north) / 2) | 0;
    const middle = Math.round((west + east) / 2);
    learnt.longitudeMicrodeg = (middle - TURN * Math.floor((middle + TURN / 2) / TURN)) | 0;
    return learnt;
  }

  private grow(): void {
    const numbers = new Float64Array(2 * this.numbers.length);
    numbers.set(this.numbers);
    this.numbers = numbers;
    const lateness = new Int32Array(2 * this.lateness.length);
    lateness.set(this.lateness);
    this.lateness = lateness;
  }
}
