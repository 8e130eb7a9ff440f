// Counts of each feeder in a partition, beside the counts of all receivers: clean DF 17, aircraft, ranges and signal of a minute of event time, and
// until when they make it a Contributor. README.md has the rules. Receivers whose frames a feeder passes on, and sources of our own, have no row.
import { FEEDER_DIRECTIONS, isFeederId, type ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import { cosine, UNIT } from '../geo/direction.ts';
import { distanceBetweenM } from '../geo/distance.ts';
import { deciDbfsOfMean } from './signal.ts';

const MINUTE_MS = 60_000;
/** This many clean DF 17 within ten minutes make a feeder a Contributor for this long after the last. */
export const CONTRIBUTOR_FRAMES = 100;
export const CONTRIBUTOR_MS = 86_400_000;
/** The minute that has begun and the nine before it. */
const MINUTES_BEFORE = 9;
/** Fewer judged positions in a minute decide nothing. */
export const COMPARED_MIN = 20;

/** Numbers kept per feeder. From where ranges are measured in this minute: microdegrees, and the cosine of the latitude. A cosine of 0: unknown. */
const CENTRE_LATITUDE = 0;
const CENTRE_LONGITUDE = 1;
const CENTRE_COSINE = 2;
/** Counts when the minute began. */
const FRAMES_BEFORE = 3;
const CLEAN_BEFORE = 4;
const SQUARES_BEFORE = 5;
const POSITIONS_BEFORE = 6;
const CORROBORATED_BEFORE = 7;
const DISAGREEMENTS_BEFORE = 8;
/** Ms since the Unix epoch; 0 never. */
const CONTRIBUTOR_UNTIL = 9;
/** 1: a record was written for the last minute, so a last one is due when it falls silent. */
const IS_HEARD = 10;
/** 1: others contradicted it in the last minute. */
const IS_CONTRADICTED = 11;
/** Values of the last whole minute. */
const LAST_AIRCRAFT = 12;
const LAST_SIGNAL = 13;
const CLEAN_MINUTES = 14;
/** The farthest position of this minute in each direction: square of its distance on the plane, latitude, longitude. */
const FARTHEST = CLEAN_MINUTES + MINUTES_BEFORE;
const LATITUDES = FARTHEST + FEEDER_DIRECTIONS;
const LONGITUDES = LATITUDES + FEEDER_DIRECTIONS;
const LAST_RANGES = LONGITUDES + FEEDER_DIRECTIONS;
export const FEEDER_NUMBERS = LAST_RANGES + FEEDER_DIRECTIONS;

const FIRST_ROWS = 16;
const NOTE_WORDS = 4;
const NOTES = 1024;
const TURN = 360_000_000;
const METRES_PER_NM = 1852;
/** Tangents of the edges of sectors, 11.25° and 33.75°. */
const EDGE_1 = 0.198_912_367_379_658;
const EDGE_2 = 0.668_178_637_919_299;

/** Counts of one receiver at the end of a tick. Counts are since the log began. */
interface ReceiverNow {
  readonly frames: number;
  readonly positions: number;
  readonly corroborated: number;
  readonly disagreements: number;
  readonly clean: number;
  /** Time of the last clean DF 17, ms since the Unix epoch. */
  readonly cleanMs: number;
  readonly cleanSquares: number;
}

/** Middle of a receiver's coverage, microdegrees; null while it is unknown. */
export type Centre = { readonly latitudeMicrodeg: number; readonly longitudeMicrodeg: number } | null;

export class FeederRows {
  /** Row of a feeder is at (row − 1) · FEEDER_NUMBERS; rows count from 1, in the order of their first frames. */
  numbers = new Float64Array(FIRST_ROWS * FEEDER_NUMBERS);
  /** Number of the receiver of each row. */
  readonly receivers: number[] = [];
  /** Aircraft that it gave positions of in this minute: `stride` words per row, a bit for each slot of the table. */
  aircraft = new Int32Array(FIRST_ROWS);
  stride = 1;
  /** Positions that are not taken yet: receiver, slot, latitude, longitude. */
  private readonly notes = new Int32Array(NOTE_WORDS * NOTES);
  private noted = 0;
  /** Ticks before have nothing to do here: no minute ends, and all feeders are Contributors. */
  openMs = 0;
  /** Row by number of a receiver; 0: it has none. */
  private rows = new Uint16Array(FIRST_ROWS);

  /** A receiver has got its number. */
  add(number: number, id: string): void {
    if (number >= this.rows.length) {
      const rows = new Uint16Array(2 * number);
      rows.set(this.rows);
      this.rows = rows;
    }
    if (!isFeederId(id)) return;
    this.receivers.push(number);
    this.rows[number] = this.receivers.length;
    this.openMs = 0;
    if (this.receivers.length * this.stride > this.aircraft.length) this.spread(this.stride, 2 * this.receivers.length);
    if (this.receivers.length * FEEDER_NUMBERS <= this.numbers.length) return;
    const numbers = new Float64Array(2 * this.numbers.length);
    numbers.set(this.numbers);
    this.numbers = numbers;
  }

  /**
   * An accepted position of an aircraft that this receiver heard, microdegrees. Odd ones are enough: an aircraft sends one a second. They are taken
   * together, at the end of a tick: one by one, within the loop over frames, they cost twice as much.
   */
  notePosition(number: number, slot: number, latitude: number, longitude: number): void {
    const { noted, notes } = this;
    notes[noted] = number;
    notes[noted + 1] = slot;
    notes[noted + 2] = latitude;
    notes[noted + 3] = longitude;
    this.noted = noted + NOTE_WORDS;
    if (this.noted === notes.length) this.takeNotes();
  }

  /** Takes the positions noted since the last call. */
  takeNotes(): void {
    const { noted, notes } = this;
    for (let at = 0; at < noted; at += NOTE_WORDS) this.takePosition(notes[at]!, notes[at + 1]!, notes[at + 2]!, notes[at + 3]!);
    this.noted = 0;
  }

  /** Which position is the farthest is decided on a plane, without trigonometry; its distance is measured when the minute ends. */
  private takePosition(number: number, slot: number, latitude: number, longitude: number): void {
    const row = this.rows[number]!;
    if (row === 0) return;
    const word = slot >>> 5;
    if (word >= this.stride) this.spread(2 * word, this.aircraft.length / this.stride);
    this.aircraft[(row - 1) * this.stride + word]! |= 1 << (slot & 31);
    const { numbers } = this;
    const at = (row - 1) * FEEDER_NUMBERS;
    const ring = numbers[at + CENTRE_COSINE]!;
    if (ring === 0) return;
    const north = latitude - numbers[at + CENTRE_LATITUDE]!;
    let east = longitude - numbers[at + CENTRE_LONGITUDE]!;
    if (east > TURN / 2) east -= TURN;
    else if (east < -TURN / 2) east += TURN;
    const x = east * ring;
    const square = x * x + north * north;
    const sector = at + sectorOf(x, north);
    if (square <= numbers[sector + FARTHEST]!) return;
    numbers[sector + FARTHEST] = square;
    numbers[sector + LATITUDES] = latitude;
    numbers[sector + LONGITUDES] = longitude;
  }

  /** Ends a tick: `beforeMs` is the one before it. Returns the rows whose records are due. */
  closeTick(beforeMs: number, tickMs: number, nowOf: (number: number) => ReceiverNow, centreOf: (number: number) => Centre): number[] {
    const minutes = Math.floor(tickMs / MINUTE_MS) - Math.floor(beforeMs / MINUTE_MS);
    const due: number[] = [];
    this.openMs = tickMs - (tickMs % MINUTE_MS) + MINUTE_MS;
    for (let row = 1; row <= this.receivers.length; row += 1) {
      const at = (row - 1) * FEEDER_NUMBERS;
      if (minutes > 0 || this.numbers[at + CONTRIBUTOR_UNTIL]! <= tickMs) {
        const now = nowOf(this.receivers[row - 1]!);
        if (minutes > 0 ? this.closeMinute(row, minutes, tickMs, now) : this.begins(at, tickMs, now)) {
          due.push(row);
          if (minutes > 0) this.setCentre(at, centreOf(this.receivers[row - 1]!));
        }
      }
      this.openMs = Math.min(this.openMs, this.numbers[at + CONTRIBUTOR_UNTIL]!);
    }
    return due;
  }

  /** The members of a record that this table knows. */
  recordOf(row: number): Pick<ReceiverRecord, 'aircraft' | 'rangeNm' | 'signalDecidb' | 'contributorUntilMs'> {
    const at = (row - 1) * FEEDER_NUMBERS;
    const ranges = this.numbers.subarray(at + LAST_RANGES, at + LAST_RANGES + FEEDER_DIRECTIONS);
    const signal = this.numbers[at + LAST_SIGNAL]!;
    return {
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
  private closeMinute(row: number, minutes: number, tickMs: number, now: ReceiverNow): boolean {
    const { numbers } = this;
    const at = (row - 1) * FEEDER_NUMBERS;
    const isHeard = now.frames > numbers[at + FRAMES_BEFORE]!;
    const wasHeard = numbers[at + IS_HEARD] === 1;
    // The last record is still right.
    if (!isHeard && !wasHeard) {
      this.shiftMinutes(at, minutes, 0);
      return false;
    }
    const clean = now.clean - numbers[at + CLEAN_BEFORE]!;
    const isContradicted = this.isContradicted(at, now);
    if (isContradicted) {
      numbers.fill(0, at + CLEAN_MINUTES, at + CLEAN_MINUTES + MINUTES_BEFORE);
      numbers[at + CONTRIBUTOR_UNTIL] = Math.min(numbers[at + CONTRIBUTOR_UNTIL]!, tickMs);
    } else if (clean + this.recent(at) >= CONTRIBUTOR_FRAMES || numbers[at + CONTRIBUTOR_UNTIL]! > tickMs) {
      this.extend(at, now);
    }
    this.shiftMinutes(at, minutes, isContradicted ? 0 : clean);
    numbers[at + LAST_SIGNAL] = clean === 0 ? 0 : (now.cleanSquares - numbers[at + SQUARES_BEFORE]!) / clean;
    numbers[at + LAST_AIRCRAFT] = this.takeAircraft(row);
    this.measureRanges(at);
    numbers[at + IS_CONTRADICTED] = isContradicted ? 1 : 0;
    numbers[at + IS_HEARD] = isHeard ? 1 : 0;
    numbers[at + FRAMES_BEFORE] = now.frames;
    numbers[at + CLEAN_BEFORE] = now.clean;
    numbers[at + SQUARES_BEFORE] = now.cleanSquares;
    numbers[at + POSITIONS_BEFORE] = now.positions;
    numbers[at + DISAGREEMENTS_BEFORE] = now.disagreements;
    numbers[at + CORROBORATED_BEFORE] = now.corroborated;
    return true;
  }

  /** Most of the positions of this minute that others could judge were refused. */
  private isContradicted(at: number, { positions, corroborated, disagreements }: ReceiverNow): boolean {
    const { numbers } = this;
    const against = disagreements - numbers[at + DISAGREEMENTS_BEFORE]!;
    const agreed = positions - numbers[at + POSITIONS_BEFORE]! + corroborated - numbers[at + CORROBORATED_BEFORE]!;
    const compared = agreed + against;
    return compared >= COMPARED_MIN && 2 * against > compared;
  }

  /** A feeder becomes a Contributor within a minute. */
  private begins(at: number, tickMs: number, now: ReceiverNow): boolean {
    const recent = now.clean - this.numbers[at + CLEAN_BEFORE]! + this.recent(at);
    if (recent < CONTRIBUTOR_FRAMES || this.isContradicted(at, now)) return false;
    this.extend(at, now);
    return this.numbers[at + CONTRIBUTOR_UNTIL]! > tickMs;
  }

  /** Clean DF 17 in the nine minutes before this one. */
  private recent(at: number): number {
    let sum = 0;
    for (let i = 0; i < MINUTES_BEFORE; i += 1) sum += this.numbers[at + CLEAN_MINUTES + i]!;
    return sum;
  }

  private extend(at: number, { cleanMs }: ReceiverNow): void {
    const { numbers } = this;
    numbers[at + CONTRIBUTOR_UNTIL] = Math.max(numbers[at + CONTRIBUTOR_UNTIL]!, cleanMs + CONTRIBUTOR_MS);
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

  private measureRanges(at: number): void {
    const { numbers } = this;
    const latitude = numbers[at + CENTRE_LATITUDE]!;
    const longitude = numbers[at + CENTRE_LONGITUDE]!;
    for (let sector = at; sector < at + FEEDER_DIRECTIONS; sector += 1) {
      const isFree = numbers[sector + FARTHEST] === 0;
      numbers[sector + LAST_RANGES] = isFree
        ? 0
        : distanceBetweenM(latitude, longitude, numbers[sector + LATITUDES]!, numbers[sector + LONGITUDES]!);
    }
    numbers.fill(0, at + FARTHEST, at + LAST_RANGES);
  }

  private setCentre(at: number, centre: Centre): void {
    const { numbers } = this;
    numbers[at + CENTRE_LATITUDE] = centre?.latitudeMicrodeg ?? 0;
    numbers[at + CENTRE_LONGITUDE] = centre?.longitudeMicrodeg ?? 0;
    numbers[at + CENTRE_COSINE] = centre === null ? 0 : cosine(centre.latitudeMicrodeg) / UNIT;
  }

  /** Number of the aircraft of a row, which begins again. */
  private takeAircraft(row: number): number {
    const { aircraft, stride } = this;
    let count = 0;
    for (let at = (row - 1) * stride; at < row * stride; at += 1) {
      for (let remaining = aircraft[at]!; remaining !== 0; remaining &= remaining - 1) count += 1;
      aircraft[at] = 0;
    }
    return count;
  }

  /** The words of a row. */
  heard(row: number): Int32Array {
    return this.aircraft.subarray((row - 1) * this.stride, row * this.stride);
  }

  /** Room for `rows` rows of `stride` words. */
  spread(stride: number, rows: number): void {
    const aircraft = new Int32Array(stride * rows);
    for (let row = 1; row * this.stride <= this.aircraft.length; row += 1) aircraft.set(this.heard(row), (row - 1) * stride);
    this.aircraft = aircraft;
    this.stride = stride;
  }
}

/** The sector whose middle is nearest, clockwise from north. */
function sectorOf(east: number, north: number): number {
  const a = Math.abs(east);
  const b = Math.abs(north);
  let sector = 2;
  if (a < EDGE_1 * b) sector = 0;
  else if (a < EDGE_2 * b) sector = 1;
  else if (b < EDGE_1 * a) sector = 4;
  else if (b < EDGE_2 * a) sector = 3;
  if (north < 0) sector = 8 - sector;
  return east < 0 ? (FEEDER_DIRECTIONS - sector) % FEEDER_DIRECTIONS : sector;
}

/** Without the zeros at the end: how much room a row has does not show in a snapshot. */
export function usedWords(words: Int32Array): Int32Array {
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return words.subarray(0, end);
}
