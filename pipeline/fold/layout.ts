// This file says where each value lies in an aircraft's record. The slots are listed in the order of memory; offsets follow from their sizes.
// A message touches the header, the line of source bytes and the values of its own family, so a frame needs few cache lines.
//
// Prefixes name the unit of an offset: W_ and X_ words of four bytes (W_ in the header), H_ half words, B_ bytes. F_ numbers a field: its value,
// time and source are at VALUES + 2 * field, TIMES + 2 * field and SOURCES + field. Times are ms since the table's base (`timeBaseMs` of the
// fold), so that they fit 31 bits.
//
// A snapshot has whole records: a slot that moves changes the snapshot layout (snapshot.ts). layout.test.ts checks the offsets.
// The build evaluates this file and ships plain numbers (build.js), so it may export only numbers.
import { Slots, WORD_BYTES } from './slots.ts';

/** Key of a free record. A key is the address, with NON_ICAO for addresses that ICAO did not assign. */
export const FREE = -1;
export const NON_ICAO = 0x100_0000;
/** A time before all others. Differences to any time fit 32 bits. */
export const NEVER = -0x4000_0000;
/** Absent value of a byte. */
export const NOTHING = 255;

/** Values of the CPR types. */
export const CPR_NONE = 0;
export const CPR_AIRBORNE = 1;
export const CPR_SURFACE = 2;
/** TIS-B with 12-bit fields: pairs only with its own type, because the positions of mixed pairs would look finer than they are. */
export const CPR_COARSE = 3;

/** Values of F_AIR_GROUND. */
export const AIRBORNE = 0;
export const GROUND = 1;
export const UNCERTAIN = 2;

export const DISCARDED_POSITIONS = 4;
export const CORROBORATING_RECEIVERS = 7;
export const RECENT_POSITIONS = 8;
export const RECENT_OTHERS = 14;
export const RECENT_FRAMES = RECENT_POSITIONS + RECENT_OTHERS;

// Fields: each has a value, a time and a source. The frequent ones come first.
const fields = new Slots();
/** Value: latitude of the last position, microdegrees. */
export const F_POSITION = fields.bytes();
/** Value: latitude of the last reliable position. */
export const F_RELIABLE = fields.bytes();
/** Value: 17-bit latitude. */
export const F_CPR_EVEN = fields.bytes();
export const F_CPR_ODD = fields.bytes();
/** AIRBORNE, GROUND or UNCERTAIN. */
export const F_AIR_GROUND = fields.bytes();
export const F_ALERT = fields.bytes();
export const F_SPI = fields.bytes();
export const F_ALTITUDE_BARO = fields.bytes();
export const F_ALTITUDE_GEOM = fields.bytes();
export const F_GEOM_DELTA = fields.bytes();
export const F_GROUND_SPEED = fields.bytes();
export const F_TRACK = fields.bytes();
export const F_BARO_RATE = fields.bytes();
export const F_GEOM_RATE = fields.bytes();
export const F_NAC_V = fields.bytes();
export const F_NIC_A = fields.bytes();
export const F_IAS = fields.bytes();
export const F_TAS = fields.bytes();
export const F_MACH = fields.bytes();
export const F_MAG_HEADING = fields.bytes();
export const F_TRUE_HEADING = fields.bytes();
export const F_TRACK_RATE = fields.bytes();
export const F_ROLL = fields.bytes();
export const F_NAC_P = fields.bytes();
export const F_SIL = fields.bytes();
export const F_NIC_BARO = fields.bytes();
export const F_NIC_C = fields.bytes();
export const F_GVA = fields.bytes();
export const F_SDA = fields.bytes();
export const F_NAV_HEADING = fields.bytes();
export const F_EMERGENCY = fields.bytes();
export const F_NAV_MODES = fields.bytes();
export const F_NAV_QNH = fields.bytes();
export const F_NAV_MCP = fields.bytes();
export const F_NAV_FMS = fields.bytes();
// These two share a line of the cache with X_FLIGHT: the row of a position has them all.
export const F_SQUAWK = fields.bytes();
export const F_CALLSIGN = fields.bytes();
export const FIELD_COUNT = fields.length;
/** More fields than this need new slots: the slots behind would move. */
const SOURCES_MAX = 38;

const record = new Slots();

// Header: key, times, counts.
export const W_KEY = record.words();
/** Last message with a proven address. */
export const W_SEEN = record.words();
export const W_MESSAGES = record.words();
/** When the first of the emitted values expires: the aircraft is emitted again after that. NEVER: not computed yet. */
export const W_EXPIRY = record.words();
export const W_SIGNAL_TIME = record.words();
export const W_KIND_TIME = record.words();
/** Consistent global decodes of odd and of even frames, in hundredths. */
export const W_RELIABLE_ODD = record.words();
export const W_RELIABLE_EVEN = record.words();
record.skip(1);
export const B_RELIABLE_NIC = record.bytes();
export const B_EVEN_NIC = record.bytes();
export const B_ODD_NIC = record.bytes();
/** CPR_* of the stored even and odd frame, and of the newest one. */
export const B_EVEN_TYPE = record.bytes();
export const B_ODD_TYPE = record.bytes();
export const B_LAST_TYPE = record.bytes();
/** True while local decoding may use the aircraft's own last position. */
export const B_LOCAL_ALLOWED = record.bytes();
/** 1: changed since the last emission. */
export const B_DIRTY = record.bytes();
/** 1: headings are true; 0: magnetic (the default). */
export const B_HEADING_TRUE = record.bytes();
/** 1: surface positions carry the heading; 0: the track (the default). */
export const B_SURFACE_HEADING = record.bytes();
/** Messages that report the loss of satellite navigation, 0 to 20. */
export const B_GPS_LOST = record.bytes();
/** Tick of the last emission. */
export const W_EMITTED = record.words();
/** 1: the address was heard from a transponder (DF 11 or 17), which also sends replies. */
export const B_TRANSPONDER = record.bytes();
/** 1: too few messages yet to be sure that the aircraft exists; newcomers.ts. */
export const B_NEWCOMER = record.bytes();
record.skip(2);
/** The last position with good accuracy, and its time. Each good position writes it, so it is in a line that is already loaded. */
export const X_GPS_OK_TIME = record.words();
export const X_GPS_OK_LATITUDE = record.words();
export const X_GPS_OK_LONGITUDE = record.words();

