// Checks a new position against the last one, the time between them, and the speed and track that the aircraft reports.
import { ABSENT } from '../decode/message.ts';
import { angleBetweenCentideg, MOVED_M, type Move, moveBetween } from '../geo/distance.ts';
import { fieldAge, fieldSource, fieldTime, fieldValue, isValid, SOURCE_MLAT, SOURCE_NONE, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { wasDiscarded } from './discarded.ts';
import {
  B_SPEED_DOUBT,
  B_TRACK_DOUBT,
  F_GROUND_SPEED,
  F_IAS,
  F_POSITION,
  F_RELIABLE,
  F_TAS,
  F_TRACK,
  F_TRUE_HEADING,
  X_LONGITUDE,
  X_POSITION_RECEIVER,
  X_POSITION_SPEED,
  X_PREVIOUS_LATITUDE,
  X_PREVIOUS_LONGITUDE,
  X_PREVIOUS_TIME,
} from './layout.ts';
import { isReliable, isUnsupported, RELIABLE_TIMEOUT_MS } from './reliability.ts';

export const PLAUSIBLE = 0;
/** The aircraft was there a moment ago: nothing changed. */
export const REPEATED = 1;
/** Near enough, but only faulty equipment sends such a position. */
export const BOGUS = 2;
/** Too far away: this position or the last one is wrong. */
export const IMPLAUSIBLE = 3;
/** Implausible, but already counted, or from faulty equipment: no evidence against the last position. */
export const IMPLAUSIBLE_FORGIVEN = 4;

const REPEAT_MS = 2000;
const MLAT_UNCHECKED_MS = 45_000;
const TRACK_AGE_MS_MAX = 5000;
const TRACK_POSITION_AGE_MS_MAX = 7000;
const UNKNOWN_SPEED_DECI_KT = 9000;
const UNKNOWN_SPEED_SURFACE_DECI_KT = 1200;
const SPEED_DECI_KT_MAX = 20_000;
/** Error of two positions together, m. */
const SLACK_SURFACE_M = 10;
const SLACK_AIRBORNE_M = 30;
const SLACK_MLAT_M = 250;
/** Coarse TIS-B rounds positions to 163 m each way, above 87° to 512 m of longitude. */
const SLACK_COARSE_M = 600;
/** Rounding alone moves a position back by one step each way: 5 m of latitude and at most as much of longitude. */
const ROUNDING_M = 8;
/** Two positions of one receiver with the same time at ingest were in one packet: their true interval is unknown. */
const SLACK_SAME_PACKET_M = 500;
const SLACK_AHEAD_M = 2000;
const TIME_SLACK_MS = 200;
const M_PER_MS_PER_DECI_KT = 1852 / 3600 / 10_000;
const DOUBT_MAX = 8;
const DOUBT_LIMIT = 16;

/** Details of a check besides its verdict. Created once; each check overwrites it. */
export class Check implements Move {
  /** Input: the new position is a coarse one. */
  coarse = false;
  /** From the last position to the new one. */
  distanceM = 0;
  /** Direction of that move, −1 when it is too short. */
  bearingCentideg = -1;
  trackDoubt = 0;
  speedDoubt = 0;
}

/** Checks a position in microdegrees. `cprLat` and `cprLon` are the frame's fields; `surface`: aircraft and frame are on the ground. */
export function checkPosition(
  aircraft: Aircraft,
  latitude: number,
  longitude: number,
  cprLat: number,
  cprLon: number,
  surface: boolean,
  out: Check,
): number {
  const { at, words } = aircraft;
  out.distanceM = 0;
  out.bearingCentideg = -1;
  out.trackDoubt = 0;
  out.speedDoubt = 0;
  if (!out.coarse && isRepeat(aircraft, latitude, longitude)) return REPEATED;
  const reliable = isReliable(aircraft);
  const nowhere = isNowhere(aircraft, latitude, longitude, cprLat, cprLon);
  const suspect = nowhere || isSuspectCpr(cprLat, cprLon, reliable && fieldSource(aircraft, F_POSITION) >= SOURCE_TISB);
  const discarded = wasDiscarded(aircraft, cprLat, cprLon);
  // An aircraft without a position has 0, 0: a suspect position must be near a known one.
  const lastLatitude = fieldValue(aircraft, F_POSITION);
  const lastLongitude = words[at + X_LONGITUDE]!;
  if (suspect || fieldSource(aircraft, F_POSITION) !== 0) moveBetween(lastLatitude, lastLongitude, latitude, longitude, out);

  const near = isNear(aircraft, surface, reliable, out);
  if (suspect || discarded) {
    out.trackDoubt = 0;
    out.speedDoubt = 0;
    if (!near) return IMPLAUSIBLE_FORGIVEN;
    return nowhere ? BOGUS : PLAUSIBLE;
  }
  return near || isUnchecked(aircraft) ? PLAUSIBLE : IMPLAUSIBLE;
}

/** Counts whether track and speed fit the positions: an aircraft whose own data contradict them is checked without them. */
export function foldDoubts(aircraft: Aircraft, check: Check): void {
  const at = aircraft.byte;
  const { bytes } = aircraft;
  bytes[at + B_TRACK_DOUBT] = Math.max(0, Math.min(DOUBT_LIMIT, bytes[at + B_TRACK_DOUBT]! + check.trackDoubt));
  bytes[at + B_SPEED_DOUBT] = Math.max(0, Math.min(DOUBT_LIMIT, bytes[at + B_SPEED_DOUBT]! + check.speedDoubt));
}

function isRepeat(aircraft: Aircraft, latitude: number, longitude: number): boolean {
  const { now, at, words } = aircraft;
  if (now > fieldTime(aircraft, F_POSITION) + REPEAT_MS) return false;
  if (fieldValue(aircraft, F_POSITION) === latitude && words[at + X_LONGITUDE] === longitude) return true;
  if (now > words[at + X_PREVIOUS_TIME]! + REPEAT_MS) return false;
  return words[at + X_PREVIOUS_LATITUDE] === latitude && words[at + X_PREVIOUS_LONGITUDE] === longitude;
}

/** Positions where no aircraft is: a pole, and 0, 0 from empty fields, unless a reliable position of the aircraft is near. */
function isNowhere(aircraft: Aircraft, latitude: number, longitude: number, cprLat: number, cprLon: number): boolean {
  if (Math.abs(latitude) >= 90_000_000) return true;
  if (latitude === 0 && Math.abs(longitude) === 90_000_000) return true;
  return latitude === 0 && longitude === 0 && cprLat === 0 && cprLon === 0 && fieldSource(aircraft, F_RELIABLE) === SOURCE_NONE;
}

/** CPR fields that are more often empty than true. */
function isSuspectCpr(cprLat: number, cprLon: number, known: boolean): boolean {
  return (cprLat === 0 && cprLon === 0) || ((cprLat === 0 || cprLon === 0) && !known);
}

/** There is no position to check against, or it is worth less than the new one. */
function isUnchecked(aircraft: Aircraft): boolean {
  const { now, source } = aircraft;
  if (isUnsupported(aircraft)) return true;
  const age = now - fieldTime(aircraft, F_POSITION);
  if (age > RELIABLE_TIMEOUT_MS) return true;
  if (source > fieldSource(aircraft, F_POSITION) && source > fieldSource(aircraft, F_RELIABLE)) return true;
  return source <= SOURCE_MLAT && age > MLAT_UNCHECKED_MS;
}

/** Speeds are integer tenths of knots, angles integer centidegrees: fractions would be boxed at every call. */
function isNear(aircraft: Aircraft, surface: boolean, reliable: boolean, check: Check): boolean {
  const { source, words, bytes, at } = aircraft;
  const elapsedMs = fieldAge(aircraft, F_POSITION);
  const reported = reportedDeciKt(aircraft, elapsedMs);
  const gsDeciKt = fieldValue(aircraft, F_GROUND_SPEED);
  let turn = source === SOURCE_MLAT ? -1 : turnFromTrackCentideg(aircraft, elapsedMs, check.bearingCentideg);
  if (turn >= 0) check.trackDoubt = turn > 7000 && reported > 100 ? 1 : -1;
  // A track is no evidence for a position that may itself be wrong.
  if (!reliable) turn = -1;

  let rangeM = surface ? SLACK_SURFACE_M : check.coarse ? SLACK_COARSE_M : SLACK_AIRBORNE_M;
  let speed = reported;
  if (reported < 0 || bytes[aircraft.byte + B_SPEED_DOUBT]! > DOUBT_MAX)
    speed = surface ? UNKNOWN_SPEED_SURFACE_DECI_KT : UNKNOWN_SPEED_DECI_KT;
  if (turn >= 0 && speed > 100 && bytes[aircraft.byte + B_TRACK_DOUBT]! < DOUBT_MAX) {
    speed += bonusDeciKt(speed, turn, surface, gsDeciKt);
    if (speed > 400 && turn < 1000 && words[at + X_POSITION_RECEIVER] === aircraft.receiver) rangeM += SLACK_AHEAD_M;
  } else {
    speed = (speed * 1.3) | 0;
  }
  if (elapsedMs < 2 && source > SOURCE_MLAT && words[at + X_POSITION_RECEIVER] === aircraft.receiver) rangeM += SLACK_SAME_PACKET_M;
  speed = Math.min(speed, SPEED_DECI_KT_MAX);
  if (source === SOURCE_MLAT) {
    speed = (speed * 1.4 + 500) | 0;
    rangeM += SLACK_MLAT_M;
  }
  check.speedDoubt = speedDoubt(check, rangeM, elapsedMs, reported, turn);
  const allowedM = rangeM + (elapsedMs + TIME_SLACK_MS) * speed * M_PER_MS_PER_DECI_KT;

  if (check.distanceM > allowedM) return false;
  return (
    check.distanceM <= (check.coarse ? SLACK_COARSE_M : ROUNDING_M) ||
    !isBackwardsFromElsewhere(aircraft, surface, turn, elapsedMs, gsDeciKt)
  );
}

/** Extra speed by direction: twice the speed straight ahead, almost none against the track. */
function bonusDeciKt(speed: number, turnCentideg: number, surface: boolean, gsDeciKt: number): number {
  const bonus = (((speed * (9000 - turnCentideg)) / 9000) * (surface ? 0.9 : 1)) | 0;
  return gsDeciKt < 100 ? Math.max(0, bonus) + 20 : bonus;
}

/** Reported speed, plus 3 kt for each second of age of speed and position; −1 when none is reported. */
function reportedDeciKt(aircraft: Aircraft, positionAgeMs: number): number {
  if (isValid(aircraft, F_GROUND_SPEED)) {
    const before = aircraft.words[aircraft.at + X_POSITION_SPEED]!;
    const gs = fieldValue(aircraft, F_GROUND_SPEED);
    const age = (3 * (fieldAge(aircraft, F_GROUND_SPEED) + positionAgeMs)) / 100;
    return ((before !== ABSENT && before > gs ? before : gs) + age) | 0;
  }
  if (isValid(aircraft, F_TAS)) return ((fieldValue(aircraft, F_TAS) * 40) / 3) | 0;
  return isValid(aircraft, F_IAS) ? fieldValue(aircraft, F_IAS) * 20 : -1;
}

/** Angle between the move and the recently reported track (or heading); −1 when there is none to compare. */
function turnFromTrackCentideg(aircraft: Aircraft, positionAgeMs: number, bearingCentideg: number): number {
  if (bearingCentideg < 0 || positionAgeMs >= TRACK_POSITION_AGE_MS_MAX) return -1;
  const field = trackField(aircraft);
  return field < 0 ? -1 : angleBetweenCentideg(fieldValue(aircraft, field), bearingCentideg);
}

function trackField(aircraft: Aircraft): number {
  if (fieldAge(aircraft, F_TRACK) < TRACK_AGE_MS_MAX) return F_TRACK;
  return fieldAge(aircraft, F_TRUE_HEADING) < TRACK_AGE_MS_MAX ? F_TRUE_HEADING : -1;
}

function speedDoubt(check: Check, rangeM: number, elapsedMs: number, reportedDeciKt: number, turnCentideg: number): number {
  if (reportedDeciKt < 0) return -1;
  const { distanceM } = check;
  if (distanceM <= MOVED_M || turnCentideg >= 7000) return 0;
  const mPerMs = reportedDeciKt * M_PER_MS_PER_DECI_KT;
  if (distanceM <= rangeM + (elapsedMs + 50) * mPerMs) return -1;
  return distanceM > rangeM + (elapsedMs + 400) * mPerMs ? 1 : 0;
}

/** A move against the track right after a position of another receiver is a delayed position of this one. */
function isBackwardsFromElsewhere(
  aircraft: Aircraft,
  surface: boolean,
  turnCentideg: number,
  elapsedMs: number,
  gsDeciKt: number,
): boolean {
  if (surface || turnCentideg <= 13_500 || elapsedMs >= 2000 || gsDeciKt <= 100) return false;
  if (fieldAge(aircraft, F_TRACK) >= 2000) return false;
  return aircraft.words[aircraft.at + X_POSITION_RECEIVER] !== aircraft.receiver;
}
