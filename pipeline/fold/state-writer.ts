// An aircraft's record → its state in Avro, without an object between: ten thousands of them are told each second. `stateOf` (state.ts) gives the
// same as an object, with the reasons for each value; `state-writer.test.ts` holds the two together, through the schema's codec.
import type { AcasAdvisory } from '../../schemas/avro/aircraft-state.ts';
import type { AvroWriter } from '../avro/writer.ts';
import { fieldTime, fieldValue, isValid, SOURCE_MLAT, SOURCE_TISB } from './accept.ts';
import { advisoryOf, isAdvisoryValid } from './advisory.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import { isGpsLost } from './gps.ts';
import {
  B_CATEGORY,
  B_KIND,
  B_RELIABLE_NIC,
  B_SIL_TYPE,
  B_VERSION_ADSB,
  F_AIR_GROUND,
  F_ALERT,
  F_ALTITUDE_BARO,
  F_ALTITUDE_GEOM,
  F_BARO_RATE,
  F_CALLSIGN,
  F_EMERGENCY,
  F_GEOM_RATE,
  F_GROUND_SPEED,
  F_GVA,
  F_IAS,
  F_MACH,
  F_MAG_HEADING,
  F_NAC_P,
  F_NAC_V,
  F_NAV_FMS,
  F_NAV_HEADING,
  F_NAV_MCP,
  F_NAV_MODES,
  F_NAV_QNH,
  F_NIC_BARO,
  F_RELIABLE,
  F_ROLL,
  F_SDA,
  F_SIL,
  F_SPI,
  F_SQUAWK,
  F_TAS,
  F_TRACK,
  F_TRACK_RATE,
  F_TRUE_HEADING,
  GROUND,
  NON_ICAO,
  NOTHING,
  UNCERTAIN,
  W_KEY,
  W_MESSAGES,
  W_SEEN,
  X_FLIGHT,
  X_GPS_OK_LATITUDE,
  X_GPS_OK_LONGITUDE,
  X_GPS_OK_TIME,
  X_OAT,
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
  X_TAT,
  X_WIND_DIRECTION,
  X_WIND_SPEED,
} from './layout.ts';
import { rssiDeciDbfs } from './signal.ts';
import { KIND_UNKNOWN } from './source.ts';
import { calcTrackDeg, hasPlace, maskOf } from './state.ts';
import { isTemperatureValid, isWindValid } from './wind.ts';

/** More than all that is no advisory can take: six longs, fifty ints, four short texts. */
const STATE_BYTES_MAX = 512;
const CHARACTER_BYTES_MAX = 3;
const HEX_CHARACTERS = 6;
const FLIGHT_CHARACTERS = 8;
const TILDE = 0x7e;
const DIGIT_0 = 0x30;
const HEX_DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const UPPER_HEX_DIGITS = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));

/** Fields that stand one after the other in the schema, null where they are not valid. */
const AIR_DATA = Uint8Array.of(F_ALTITUDE_GEOM, F_GROUND_SPEED, F_IAS, F_TAS, F_MACH, F_TRACK);
const TURNS_TO_INTENT = Uint8Array.of(
  F_TRACK_RATE,
  F_ROLL,
  F_MAG_HEADING,
  F_TRUE_HEADING,
  F_BARO_RATE,
  F_GEOM_RATE,
  F_NAV_QNH,
  F_NAV_MCP,
  F_NAV_FMS,
  F_NAV_HEADING,
  F_NAV_MODES,
);
const ACCURACIES = Uint8Array.of(F_NIC_BARO, F_NAC_P, F_NAC_V);
const LAST_STATUS = Uint8Array.of(F_GVA, F_SDA, F_ALERT, F_SPI);

/** The body of an AircraftState: what `stateOf` gives with the same arguments. */
export function writeState(writer: AvroWriter, aircraft: Aircraft, tickMs: number, timeBaseMs: number): void {
  const { words, bytes, at, byte } = aircraft;
  const kind = bytes[byte + B_KIND]!;
  writer.reserve(STATE_BYTES_MAX);
  writeHex(writer, words[at + W_KEY]!);
  writer.long(tickMs);
  writer.int(kind === NOTHING ? KIND_UNKNOWN : kind);
  writer.long(timeBaseMs + words[at + W_SEEN]!);
  writer.int(words[at + W_MESSAGES]!);
  writer.int(rssiDeciDbfs(aircraft));
  writePlace(writer, aircraft, timeBaseMs);
  writeIdentity(writer, aircraft);
  intOrNull(writer, isAltitudeReliable(aircraft), fieldValue(aircraft, F_ALTITUDE_BARO));
  writeFields(writer, aircraft, AIR_DATA);
  writer.nullableInt(calcTrackDeg(aircraft));
  writeFields(writer, aircraft, TURNS_TO_INTENT);
  writeQuality(writer, aircraft);
  const windValid = isWindValid(aircraft);
  intOrNull(writer, windValid, words[at + X_WIND_DIRECTION]!);
  intOrNull(writer, windValid, words[at + X_WIND_SPEED]!);
  const temperatureValid = isTemperatureValid(aircraft);
  intOrNull(writer, temperatureValid, words[at + X_OAT]!);
  intOrNull(writer, temperatureValid, words[at + X_TAT]!);
  const advisory = isAdvisoryValid(aircraft) ? advisoryOf(aircraft, timeBaseMs) : null;
  writer.isNull(advisory === null);
  if (advisory !== null) writeAdvisory(writer, advisory);
  writer.reserve(STATE_BYTES_MAX);
  writer.long(maskOf(aircraft, SOURCE_MLAT));
  writer.long(maskOf(aircraft, SOURCE_TISB));
}

