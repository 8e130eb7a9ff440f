// An aircraft's record → its state as told to others: only values that are valid at that moment, absent ones null.
import type { StateFieldName } from '../../schemas/aircraft-fields.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
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
  F_ALTITUDE_BARO,
  F_CALLSIGN,
  F_RELIABLE,
  F_SIL,
  F_SQUAWK,
  F_TRACK,
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
import { type ComputedName, listedFields, plainFields } from './state-fields.ts';
import { isTemperatureValid, isWindValid } from './wind.ts';

/** How long the last position is told: 14 days. Records hold ages of 12 to 18 days, so it may be two days less. */
const LAST_POSITION_MS = 14 * 86_400_000;

/** `6a12bc`, or `~6a12bc` for an address that is not ICAO's. */
export function hexOf(key: number): string {
  const address = (key & 0xff_ffff).toString(16).padStart(6, '0');
  return (key & NON_ICAO) === 0 ? address : `~${address}`;
}

/** A place of the aircraft is known, valid or not. */
export function hasPlace(aircraft: Aircraft): boolean {
  const time = fieldTime(aircraft, F_RELIABLE);
  // A time that fell behind what records can hold is NEVER.
  return fieldSource(aircraft, F_RELIABLE) !== SOURCE_NONE && time > NEVER && aircraft.now - time <= LAST_POSITION_MS;
}

type ComputedState = Pick<AircraftState, ComputedName>;
type PlainName = Exclude<StateFieldName, ComputedName>;

const noPlainValues = Object.fromEntries(plainFields.map(({ name }) => [name, null])) as Record<PlainName, number | null>;

/** The state at `aircraft.now`, which is `tickMs` counted from `timeBaseMs`. */
export function stateOf(aircraft: Aircraft, tickMs: number, timeBaseMs: number): AircraftState {
  const plain = { ...noPlainValues };
  for (let i = 0; i < plainFields.length; i += 1) {
    const { name, field } = plainFields[i]!;
    if (isValid(aircraft, field)) plain[name as PlainName] = fieldValue(aircraft, field);
  }
  return { ...computedOf(aircraft, tickMs, timeBaseMs), ...plain };
}

/** What is not simply the valid value of a field of the record. */
function computedOf(aircraft: Aircraft, tickMs: number, timeBaseMs: number): ComputedState {
  const { words, bytes, at, byte } = aircraft;
  const known = hasPlace(aircraft);
  const airGround = isValid(aircraft, F_AIR_GROUND) ? fieldValue(aircraft, F_AIR_GROUND) : UNCERTAIN;
  const windValid = isWindValid(aircraft);
  const gpsLost = isGpsLost(aircraft);
  const temperatureValid = isTemperatureValid(aircraft);
  const kind = bytes[byte + B_KIND]!;
  const silValid = isValid(aircraft, F_SIL);
  return {
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
    onGround: airGround === UNCERTAIN ? null : airGround === GROUND,
    flight: isValid(aircraft, F_CALLSIGN) ? flightOf(bytes, byte + 4 * X_FLIGHT) : null,
    category: bytes[byte + B_CATEGORY] === 0 ? null : bytes[byte + B_CATEGORY]!.toString(16).toUpperCase(),
    squawk: isValid(aircraft, F_SQUAWK) ? String(fieldValue(aircraft, F_SQUAWK)).padStart(4, '0') : null,
    altitudeBaroFt: isAltitudeReliable(aircraft) ? fieldValue(aircraft, F_ALTITUDE_BARO) : null,
    calcTrackDeg: calcTrackDeg(aircraft),
    version: bytes[byte + B_VERSION_ADSB] === NOTHING ? null : bytes[byte + B_VERSION_ADSB]!,
    silType: silValid && bytes[byte + B_SIL_TYPE] !== NOTHING ? bytes[byte + B_SIL_TYPE]! : null,
    windDirectionDeg: windValid ? words[at + X_WIND_DIRECTION]! : null,
    windSpeedKt: windValid ? words[at + X_WIND_SPEED]! : null,
    oatC: temperatureValid ? words[at + X_OAT]! : null,
    tatC: temperatureValid ? words[at + X_TAT]! : null,
    acasRa: advisoryOf(aircraft, timeBaseMs),
    mlatFields: maskOf(aircraft, SOURCE_MLAT),
    tisbFields: maskOf(aircraft, SOURCE_TISB),
  };
}

function flightOf(bytes: Uint8Array, at: number): string {
  let flight = '';
  for (let i = 0; i < 8; i += 1) flight += String.fromCharCode(bytes[at + i]!);
  return flight;
}

/** Where the aircraft moves, from its positions: told in the air while it does not tell it itself. */
export function calcTrackDeg(aircraft: Aircraft): number | null {
  const calcTrack = aircraft.words[aircraft.at + X_CALC_TRACK]!;
  if (calcTrack === ABSENT || isValid(aircraft, F_TRACK) || !isValid(aircraft, F_RELIABLE)) return null;
  const onGround = isValid(aircraft, F_AIR_GROUND) && fieldValue(aircraft, F_AIR_GROUND) === GROUND;
  return onGround ? null : wholeDegrees(calcTrack);
}

function wholeDegrees(centideg: number): number {
  return Math.floor(centideg / 100 + 0.5) % 360;
}

/** Bits of the names whose present value has this source. Above 31 bits, so not an integer operation. */
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
