// Where each value of an aircraft lies: one record of fixed stride per aircraft in one growable buffer, found through an integer hash.
// A message touches the header, the line of source bytes and its own family's values, so a frame costs few cache lines and no allocation.
//
//   byte   0- 63  header: key, times, counts, small numbers             (W_*, B_*)
//   byte  64-127  one source byte per field, signal ring, more bytes    (SOURCES, B_*)
//   word  32- 47  the rest of the positions and of the CPR pair         (X_*)
//   word  48-121  value and time of each field, the frequent ones first (VALUES + 2 * field, TIMES + 2 * field)
//   word 122-157  squawk, call sign, weather, rare values, receivers    (X_*, H_* in half words)
//   word 158-207  recent frames
//
// Times are ms since the table's base (`timeBaseMs` of the fold), so that 31 bits hold them; NEVER is older than any time.
import { limits } from '../../schemas/limits.ts';
import { Newcomers } from './newcomers.ts';

export const STRIDE_WORDS = 208;
export const STRIDE_BYTES = 4 * STRIDE_WORDS;
/** Words of a cache line. */
const LINE_WORDS = 16;

/** A time before all others. Differences to any time fit 32 bits. */
export const NEVER = -0x4000_0000;

/** Key of a free record; keys are the address, with NON_ICAO for addresses that are not ICAO's. */
const FREE = -1;
export const NON_ICAO = 0x100_0000;

// Header words.
export const W_KEY = 0;
/** Last message whose address is beyond doubt. */
export const W_SEEN = 1;
export const W_MESSAGES = 2;
/** Tick of the last emission, and when the first of the values shown then expires: the aircraft is emitted again after that. NEVER: not worked out yet. */
export const W_EMITTED = 11;
export const W_EXPIRY = 3;
export const W_SIGNAL_TIME = 4;
export const W_KIND_TIME = 5;
/** Consistent global decodes of odd and of even frames, in hundredths. */
export const W_RELIABLE_ODD = 6;
export const W_RELIABLE_EVEN = 7;
/** The last place with good accuracy, and when that was. Each good position writes it: so it lies in a line that is at hand. */
export const X_GPS_OK_TIME = 13;
export const X_GPS_OK_LATITUDE = 14;
export const X_GPS_OK_LONGITUDE = 15;

// Header bytes.
export const B_RELIABLE_NIC = 33;
export const B_EVEN_NIC = 34;
export const B_ODD_NIC = 35;
/** CPR_* of the stored even and odd frame, and of the newest one. */
export const B_EVEN_TYPE = 36;
export const B_ODD_TYPE = 37;
export const B_LAST_TYPE = 38;
/** True while local decoding may use the aircraft's own last position. */
export const B_LOCAL_ALLOWED = 39;
/** 1: changed since the last emission. */
export const B_DIRTY = 40;
/** 1: headings are true; 0: magnetic (the default). */
export const B_HEADING_TRUE = 41;
/** 1: surface positions tell the heading; 0: the track (the default). */
export const B_SURFACE_HEADING = 42;
/** Messages that said the loss of satellite navigation, 0 to 20. */
export const B_GPS_LOST = 43;
/** 1: the address was heard from a transponder (DF 11 or 17), which also sends replies. */
export const B_TRANSPONDER = 48;
/** 1: too few messages yet to be sure that the aircraft is there; newcomers.ts. */
export const B_NEWCOMER = 49;

/** One byte per field: the source of its value, SOURCE_NONE when it has none. */
export const SOURCES = 64;
/** How often each discarded position was copied, in four bits each. */
export const H_DISCARDED_COPIES = 51;
/** Index into sourceKinds; NOTHING before the first message. */
export const B_KIND = 104;
export const B_VERSION_ADSB = 105;
export const B_VERSION_ADSR = 106;
export const B_VERSION_TISB = 107;
/** As in the message, 0 when unknown. */
export const B_CATEGORY = 108;
export const B_SIL_TYPE = 109;
export const B_RECENT_OTHER_NEXT = 110;
/** The last eight signal bytes. */
export const B_SIGNALS = 112;
export const B_SIGNAL_COUNT = 120;
export const B_SIGNAL_NEXT = 121;
export const B_ALTITUDE_RELIABLE = 122;
export const B_RECENT_POSITION_NEXT = 123;
/** Votes, 0 to 16, that the aircraft's own track or speed contradicts its positions. */
export const B_TRACK_DOUBT = 125;
export const B_SPEED_DOUBT = 126;
export const B_DISCARDED_NEXT = 127;

