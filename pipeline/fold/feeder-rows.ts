// What a partition counts of each feeder beside the counts of all receivers: clean DF 17, aircraft, ranges and signal of a minute of event time, and
// until when they make it a Contributor. README.md has the rules. Receivers whose frames a feeder passes on, and sources of our own, have no row.
import { FEEDER_DIRECTIONS, isFeederId, type ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import { FLAG_MLAT, FLAG_REPAIRED_SHIFT } from '../../schemas/packed-frame.ts';
import { cosine, directionCentideg, UNIT } from '../geo/direction.ts';
import { type Move, moveBetween } from '../geo/distance.ts';
import { EARTH_RADIUS_M, RADIANS_PER_DEGREE } from '../geo/earth.ts';
import type { CurrentFrame } from './current-frame.ts';
import { deciDbfsOfMean } from './signal.ts';

export const MINUTE_MS = 60_000;
/** A feeder becomes a Contributor by so many clean DF 17 within ten minutes, and stays one for so long after the last. */
export const CONTRIBUTOR_FRAMES = 100;
export const CONTRIBUTOR_MS = 86_400_000;
/** The minute that has begun and the nine before it. */
const MINUTES_BEFORE = 9;
/** Fewer judged positions in a minute decide nothing. */
export const JUDGED_MIN = 20;

/** Numbers kept per feeder. Every frame writes the first four. */
const SIGNAL_SQUARES = 0;
const SIGNAL_COUNT = 1;
const CLEAN = 2;
/** Of the last clean DF 17, ms since the time base. */
const CLEAN_MS = 3;
/** Prompt duplicates of positions in this minute. */
const CORROBORATED = 4;
/** Counts when the minute began. */
const FRAMES_BEFORE = 5;
const CLEAN_BEFORE = 6;
const POSITIONS_BEFORE = 7;
const DISAGREEMENTS_BEFORE = 8;
/** Ms since the Unix epoch; 0 never. */
const CONTRIBUTOR_UNTIL = 9;
/** 1: a record was written for the last minute, so a last one is due when it falls silent. */
const IS_HEARD = 10;
/** 1: others contradicted it in the last minute. */
const IS_CONTRADICTED = 11;
/** From where ranges are measured in this minute: microdegrees, and the cosine of the latitude. A cosine of 0: unknown. */
const CENTRE_LATITUDE = 12;
const CENTRE_LONGITUDE = 13;
const CENTRE_COSINE = 14;
/** Of the last whole minute. */
const LAST_AIRCRAFT = 15;
const LAST_SIGNAL = 16;
const CLEAN_MINUTES = 17;
const RANGES = CLEAN_MINUTES + MINUTES_BEFORE;
const LAST_RANGES = RANGES + FEEDER_DIRECTIONS;
export const FEEDER_NUMBERS = LAST_RANGES + FEEDER_DIRECTIONS;

/** Flags of a frame that its receiver repaired, or that a server made. */
const MADE_ELSEWHERE = FLAG_MLAT | (3 << FLAG_REPAIRED_SHIFT);
const FIRST_ROWS = 16;
const TURN = 360_000_000;
const METRES_PER_NM = 1852;
/** A position that is farther on the plane than this share of the greatest range is measured on the sphere: below 75° of latitude the plane is not further off. */
const MEASURED_SHARE = 0.7;
const METRES_PER_MICRODEG = (EARTH_RADIUS_M * RADIANS_PER_DEGREE) / 1e6;
const MEASURED = METRES_PER_MICRODEG / MEASURED_SHARE;
const PLANE_SQUARE = MEASURED * MEASURED;
/** Keeps a direction of microdegrees in 31 bits. */
const PLANE_MAX = 0x3fff_ffff;
const SECTOR_CENTIDEG = 36_000 / FEEDER_DIRECTIONS;
const FIRST_WORDS = 8;

/** What other tables know of a receiver at the end of a tick. */
export interface ReceiverNow {
  readonly frames: number;
  readonly positions: number;
  readonly disagreements: number;
  /** Middle of its coverage, microdegrees; null while it is unknown. */
  readonly centre: { readonly latitudeMicrodeg: number; readonly longitudeMicrodeg: number } | null;
}

export class FeederRows {
  /** Row of a feeder is at (row − 1) · FEEDER_NUMBERS; rows count from 1, in the order of their first frames. */
  numbers = new Float64Array(FIRST_ROWS * FEEDER_NUMBERS);
  /** Number of the receiver of each row. */
  readonly receivers: number[] = [];
  /** Aircraft that it heard in this minute, a bit for each slot of the table. */
  readonly aircraft: Uint32Array[] = [];
  /** Row by number of a receiver; 0: it has none. */
  private rows = new Uint16Array(FIRST_ROWS);
  private readonly move: Move = { distanceM: 0, bearingCentideg: 0 };

  /** A receiver has got its number. */
  add(number: number, id: string): void {
    if (number >= this.rows.length) {
      const rows = new Uint16Array(2 * number);
      rows.set(this.rows);
      this.rows = rows;
    }
    if (!isFeederId(id)) return;
    this.receivers.push(number);
    this.aircraft.push(new Uint32Array(0));
    this.rows[number] = this.receivers.length;
    if (this.receivers.length * FEEDER_NUMBERS <= this.numbers.length) return;
    const numbers = new Float64Array(2 * this.numbers.length);
    numbers.set(this.numbers);
    this.numbers = numbers;
  }

  /** Notes a frame. `isClean`: a DF 17 whose parity is right as it is in the log. `slot` of its aircraft, −1 for none. */
  note({ receiver, now, signal, flags }: CurrentFrame, isClean: boolean, slot: number): void {
    const row = this.rows[receiver]!;
    if (row === 0) return;
    const { numbers } = this;
    const at = (row - 1) * FEEDER_NUMBERS;
    // What a server made has no level of this receiver.
    if (signal > 0 && (flags & FLAG_MLAT) === 0) {
      numbers[at + SIGNAL_SQUARES]! += signal * signal;
      numbers[at + SIGNAL_COUNT]! += 1;
    }
    if (isClean && (flags & MADE_ELSEWHERE) === 0) {
      numbers[at + CLEAN]! += 1;
      if (now > numbers[at + CLEAN_MS]! || numbers[at + CLEAN] === 1) numbers[at + CLEAN_MS] = now;
    }
    if (slot < 0) return;
    const word = slot >>> 5;
    let bits = this.aircraft[row - 1]!;
    if (word >= bits.length) bits = this.grow(row, word);
    bits[word]! |= 1 << (slot & 31);
  }

  /** A prompt duplicate of a position. */
  corroborate(number: number): void {
    const row = this.rows[number]!;
    if (row > 0) this.numbers[(row - 1) * FEEDER_NUMBERS + CORROBORATED]! += 1;
  }

  /** An accepted position of an aircraft that this receiver heard, microdegrees. */
  noteRange(number: number, latitude: number, longitude: number): void {
    const row = this.rows[number]!;
    if (row === 0) return;
    const { numbers, move } = this;
    const at = (row - 1) * FEEDER_NUMBERS;
    const ring = numbers[at + CENTRE_COSINE]!;
    if (ring === 0) return;
    const north = latitude - numbers[at + CENTRE_LATITUDE]!;
    let east = longitude - numbers[at + CENTRE_LONGITUDE]!;
    if (east > TURN / 2) east -= TURN;
    else if (east < -TURN / 2) east += TURN;
    const x = east * ring;
    const greatest = numbers[at + RANGES + sectorOf(planeDirection(x, north))]!;
    if ((x * x + north * north) * PLANE_SQUARE < greatest * greatest) return;
    moveBetween(numbers[at + CENTRE_LATITUDE]! | 0, numbers[at + CENTRE_LONGITUDE]! | 0, latitude, longitude, move);
    if (move.bearingCentideg < 0) return;
    const range = at + RANGES + sectorOf(move.bearingCentideg);
    if (move.distanceM > numbers[range]!) numbers[range] = move.distanceM;
  }

  /** Moves all times `byMs` into the past, after a change of the time base. */
  shiftTimes(byMs: number): void {
    for (let row = 0; row < this.receivers.length; row += 1) this.numbers[row * FEEDER_NUMBERS + CLEAN_MS]! -= byMs;
  }

  /** Ends a tick: `beforeMs` is the one before it. Returns the rows whose records are due. */
  closeTick(beforeMs: number, tickMs: number, timeBaseMs: number, nowOf: (number: number) => ReceiverNow): number[] {
    const minutes = Math.floor(tickMs / MINUTE_MS) - Math.floor(beforeMs / MINUTE_MS);
    const due: number[] = [];
    for (let row = 1; row <= this.receivers.length; row += 1) {
      const at = (row - 1) * FEEDER_NUMBERS;
      if (minutes > 0) {
        if (this.closeMinute(row, minutes, tickMs, timeBaseMs, nowOf(this.receivers[row - 1]!))) due.push(row);
      } else if (this.numbers[at + CONTRIBUTOR_UNTIL]! <= tickMs && this.recent(at) >= CONTRIBUTOR_FRAMES) {
        if (this.isContradicted(at, nowOf(this.receivers[row - 1]!))) continue;
        this.extend(at, timeBaseMs);
        if (this.numbers[at + CONTRIBUTOR_UNTIL]! > tickMs) due.push(row);
      }
    }
    return due;
  }

  /** The members of a record that this table knows. */
  recordOf(row: number): Pick<ReceiverRecord, 'cleanDf17' | 'aircraft' | 'rangeNm' | 'signalDecidb' | 'contributorUntilMs'> {
    const at = (row - 1) * FEEDER_NUMBERS;
    const ranges = this.numbers.subarray(at + LAST_RANGES, at + LAST_RANGES + FEEDER_DIRECTIONS);
    const signal = this.numbers[at + LAST_SIGNAL]!;
    return {
      cleanDf17: this.numbers[at + CLEAN]!,
      aircraft: this.numbers[at + LAST_AIRCRAFT]!,
      rangeNm: Array.from(ranges, (metres) => Math.round(metres / METRES_PER_NM)),
      signalDecidb: signal === 0 ? null : deciDbfsOfMean(signal),
      contributorUntilMs: this.numbers[at + CONTRIBUTOR_UNTIL]!,
    };
  }

  /** Feeders that others contradicted in the last whole minute. */
  get contradicted(): number {
    let count = 0;
    for (let row = 0; row < this.receivers.length; row += 1) count += this.numbers[row * FEEDER_NUMBERS + IS_CONTRADICTED]!;
    return count;
  }

  /** Ends a minute; `minutes` have passed. True when a record is due: it was heard, or has just fallen silent. */
  private closeMinute(row: number, minutes: number, tickMs: number, timeBaseMs: number, now: ReceiverNow): boolean {
    const { numbers } = this;
    const at = (row - 1) * FEEDER_NUMBERS;
    const isHeard = now.frames > numbers[at + FRAMES_BEFORE]!;
    const wasHeard = numbers[at + IS_HEARD] === 1;
    // Nothing has changed since the last one.
    if (!isHeard && !wasHeard) {
      this.shiftMinutes(at, minutes, 0);
      return false;
    }
    const isContradicted = this.isContradicted(at, now);
    if (isContradicted) {
      numbers.fill(0, at + CLEAN_MINUTES, at + CLEAN_MINUTES + MINUTES_BEFORE);
      numbers[at + CONTRIBUTOR_UNTIL] = Math.min(numbers[at + CONTRIBUTOR_UNTIL]!, tickMs);
    } else if (this.recent(at) >= CONTRIBUTOR_FRAMES || numbers[at + CONTRIBUTOR_UNTIL]! > tickMs) {
      this.extend(at, timeBaseMs);
    }
    this.shiftMinutes(at, minutes, isContradicted ? 0 : numbers[at + CLEAN]! - numbers[at + CLEAN_BEFORE]!);
    const levels = numbers[at + SIGNAL_COUNT]!;
    numbers[at + LAST_SIGNAL] = levels === 0 ? 0 : numbers[at + SIGNAL_SQUARES]! / levels;
    numbers[at + LAST_AIRCRAFT] = bitsIn(this.aircraft[row - 1]!);
    numbers.copyWithin(at + LAST_RANGES, at + RANGES, at + RANGES + FEEDER_DIRECTIONS);
    numbers[at + IS_CONTRADICTED] = isContradicted ? 1 : 0;
    numbers[at + IS_HEARD] = isHeard ? 1 : 0;
    numbers[at + FRAMES_BEFORE] = now.frames;
    numbers[at + CLEAN_BEFORE] = numbers[at + CLEAN]!;
    numbers[at + POSITIONS_BEFORE] = now.positions;
    numbers[at + DISAGREEMENTS_BEFORE] = now.disagreements;
    numbers[at + CORROBORATED] = 0;
    numbers[at + SIGNAL_SQUARES] = 0;
    numbers[at + SIGNAL_COUNT] = 0;
    numbers.fill(0, at + RANGES, at + RANGES + FEEDER_DIRECTIONS);
    if (isHeard) this.aircraft[row - 1]!.fill(0);
    else this.aircraft[row - 1] = new Uint32Array(0);
    this.setCentre(at, now.centre);
    return true;
  }

  /** Most of the positions of this minute that others could judge were refused. */
  private isContradicted(at: number, { positions, disagreements }: ReceiverNow): boolean {
    const { numbers } = this;
    const against = disagreements - numbers[at + DISAGREEMENTS_BEFORE]!;
    const judged = positions - numbers[at + POSITIONS_BEFORE]! + numbers[at + CORROBORATED]! + against;
    return judged >= JUDGED_MIN && 2 * against > judged;
  }

  /** Clean DF 17 in this minute and the nine before it. */
  private recent(at: number): number {
    const { numbers } = this;
    let sum = numbers[at + CLEAN]! - numbers[at + CLEAN_BEFORE]!;
    for (let i = 0; i < MINUTES_BEFORE; i += 1) sum += numbers[at + CLEAN_MINUTES + i]!;
    return sum;
  }

  private extend(at: number, timeBaseMs: number): void {
    const { numbers } = this;
    numbers[at + CONTRIBUTOR_UNTIL] = Math.max(numbers[at + CONTRIBUTOR_UNTIL]!, timeBaseMs + numbers[at + CLEAN_MS]! + CONTRIBUTOR_MS);
  }

  /** Puts the count of the ended minute before the others; further minutes had none. */
  private shiftMinutes(at: number, minutes: number, clean: number): void {
    const { numbers } = this;
    const from = at + CLEAN_MINUTES;
    const by = Math.min(minutes, MINUTES_BEFORE);
    numbers.copyWithin(from + by, from, from + MINUTES_BEFORE - by);
    numbers.fill(0, from, from + by);
    if (minutes <= MINUTES_BEFORE) numbers[from + minutes - 1] = clean;
  }

  private setCentre(at: number, centre: ReceiverNow['centre']): void {
    const { numbers } = this;
    numbers[at + CENTRE_LATITUDE] = centre?.latitudeMicrodeg ?? 0;
    numbers[at + CENTRE_LONGITUDE] = centre?.longitudeMicrodeg ?? 0;
    numbers[at + CENTRE_COSINE] = centre === null ? 0 : cosine(centre.latitudeMicrodeg) / UNIT;
  }

  private grow(row: number, word: number): Uint32Array {
    const old = this.aircraft[row - 1]!;
    const bits = new Uint32Array(Math.max(FIRST_WORDS, 2 * word));
    bits.set(old);
    this.aircraft[row - 1] = bits;
    return bits;
  }
}

/** Direction on a plane, centidegrees; of what is beyond its range, any. */
function planeDirection(east: number, north: number): number {
  return directionCentideg(Math.min(PLANE_MAX, Math.max(-PLANE_MAX, east)) | 0, north | 0);
}

/** The sector whose middle is nearest: 0 is north. */
function sectorOf(centideg: number): number {
  return Math.floor((centideg + SECTOR_CENTIDEG / 2) / SECTOR_CENTIDEG) % FEEDER_DIRECTIONS;
}

function bitsIn(words: Uint32Array): number {
  let count = 0;
  for (let rest of words) for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Without the zeros at the end: how far an array has grown does not show in a snapshot. */
export function usedWords(words: Uint32Array): Uint32Array {
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return words.subarray(0, end);
}
