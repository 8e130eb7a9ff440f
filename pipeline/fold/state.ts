// An aircraft's record as its state in the output: only values that are valid at that moment; absent ones are null.
import { type AircraftState, RELEASED_FIELDS } from '../../schemas/avro/aircraft-state.ts';
import { ABSENT } from '../decode/message.ts';
import { fieldSource, fieldTime, fieldValue, isValid, SOURCE_MLAT, SOURCE_NONE, SOURCE_TISB } from './accept.ts';
import { advisoryOf } from './advisory.ts';
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
  NEVER,
  NON_ICAO,
  NOTHING,
  UNCERTAIN,
  W_KEY,
  W_MESSAGES,
  W_SEEN,
  X_CALC_TRACK,
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
import { listedFields, plainFields } from './state-fields.ts';
import { isTemperatureValid, isWindValid } from './wind.ts';

/** How long the last position is in the state: 14 days. Records hold ages of 12 to 18 days, so it may be two days less. */
const LAST_POSITION_MS = 14 * 86_400_000;

/** `6a12bc`, or `~6a12bc` for an address that ICAO did not assign. */
export function hexOf(key: number): string {
  const address = (key & 0xff_ffff).toString(16).padStart(6, '0');
  return (key & NON_ICAO) === 0 ? address : `~${address}`;
}

/** A position of the aircraft is known, valid or expired. */
export function hasPosition(aircraft: Aircraft): boolean {
  const time = fieldTime(aircraft, F_RELIABLE);
  // NEVER stands for times older than records can hold.
  return fieldSource(aircraft, F_RELIABLE) !== SOURCE_NONE && time > NEVER && aircraft.now - time <= LAST_POSITION_MS;
}

/**
 * The state at `aircraft.now`, which is `tickMs` counted from `timeBaseMs`. The fields of the first release are written out: stores under computed
 * names take a quarter longer, and the tests compare this function, which shares no plan with `writeState`, with it.
 */
