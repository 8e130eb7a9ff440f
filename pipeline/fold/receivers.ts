// Receivers by number: what each gave, how late it is, and where it roughly is: what surface positions are decoded against while an
// aircraft's own place is unknown. A receiver's place is told (one for all), or learnt from the airborne positions that it gave.
import { limits } from '../../schemas/limits.ts';
import { REASON_DUPLICATE, REASON_POSITION_IMPLAUSIBLE } from './address-filter.ts';

/** Microdegrees. */
export interface Place {
  readonly latitudeMicrodeg: number;
  readonly longitudeMicrodeg: number;
}

/** A place in degrees as one. */
export function placeOf(degrees: { readonly lat: number; readonly lon: number } | null): Place | null {
  return degrees && { latitudeMicrodeg: Math.round(degrees.lat * 1e6), longitudeMicrodeg: Math.round(degrees.lon * 1e6) };
}

/** What one receiver gave since the log began. */
export interface ReceiverCounts {
  readonly id: string;
  /** All frames, noise too. */
  readonly frames: number;
  /** Those that took effect. */
  readonly messages: number;
  /** Those that another receiver had given before. */
  readonly copies: number;
  /** Positions that became an aircraft's position. */
  readonly positions: number;
  /** Against the others: positions that cannot be, clocks too far off to be followed. */
  readonly disagreements: number;
  /** How much later than the earliest it is; lateness.ts. */
  readonly lateMs: number;
  /** Event time of its last frame. */
  readonly heardMs: number;
}

/** Stands for receivers that are too many to tell apart. */
export const OTHER_RECEIVERS = 'other';

/** Both together; of lateness and last time the greater. */
export function addCounts(a: ReceiverCounts, b: ReceiverCounts): ReceiverCounts {
  return {
    id: a.id,
    frames: a.frames + b.frames,
    messages: a.messages + b.messages,
    copies: a.copies + b.copies,
    positions: a.positions + b.positions,
    disagreements: a.disagreements + b.disagreements,
    lateMs: Math.max(a.lateMs, b.lateMs),
    heardMs: Math.max(a.heardMs, b.heardMs),
  };
}

/** Numbers kept per receiver, a row each; number 0 is nobody and has a row too. */
export const RECEIVER_NUMBERS = 17;
/** Frames by what became of them: took effect, copies of what others had given, refused. */
const R_MESSAGES = 0;
const R_COPIES = 1;
const R_REFUSED = 2;
export const R_POSITIONS = 3;
export const R_DISAGREEMENTS = 4;
/** Ms since the time base. */
const R_HEARD = 5;
/** When the next sample of its reach is due, likewise: beside what every frame writes. */
export const R_REACH_DUE = 6;
/** Positions counted for its place, least and greatest latitude, least and greatest longitude. */
const R_PLACED = 7;
const R_LATITUDE_MIN = 8;
const R_LATITUDE_MAX = 9;
const R_LONGITUDE_MIN = 10;
const R_LONGITUDE_MAX = 11;
/** Its reach, reach.ts: samples, their weight, their mean as a vector. */
export const R_REACH_SAMPLES = 12;
export const R_REACH_WEIGHT = 13;
export const R_REACH_X = 14;
export const R_REACH_Y = 15;
export const R_REACH_Z = 16;

/** Words of lateness.ts kept per receiver, the first two of which others read: how late it is, and by how much its frames are later still, ms. */
export const LATENESS_WORDS = 9;

/** Fewer positions may come from one corner of what the receiver hears. */
const POSITIONS_MIN = 100;
/** A receiver hears 300 nm; positions that lie farther apart come from several receivers under one id, and tell no place. */
const LATITUDE_SPAN_MAX = 12_000_000;
const LONGITUDE_SPAN_MAX = 30_000_000;
const FIRST_RECEIVERS = 16;
const TURN = 360_000_000;