/** The characters of `hexOf(key)`, as an Avro string. */
export function writeHex(writer: AvroWriter, key: number): void {
  writer.int((key & NON_ICAO) === 0 ? HEX_CHARACTERS : HEX_CHARACTERS + 1);
  writeHexDigits(writer, key);
}

/** The characters of `hexOf(key)` alone. */
export function writeHexDigits(writer: AvroWriter, key: number): void {
  writer.reserve(HEX_CHARACTERS + 1);
  if ((key & NON_ICAO) !== 0) writer.byte(TILDE);
  for (let shift = 20; shift >= 0; shift -= 4) writer.byte(HEX_DIGITS[(key >> shift) & 15]!);
}

/** From `positionMs` to `gpsOkLongitudeMicrodeg`. */
function writePlace(writer: AvroWriter, aircraft: Aircraft, timeBaseMs: number): void {
  const { words, bytes, at, byte } = aircraft;
  const known = hasPlace(aircraft);
  writer.isNull(!known);
  if (known) writer.long(timeBaseMs + fieldTime(aircraft, F_RELIABLE));
  writer.boolean(isValid(aircraft, F_RELIABLE));
  intOrNull(writer, known, fieldValue(aircraft, F_RELIABLE));
  intOrNull(writer, known, words[at + X_RELIABLE_LONGITUDE]!);
  intOrNull(writer, known, bytes[byte + B_RELIABLE_NIC]!);
  intOrNull(writer, known, words[at + X_RELIABLE_RC]!);
  const gpsLost = isGpsLost(aircraft);
  writer.isNull(!gpsLost);
  if (gpsLost) writer.long(timeBaseMs + words[at + X_GPS_OK_TIME]!);
  intOrNull(writer, gpsLost, words[at + X_GPS_OK_LATITUDE]!);
  intOrNull(writer, gpsLost, words[at + X_GPS_OK_LONGITUDE]!);
}

/** From `onGround` to `emergency`. */
function writeIdentity(writer: AvroWriter, aircraft: Aircraft): void {
  const { bytes, byte } = aircraft;
  const airGround = fieldValue(aircraft, F_AIR_GROUND);
  const airGroundKnown = isValid(aircraft, F_AIR_GROUND) && airGround !== UNCERTAIN;
  writer.isNull(!airGroundKnown);
  if (airGroundKnown) writer.boolean(airGround === GROUND);
  const called = isValid(aircraft, F_CALLSIGN);
  writer.isNull(!called);
  if (called) {
    writer.int(FLIGHT_CHARACTERS);
    for (let i = 0; i < FLIGHT_CHARACTERS; i += 1) writer.byte(bytes[byte + 4 * X_FLIGHT + i]!);
  }
  const category = bytes[byte + B_CATEGORY]!;
  writer.isNull(category === 0);
  if (category !== 0) {
    writer.int(2);
    writer.byte(UPPER_HEX_DIGITS[category >> 4]!);
    writer.byte(UPPER_HEX_DIGITS[category & 15]!);
  }
  const squawked = isValid(aircraft, F_SQUAWK);
  writer.isNull(!squawked);
  if (squawked) {
    const squawk = fieldValue(aircraft, F_SQUAWK);
    writer.int(4);
    for (let tens = 1000; tens >= 1; tens /= 10) writer.byte(DIGIT_0 + (Math.floor(squawk / tens) % 10));
  }
  intOrNull(writer, isValid(aircraft, F_EMERGENCY), fieldValue(aircraft, F_EMERGENCY));
}

/** From `version` to `spi`. */
function writeQuality(writer: AvroWriter, aircraft: Aircraft): void {
  const { bytes, byte } = aircraft;
  const version = bytes[byte + B_VERSION_ADSB]!;
  intOrNull(writer, version !== NOTHING, version);
  writeFields(writer, aircraft, ACCURACIES);
  const silValid = isValid(aircraft, F_SIL);
  const silType = bytes[byte + B_SIL_TYPE]!;
  intOrNull(writer, silValid, fieldValue(aircraft, F_SIL));
  intOrNull(writer, silValid && silType !== NOTHING, silType);
  writeFields(writer, aircraft, LAST_STATUS);
}

function writeFields(writer: AvroWriter, aircraft: Aircraft, fields: Uint8Array): void {
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i]!;
    intOrNull(writer, isValid(aircraft, field), fieldValue(aircraft, field));
  }
}

function intOrNull(writer: AvroWriter, known: boolean, value: number): void {
  writer.isNull(!known);
  if (known) writer.int(value);
}

function writeAdvisory(writer: AvroWriter, { timeMs, df, bytes, advisory, complement, threatHex, ...threat }: AcasAdvisory): void {
  const characters = bytes.length + advisory.length + complement.length + (threatHex?.length ?? 0);
  writer.reserve(STATE_BYTES_MAX + CHARACTER_BYTES_MAX * characters);
  writer.long(timeMs);
  writer.int(df);
  writer.string(bytes);
  writer.string(advisory);
  writer.string(complement);
  writer.nullableString(threatHex);
  writer.nullableInt(threat.threatAltitudeFt);
  writer.nullableInt(threat.threatRangeDeciNm);
  writer.nullableInt(threat.threatBearingDeg);
}