export function stateOf(aircraft: Aircraft, tickMs: number, timeBaseMs: number): AircraftState {
  const { words, bytes, at, byte } = aircraft;
  const value = (field: number): number | null => (isValid(aircraft, field) ? fieldValue(aircraft, field) : null);
  const known = hasPosition(aircraft);
  const airGround = value(F_AIR_GROUND);
  const windValid = isWindValid(aircraft);
  const gpsLost = isGpsLost(aircraft);
  const temperatureValid = isTemperatureValid(aircraft);
  const kind = bytes[byte + B_KIND]!;
  const silValid = isValid(aircraft, F_SIL);
  const state = {
    hex: hexOf(words[at + W_KEY]!),
    tickMs,
    source: kind === NOTHING ? KIND_UNKNOWN : kind,
    seenMs: timeBaseMs + words[at + W_SEEN]!,
    messages: words[at + W_MESSAGES]!,
    rssiDeciDbfs: rssiDeciDbfs(aircraft),
    positionMs: known ? timeBaseMs + fieldTime(aircraft, F_RELIABLE) : null,
    positionValid: isValid(aircraft, F_RELIABLE),
    latitudeMicrodeg: known ? fieldValue(aircraft, F_RELIABLE) : null,
    longitudeMicrodeg: known ? words[at + X_RELIABLE_LONGITUDE]! : null,
    nic: known ? bytes[byte + B_RELIABLE_NIC]! : null,
    rcM: known ? words[at + X_RELIABLE_RC]! : null,
    gpsOkMs: gpsLost ? timeBaseMs + words[at + X_GPS_OK_TIME]! : null,
    gpsOkLatitudeMicrodeg: gpsLost ? words[at + X_GPS_OK_LATITUDE]! : null,
    gpsOkLongitudeMicrodeg: gpsLost ? words[at + X_GPS_OK_LONGITUDE]! : null,
    onGround: airGround === null || airGround === UNCERTAIN ? null : airGround === GROUND,
    flight: isValid(aircraft, F_CALLSIGN) ? flightOf(bytes, byte + 4 * X_FLIGHT) : null,
    category: bytes[byte + B_CATEGORY] === 0 ? null : bytes[byte + B_CATEGORY]!.toString(16).toUpperCase(),
    squawk: isValid(aircraft, F_SQUAWK) ? String(fieldValue(aircraft, F_SQUAWK)).padStart(4, '0') : null,
    emergency: value(F_EMERGENCY),
    altitudeBaroFt: isAltitudeReliable(aircraft) ? fieldValue(aircraft, F_ALTITUDE_BARO) : null,
    altitudeGeomFt: value(F_ALTITUDE_GEOM),
    groundSpeedDeciKt: value(F_GROUND_SPEED),
    iasKt: value(F_IAS),
    tasKt: value(F_TAS),
    machMilli: value(F_MACH),
    trackCentideg: value(F_TRACK),
    calcTrackDeg: calcTrackDeg(aircraft),
    trackRateCentidegPerS: value(F_TRACK_RATE),
    rollCentideg: value(F_ROLL),
    magHeadingCentideg: value(F_MAG_HEADING),
    trueHeadingCentideg: value(F_TRUE_HEADING),
    baroRateFpm: value(F_BARO_RATE),
    geomRateFpm: value(F_GEOM_RATE),
    navQnhDeciHpa: value(F_NAV_QNH),
    navAltitudeMcpFt: value(F_NAV_MCP),
    navAltitudeFmsFt: value(F_NAV_FMS),
    navHeadingCentideg: value(F_NAV_HEADING),
    navModes: value(F_NAV_MODES),
    version: bytes[byte + B_VERSION_ADSB] === NOTHING ? null : bytes[byte + B_VERSION_ADSB]!,
    nicBaro: value(F_NIC_BARO),
    nacP: value(F_NAC_P),
    nacV: value(F_NAC_V),
    sil: silValid ? fieldValue(aircraft, F_SIL) : null,
    silType: silValid && bytes[byte + B_SIL_TYPE] !== NOTHING ? bytes[byte + B_SIL_TYPE]! : null,
    gva: value(F_GVA),
    sda: value(F_SDA),
    alert: value(F_ALERT),
    spi: value(F_SPI),
    windDirectionDeg: windValid ? words[at + X_WIND_DIRECTION]! : null,
    windSpeedKt: windValid ? words[at + X_WIND_SPEED]! : null,
    oatC: temperatureValid ? words[at + X_OAT]! : null,
    tatC: temperatureValid ? words[at + X_TAT]! : null,
    acasRa: advisoryOf(aircraft, timeBaseMs),
    mlatFields: maskOf(aircraft, SOURCE_MLAT),
    tisbFields: maskOf(aircraft, SOURCE_TISB),
  };
  return laterFields.length === 0 ? (state as AircraftState) : withLaterFields(state as AircraftState, aircraft);
}

/** Plain fields that were added after the first release. */
const laterFields = plainFields.filter(({ number }) => number >= RELEASED_FIELDS);

function withLaterFields(state: AircraftState, aircraft: Aircraft): AircraftState {
  const later = laterFields.map(({ name, field }) => [name, isValid(aircraft, field) ? fieldValue(aircraft, field) : null]);
  return { ...state, ...(Object.fromEntries(later) as object) };
}

function flightOf(bytes: Uint8Array, at: number): string {
  let flight = '';
  for (let i = 0; i < 8; i += 1) flight += String.fromCharCode(bytes[at + i]!);
  return flight;
}

/** Direction of movement, from the positions: in the state of an airborne aircraft that does not report its track. */
export function calcTrackDeg(aircraft: Aircraft): number | null {
  const calcTrack = aircraft.words[aircraft.at + X_CALC_TRACK]!;
  if (calcTrack === ABSENT || isValid(aircraft, F_TRACK) || !isValid(aircraft, F_RELIABLE)) return null;
  const onGround = isValid(aircraft, F_AIR_GROUND) && fieldValue(aircraft, F_AIR_GROUND) === GROUND;
  return onGround ? null : wholeDegrees(calcTrack);
}

function wholeDegrees(centideg: number): number {
  return Math.floor(centideg / 100 + 0.5) % 360;
}

/** Bits of the names whose present value has this source. More than 31 bits, so no integer operation. */
export function maskOf(aircraft: Aircraft, source: number): number {
  let mask = 0;
  let bit = 1;
  for (let i = 0; i < listedFields.length; i += 1) {
    const field = listedFields[i]!;
    if (fieldSource(aircraft, field) === source && isValid(aircraft, field)) mask += bit;
    bit *= 2;
  }
  return mask;
}