/** No value in a byte. */
export const NOTHING = 255;
export const CPR_NONE = 0;
export const CPR_AIRBORNE = 1;
export const CPR_SURFACE = 2;
/** TIS-B in fields of 12 bits: pairs with its like only, as the places of other pairs would be finer than they are. */
export const CPR_COARSE = 3;

// Fields: each has a value, a time and a source.
export const VALUES = 48;
export const TIMES = 49;
/** Value: latitude of the last position, microdegrees. */
export const F_POSITION = 0;
/** Value: latitude of the last reliable position. */
export const F_RELIABLE = 1;
/** Value: 17-bit latitude. */
export const F_CPR_EVEN = 2;
export const F_CPR_ODD = 3;
/** AIRBORNE, GROUND or UNCERTAIN. */
export const F_AIR_GROUND = 4;
export const F_ALERT = 5;
export const F_SPI = 6;
export const F_ALTITUDE_BARO = 7;
export const F_ALTITUDE_GEOM = 8;
export const F_GEOM_DELTA = 9;
export const F_GROUND_SPEED = 10;
export const F_TRACK = 11;
export const F_BARO_RATE = 12;
export const F_GEOM_RATE = 13;
export const F_NAC_V = 14;
export const F_NIC_A = 15;
export const F_IAS = 16;
export const F_TAS = 17;
export const F_MACH = 18;
export const F_MAG_HEADING = 19;
export const F_TRUE_HEADING = 20;
export const F_TRACK_RATE = 21;
export const F_ROLL = 22;
export const F_NAC_P = 23;
export const F_SIL = 24;
export const F_NIC_BARO = 25;
export const F_NIC_C = 26;
export const F_GVA = 27;
export const F_SDA = 28;
export const F_SQUAWK = 29;
export const F_EMERGENCY = 30;
export const F_CALLSIGN = 31;
export const F_NAV_QNH = 32;
export const F_NAV_MCP = 33;
export const F_NAV_FMS = 34;
export const F_NAV_HEADING = 35;
export const F_NAV_MODES = 36;
export const FIELD_COUNT = 37;

/** Values of F_AIR_GROUND. */
export const AIRBORNE = 0;
export const GROUND = 1;
export const UNCERTAIN = 2;

// Words without source and time of their own. The rest of the positions and of the CPR pair:
export const X_LONGITUDE = 32;
export const X_PREVIOUS_LATITUDE = 33;
export const X_PREVIOUS_LONGITUDE = 34;
export const X_PREVIOUS_TIME = 35;
export const X_RELIABLE_LONGITUDE = 36;
export const X_RELIABLE_RC = 37;
export const X_EVEN_LONGITUDE = 38;
export const X_ODD_LONGITUDE = 39;
export const X_EVEN_RC = 40;
export const X_ODD_RC = 41;
/** Ground speed when the last position came, ABSENT when unknown. */
export const X_POSITION_SPEED = 42;
/** Bearing of the last move of 100 m or more, centidegrees; ABSENT before. */
export const X_CALC_TRACK = 43;
/** Receiver of the last accepted position. */
export const X_POSITION_RECEIVER = 44;
/** When a position was last discarded as implausible; and receivers of the last four, whose places and times are X_DISCARDED*. */
export const H_DISCARDED_RECEIVERS = 2 * 45;
export const X_DISCARDED_TIME = 47;

// The rest.
export const X_SQUAWK_HEARD = 122;
export const X_SQUAWK_HEARD_TIME = 123;
/** Eight characters. */
export const X_FLIGHT = 124;
export const X_WIND_TIME = 126;
export const X_WIND_ALTITUDE = 127;
export const X_WIND_DIRECTION = 128;
export const X_WIND_SPEED = 129;
export const X_TEMPERATURE_TIME = 130;
export const X_OAT = 131;
export const X_TAT = 132;
/** Angle from true to magnetic north at the aircraft's place, centidegrees, east positive; and when it was worked out. */
export const X_DECLINATION = 133;
export const X_DECLINATION_TIME = 134;
/** The last ACAS report: when, and its seven bytes with the DF behind them. */
export const X_ADVISORY_TIME = 135;
export const X_ADVISORY = 136;
/** The last positions that were discarded: both CPR fields in one word, and when. */
export const X_DISCARDED = 138;
export const X_DISCARDED_TIMES = 142;
export const DISCARDED_PLACES = 4;
/** Receivers that gave positions or copies of them, and when each last did. */
export const H_WITNESSES = 2 * 146;
export const X_WITNESS_TIMES = 150;
export const WITNESSES = 7;
/** The receiver whose positions were outvoted last, and when. */
export const H_OUTVOTED = H_WITNESSES + WITNESSES;
export const X_OUTVOTED_TIME = 157;
/** Recent frames, of which the same may come from another receiver: airborne positions, then others; a tag byte and two words of each. */
export const X_RECENT_TAGS = 158;
export const X_RECENT = 164;
/** A bit for each of the others that was said again since the ring last came by: it stays once more. In what the tags leave free. */
export const H_RECENT_KEPT = 2 * 163 + 1;
export const RECENT_POSITIONS = 8;
export const RECENT_OTHERS = 14;
export const RECENT_FRAMES = RECENT_POSITIONS + RECENT_OTHERS;

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
/** As ABSENT of a message. */
const ABSENT = -0x8000_0000;