export class ReceiverTable {
  /** Where all receivers are, when that was told. */
  readonly told: Place | null;
  /** Id of number n stands at n − 1; number 0 is nobody. */
  readonly ids: string[] = [];
  /** Row n, of RECEIVER_NUMBERS, is number n's. */
  numbers = new Float64Array(FIRST_RECEIVERS * RECEIVER_NUMBERS);
  /** Row n, of LATENESS_WORDS, is number n's. */
  lateness = new Int32Array(FIRST_RECEIVERS * LATENESS_WORDS);
  private readonly byId = new Map<string, number>();
  private readonly learnt = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };

  constructor(told: Place | null) {
    this.told = told;
  }

  /** Number of an id, given on its first use; 0 when there are too many. */
  numberOf(id: string): number {
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    if (this.ids.length >= limits.receiversPerPartitionMax) return 0;
    this.ids.push(id);
    this.byId.set(id, this.ids.length);
    if ((this.ids.length + 1) * LATENESS_WORDS > this.lateness.length) this.grow();
    return this.ids.length;
  }

  /** Several receivers are known: only then there are copies. */
  get several(): boolean {
    return this.ids.length > 1;
  }

  /** Counts a frame, dated `now` ms after the time base, and what became of it: `reject` is the reason why it had no effect, −1 when it had. */
  countFrame(number: number, now: number, reject: number): void {
    const { numbers } = this;
    const at = number * RECEIVER_NUMBERS;
    numbers[at + R_HEARD] = now;
    numbers[at + (reject < 0 ? R_MESSAGES : reject === REASON_DUPLICATE ? R_COPIES : R_REFUSED)]! += 1;
    if (reject === REASON_POSITION_IMPLAUSIBLE) numbers[at + R_DISAGREEMENTS]! += 1;
  }

  /** Counts something else in a column of the receiver's row. */
  count(number: number, column: number): void {
    this.numbers[number * RECEIVER_NUMBERS + column]! += 1;
  }

  /** How much later than the earliest receiver. */
  lateMs(number: number): number {
    return this.lateness[number * LATENESS_WORDS]!;
  }

  /** How much later than that most of its frames are at most. */
  spreadMs(number: number): number {
    return this.lateness[number * LATENESS_WORDS + 1]!;
  }

  /** What receivers gave, in the order of their first frames; those beyond `most` together, as OTHER_RECEIVERS. */
  counts(most: number, timeBaseMs: number): ReceiverCounts[] {
    const counts = this.ids.slice(0, most).map((id, i) => this.countsOf(i + 1, id, timeBaseMs));
    if (this.ids.length <= most) return counts;
    let others = this.countsOf(most + 1, OTHER_RECEIVERS, timeBaseMs);
    for (let number = most + 2; number <= this.ids.length; number += 1)
      others = addCounts(others, this.countsOf(number, OTHER_RECEIVERS, timeBaseMs));
    return [...counts, others];
  }

  private countsOf(number: number, id: string, timeBaseMs: number): ReceiverCounts {
    const row = this.numbers.subarray(number * RECEIVER_NUMBERS, (number + 1) * RECEIVER_NUMBERS);
    return {
      id,
      frames: row[R_MESSAGES]! + row[R_COPIES]! + row[R_REFUSED]!,
      messages: row[R_MESSAGES]!,
      copies: row[R_COPIES]!,
      positions: row[R_POSITIONS]!,
      disagreements: row[R_DISAGREEMENTS]!,
      lateMs: this.lateMs(number),
      heardMs: timeBaseMs + row[R_HEARD]!,
    };
  }

  /** Moves all times `byMs` into the past, because the time base moved on. */
  shiftTimes(byMs: number): void {
    for (let at = 0; at < this.numbers.length; at += RECEIVER_NUMBERS) {
      this.numbers[at + R_HEARD]! -= byMs;
      this.numbers[at + R_REACH_DUE]! -= byMs;
    }
  }

  /** An airborne aircraft is surely there, and this receiver heard it. */
  learn(number: number, latitude: number, longitude: number): void {
    if (number === 0) return;
    const { numbers } = this;
    const at = number * RECEIVER_NUMBERS;
    const first = numbers[at + R_PLACED] === 0;
    numbers[at + R_PLACED]! += 1;
    if (first || latitude < numbers[at + R_LATITUDE_MIN]!) numbers[at + R_LATITUDE_MIN] = latitude;
    if (first || latitude > numbers[at + R_LATITUDE_MAX]!) numbers[at + R_LATITUDE_MAX] = latitude;
    // Across the antimeridian longitudes go on, so that east − west is what lies between.
    const west = numbers[at + R_LONGITUDE_MIN]!;
    const east = first ? 0 : longitude - west;
    const unwound = east > TURN / 2 ? longitude - TURN : east < -TURN / 2 ? longitude + TURN : longitude;
    if (first || unwound < west) numbers[at + R_LONGITUDE_MIN] = unwound;
    if (first || unwound > numbers[at + R_LONGITUDE_MAX]!) numbers[at + R_LONGITUDE_MAX] = unwound;
  }

  /** The receiver's place as far as it is known, good to some hundred km; null when it is not. The object is used again. */
  roughPlace(number: number): Place | null {
    if (this.told !== null) return this.told;
    if (number === 0) return null;
    const { numbers, learnt } = this;
    const at = number * RECEIVER_NUMBERS;
    if (numbers[at + R_PLACED]! < POSITIONS_MIN) return null;
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