// Sources, and more bytes.
/** One byte per field: the source of its value, SOURCE_NONE when it has none. */
export const SOURCES = record.bytes(SOURCES_MAX);
/** How many other receivers repeated each discarded position, four bits each. */
export const H_DISCARDED_REPEATS = record.halves();
/** Index into sourceKinds; NOTHING before the first message. */
export const B_KIND = record.bytes();
export const B_VERSION_ADSB = record.bytes();
export const B_VERSION_ADSR = record.bytes();
export const B_VERSION_TISB = record.bytes();
/** Code of the message, 0 when unknown. */
export const B_CATEGORY = record.bytes();
export const B_SIL_TYPE = record.bytes();
export const B_RECENT_OTHER_NEXT = record.bytes();
record.skip(1);
/** The last eight signal bytes. */
export const B_SIGNALS = record.bytes(8);
/** The same as two words. */
export const W_SIGNALS = B_SIGNALS / WORD_BYTES;
export const B_SIGNAL_COUNT = record.bytes();
export const B_SIGNAL_NEXT = record.bytes();
export const B_ALTITUDE_RELIABLE = record.bytes();
export const B_RECENT_POSITION_NEXT = record.bytes();
record.skip(1);
/** Votes, 0 to 16, that the aircraft's own track or speed contradicts its positions. */
export const B_TRACK_DOUBT = record.bytes();
export const B_SPEED_DOUBT = record.bytes();
export const B_DISCARDED_NEXT = record.bytes();

// The rest of the positions and of the CPR pair.
export const X_LONGITUDE = record.words();
export const X_PREVIOUS_LATITUDE = record.words();
export const X_PREVIOUS_LONGITUDE = record.words();
export const X_PREVIOUS_TIME = record.words();
export const X_RELIABLE_LONGITUDE = record.words();
export const X_RELIABLE_RC = record.words();
export const X_EVEN_LONGITUDE = record.words();
export const X_ODD_LONGITUDE = record.words();
export const X_EVEN_RC = record.words();
export const X_ODD_RC = record.words();
/** Ground speed at the last position, ABSENT when unknown. */
export const X_POSITION_SPEED = record.words();
/** Bearing of the last move of 100 m or more, centidegrees; ABSENT before. */
export const X_CALC_TRACK = record.words();
/** Receiver of the last accepted position. */
export const X_POSITION_RECEIVER = record.words();
/** Receivers of the last discarded positions (X_DISCARDED), and when a position was last discarded as implausible. */
export const H_DISCARDED_RECEIVERS = record.halves(DISCARDED_POSITIONS);
export const X_DISCARDED_TIME = record.words();

// Values and times of the fields, in pairs.
export const VALUES = record.words();
export const TIMES = record.words();
record.skip(2 * WORD_BYTES * (FIELD_COUNT - 1));

// Squawk, call sign, weather, rare values, receivers.
export const X_SQUAWK_HEARD = record.words();
export const X_SQUAWK_HEARD_TIME = record.words();
/** Eight characters. */
export const X_FLIGHT = record.words(2);
export const X_WIND_TIME = record.words();
export const X_WIND_ALTITUDE = record.words();
export const X_WIND_DIRECTION = record.words();
export const X_WIND_SPEED = record.words();
export const X_TEMPERATURE_TIME = record.words();
export const X_OAT = record.words();
export const X_TAT = record.words();
/** Angle from true to magnetic north at the aircraft's position, centidegrees, east positive; and when it was computed. */
export const X_DECLINATION = record.words();
export const X_DECLINATION_TIME = record.words();
/** The last ACAS report: its time, and its seven bytes followed by the DF. */
export const X_ADVISORY_TIME = record.words();
export const X_ADVISORY = record.words(2);
/** The last discarded positions: both CPR fields in one word, and their times. */
export const X_DISCARDED = record.words(DISCARDED_POSITIONS);
export const X_DISCARDED_TIMES = record.words(DISCARDED_POSITIONS);
/** Receivers that gave positions or duplicates of them, followed by the one whose positions were last outvoted. */
export const H_CORROBORATING = record.halves(CORROBORATING_RECEIVERS);
export const H_OUTVOTED = record.halves();
/** When each of them last gave one, and when the last one was outvoted. */
export const X_CORROBORATING_TIMES = record.words(CORROBORATING_RECEIVERS);
export const X_OUTVOTED_TIME = record.words();

// Recent frames, of which another receiver may send duplicates: airborne positions, then others; a tag byte and two words each.
export const X_RECENT_TAGS = record.words(5);
record.skip(2);
/** One bit for each other frame that was repeated since the ring last came by: it stays once more. Uses the bytes behind the tags. */
export const H_RECENT_KEPT = record.halves();
export const X_RECENT = record.words(2 * RECENT_FRAMES);

export const STRIDE_BYTES = record.length;
export const STRIDE_WORDS = STRIDE_BYTES / WORD_BYTES;
