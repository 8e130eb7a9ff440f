// The records of all aircraft in one growable buffer with a fixed stride, found through an integer hash: no allocation per frame.
// layout.ts has the offset of each value.
import { ABSENT } from '../../schemas/absent.ts';
import { limits } from '../../schemas/limits/index.ts';
import {
  B_KIND,
  B_NEWCOMER,
  B_SIL_TYPE,
  B_VERSION_ADSB,
  B_VERSION_ADSR,
  B_VERSION_TISB,
  CORROBORATING_RECEIVERS,
  DISCARDED_POSITIONS,
  FIELD_COUNT,
  FREE,
  H_CORROBORATING,
  NEVER,
  NOTHING,
  SOURCES,
  STRIDE_BYTES,
  STRIDE_WORDS,
  TIMES,
  VALUES,
  W_EMITTED,
  W_EXPIRY,
  W_KEY,
  W_KIND_TIME,
  W_SEEN,
  W_SIGNAL_TIME,
  X_ADVISORY_TIME,
  X_CALC_TRACK,
  X_CORROBORATING_TIMES,
  X_DECLINATION_TIME,
  X_DISCARDED_TIME,
  X_DISCARDED_TIMES,
  X_FLIGHT,
  X_GPS_OK_TIME,
  X_LONGITUDE,
  X_OUTVOTED_TIME,
  X_POSITION_SPEED,
  X_PREVIOUS_TIME,
  X_SQUAWK_HEARD,
  X_SQUAWK_HEARD_TIME,
  X_TEMPERATURE_TIME,
  X_WIND_TIME,
} from './layout.ts';
import { Newcomers } from './newcomers.ts';

/** Words of a cache line. */
const LINE_WORDS = 16;
const FIRST_CAPACITY = 256;
const WORDS_THAT_START_ABSENT = [X_POSITION_SPEED, X_CALC_TRACK, X_SQUAWK_HEARD];
const WORDS_THAT_START_NEVER = [
  W_SEEN,
  W_EMITTED,
  W_EXPIRY,
  W_SIGNAL_TIME,
  W_KIND_TIME,
  X_PREVIOUS_TIME,
  X_SQUAWK_HEARD_TIME,
  X_WIND_TIME,
  X_TEMPERATURE_TIME,
  X_DISCARDED_TIME,
  X_OUTVOTED_TIME,
  X_DECLINATION_TIME,
  X_GPS_OK_TIME,
  X_ADVISORY_TIME,
];
const BYTES_THAT_START_NOTHING = [B_KIND, B_VERSION_ADSB, B_VERSION_ADSR, B_VERSION_TISB, B_SIL_TYPE];
/** All words that hold a time: a change of the time base moves them. */
const TIME_WORDS = [
  ...WORDS_THAT_START_NEVER,
  ...Array.from({ length: FIELD_COUNT }, (_, field) => TIMES + 2 * field),
  ...Array.from({ length: DISCARDED_POSITIONS }, (_, i) => X_DISCARDED_TIMES + i),
  ...Array.from({ length: CORROBORATING_RECEIVERS }, (_, i) => X_CORROBORATING_TIMES + i),
];

/** The records, their hash and the free list. An aircraft keeps its slot for its whole life. */
export class AircraftTable {
  words: Int32Array;
  halves: Uint16Array;
  bytes: Uint8Array;
  /** Slots below this one were used at least once. */
  highWater = 0;
  count = 0;
  /** Free slots; the last one is used first. */
  readonly free: number[] = [];
  readonly newcomers = new Newcomers();
  /** Without meaning; stops the optimizer from removing the reads of `touch`. */
  touched = 0;
  private hash: Int32Array;
  private mask: number;
  private readonly capacityMax: number;

  constructor(capacityMax: number = limits.aircraftPerPartitionMax) {
    this.capacityMax = capacityMax;
    const buffer = new ArrayBuffer(Math.min(FIRST_CAPACITY, capacityMax) * STRIDE_BYTES);
    this.words = new Int32Array(buffer);
    this.halves = new Uint16Array(buffer);
    this.bytes = new Uint8Array(buffer);
    this.hash = new Int32Array(4 * FIRST_CAPACITY);
    this.mask = this.hash.length - 1;
  }

  /** Slot of a key, −1 when it has none. */
  find(key: number): number {
    const { hash, mask, words } = this;
    let at = mix(key) & mask;
    for (;;) {
      const entry = hash[at]!;
      if (entry === 0) return -1;
      if (words[(entry - 1) * STRIDE_WORDS + W_KEY] === key) return entry - 1;
      at = (at + 1) & mask;
    }
  }