/** All words that hold a time: a change of the time base moves them. */
const TIME_WORDS = [
  ...WORDS_THAT_START_NEVER,
  ...Array.from({ length: FIELD_COUNT }, (_, field) => TIMES + 2 * field),
  ...Array.from({ length: DISCARDED_PLACES }, (_, i) => X_DISCARDED_TIMES + i),
  ...Array.from({ length: WITNESSES }, (_, i) => X_WITNESS_TIMES + i),
];

/** The records, the hash that finds them and the free list. Slots stay where they are for an aircraft's whole life. */
export class AircraftTable {
  words: Int32Array;
  halves: Uint16Array;
  bytes: Uint8Array;
  /** Slots below this one were used at least once. */
  highWater = 0;
  count = 0;
  /** Slots to use again, last one first. */
  readonly free: number[] = [];
  readonly newcomers = new Newcomers();
  /** Means nothing; it keeps the reads of `touch` from being optimized away. */
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

  /** Reads a word of each cache line that most messages need of the key's record, if it has one: touch-ahead.ts. */
  touch(key: number): void {
    const slot = this.find(key);
    if (slot < 0) return;
    const { words } = this;
    const at = slot * STRIDE_WORDS;
    const values = words[at + VALUES]! ^ words[at + VALUES + LINE_WORDS]!;
    this.touched ^= words[at + SOURCES / 4]! ^ words[at + X_LONGITUDE]! ^ values ^ words[at + H_WITNESSES / 2]!;
  }

  /** A fresh record for a key that has none; −1 when the table is full. */
  add(key: number): number {
    if (this.count >= this.capacityMax) return -1;
    const slot = this.free.length > 0 ? this.free.pop()! : this.highWater;
    if (slot === this.highWater) this.highWater += 1;
    this.reserve(this.highWater);
    this.place(key, slot);
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

  /** Forgets the aircraft in a slot. */
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

  /** Moves all times of all aircraft `byMs` into the past, because the time base moved on. */
  shiftTimes(byMs: number): void {
    for (let slot = 0; slot < this.highWater; slot += 1) {
      if (!this.isLive(slot)) continue;
      for (const word of TIME_WORDS) {
        const at = slot * STRIDE_WORDS + word;
        this.words[at] = Math.max(NEVER, this.words[at]! - byMs);
      }
    }
  }

  /** Puts a record back where a snapshot had it. `record` has STRIDE_BYTES bytes. */
  restore(slot: number, record: Uint8Array): void {
    this.bytes.set(record, slot * STRIDE_BYTES);
    this.place(this.words[slot * STRIDE_WORDS + W_KEY]!, slot);
  }

  /** Marks all slots below `highWater` as free, before records are restored. */
  clear(highWater: number): void {
    this.highWater = highWater;
    this.reserve(highWater);
    for (let slot = 0; slot < highWater; slot += 1) this.words[slot * STRIDE_WORDS + W_KEY] = FREE;
  }

  private place(key: number, slot: number): void {
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

  /** Takes a key out and closes the gap, so that later entries of its run are still found. */
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

  private reserve(slots: number): void {
    if (slots * STRIDE_WORDS <= this.words.length) return;
    let capacity = this.words.length / STRIDE_WORDS;
    while (capacity < slots) capacity *= 2;
    const bytes = new Uint8Array(Math.min(capacity, Math.max(this.capacityMax, slots)) * STRIDE_BYTES);
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.words = new Int32Array(bytes.buffer);
    this.halves = new Uint16Array(bytes.buffer);
  }
}

/** Spreads addresses, which come in national blocks, over the hash. */
function mix(key: number): number {
  const product = Math.imul(key, 0x9e37_79b1);
  return product ^ (product >>> 15);
}