  /** Reads one word of each cache line that most messages need of the key's record, if it exists: touch-ahead.ts. The row of a position also has call sign and squawk. */
  touch(key: number, isPosition: boolean): void {
    const slot = this.find(key);
    if (slot < 0) return;
    const { words } = this;
    const at = slot * STRIDE_WORDS;
    const values = words[at + VALUES]! ^ words[at + VALUES + LINE_WORDS]!;
    this.touched ^= words[at + SOURCES / 4]! ^ words[at + X_LONGITUDE]! ^ values ^ words[at + H_CORROBORATING / 2]!;
    if (isPosition) this.touched ^= words[at + X_FLIGHT]!;
  }

  /** A new record for a key that has none; −1 when the table is full. */
  add(key: number): number {
    if (this.count >= this.capacityMax) return -1;
    const slot = this.free.length > 0 ? this.free.pop()! : this.highWater;
    if (slot === this.highWater) this.highWater += 1;
    this.reserve(this.highWater);
    this.occupy(key, slot);
    const { words, bytes } = this;
    const at = slot * STRIDE_WORDS;
    words.fill(0, at, at + STRIDE_WORDS);
    words[at + W_KEY] = key;
    for (const word of TIME_WORDS) words[at + word] = NEVER;
    for (const word of WORDS_THAT_START_ABSENT) words[at + word] = ABSENT;
    for (const byte of BYTES_THAT_START_NOTHING) bytes[slot * STRIDE_BYTES + byte] = NOTHING;
    bytes[slot * STRIDE_BYTES + B_NEWCOMER] = 1;
    this.newcomers.add(slot);
    return slot;
  }

  /** Removes the aircraft in a slot. */
  remove(slot: number): void {
    if (this.bytes[slot * STRIDE_BYTES + B_NEWCOMER] === 1) this.newcomers.remove(slot);
    this.unhash(this.words[slot * STRIDE_WORDS + W_KEY]!);
    this.words[slot * STRIDE_WORDS + W_KEY] = FREE;
    this.free.push(slot);
    this.count -= 1;
  }

  isLive(slot: number): boolean {
    return this.words[slot * STRIDE_WORDS + W_KEY] !== FREE;
  }

  /** Moves all times of all aircraft `byMs` into the past, after a change of the time base. */
  shiftTimes(byMs: number): void {
    for (let slot = 0; slot < this.highWater; slot += 1) {
      if (!this.isLive(slot)) continue;
      for (const word of TIME_WORDS) {
        const at = slot * STRIDE_WORDS + word;
        this.words[at] = Math.max(NEVER, this.words[at]! - byMs);
      }
    }
  }

  /** Restores a record from a snapshot. `record` has STRIDE_BYTES bytes. */
  restore(slot: number, record: Uint8Array): void {
    this.bytes.set(record, slot * STRIDE_BYTES);
    this.occupy(this.words[slot * STRIDE_WORDS + W_KEY]!, slot);
  }

  /** Marks all slots below `highWater` as free, before records are restored. */
  clear(highWater: number): void {
    this.highWater = highWater;
    this.reserve(highWater);
    for (let slot = 0; slot < highWater; slot += 1) this.words[slot * STRIDE_WORDS + W_KEY] = FREE;
  }

  private occupy(key: number, slot: number): void {
    this.count += 1;
    if (this.count * 2 > this.hash.length) this.rehash(this.hash.length * 2);
    this.insert(key, slot);
  }

  private insert(key: number, slot: number): void {
    let at = mix(key) & this.mask;
    while (this.hash[at] !== 0) at = (at + 1) & this.mask;
    this.hash[at] = slot + 1;
  }

  private rehash(size: number): void {
    const old = this.hash;
    this.hash = new Int32Array(size);
    this.mask = size - 1;
    for (const entry of old) if (entry !== 0) this.insert(this.words[(entry - 1) * STRIDE_WORDS + W_KEY]!, entry - 1);
  }

  /** Removes a key and closes the gap, so that later entries of its run are still found. */
  private unhash(key: number): void {
    const { hash, mask, words } = this;
    let gap = mix(key) & mask;
    while (words[(hash[gap]! - 1) * STRIDE_WORDS + W_KEY] !== key) gap = (gap + 1) & mask;
    hash[gap] = 0;
    for (let at = (gap + 1) & mask; hash[at] !== 0; at = (at + 1) & mask) {
      const home = mix(words[(hash[at]! - 1) * STRIDE_WORDS + W_KEY]!) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      hash[gap] = hash[at]!;
      hash[at] = 0;
      gap = at;
    }
  }

  private reserve(count: number): void {
    if (count * STRIDE_WORDS <= this.words.length) return;
    let capacity = this.words.length / STRIDE_WORDS;
    while (capacity < count) capacity *= 2;
    const bytes = new Uint8Array(Math.min(capacity, Math.max(this.capacityMax, count)) * STRIDE_BYTES);
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.words = new Int32Array(bytes.buffer);
    this.halves = new Uint16Array(bytes.buffer);
  }
}

/** Spreads addresses over the hash: they are assigned in national blocks. */
function mix(key: number): number {
  const product = Math.imul(key, 0x9e37_79b1);
  return product ^ (product >>> 15);
}
