// Altitudes: reliability of the barometric one; the geometric one from it and the difference in velocity messages.
import { ABSENT } from '../decode/message.ts';
import {
  accept,
  drop,
  EXPIRE_MS,
  fieldAge,
  fieldSource,
  fieldTime,
  fieldValue,
  isValid,
  SOURCE_MLAT,
  SOURCE_MODE_S_CHECKED,
  SOURCE_NONE,
  STALE_MS,
  wouldAccept,
} from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  B_ALTITUDE_RELIABLE,
  F_ALTITUDE_BARO,
  F_ALTITUDE_GEOM,
  F_BARO_RATE,
  F_GEOM_DELTA,
  F_GEOM_RATE,
  SOURCES,
  TIMES,
  VALUES,
} from './layout.ts';
import { RELIABLE_DECODES } from './reliability.ts';

const RELIABLE_MAX = 20;
/** Shown from this reliability. */
const RELIABLE_MIN = 2 * RELIABLE_DECODES;
/** Jumps below this are always plausible. */
const JUMP_FT = 300;
const CLIMB_FPM_MAX = 12_500;
const CLIMB_MARGIN_FPM = 1500;
const CLIMB_MARGIN_FPM_MAX = 11_000;
const FRESH_MS = 2000;
const LESSER_SOURCE_MS = 10_000;
const RELIABLE_FOR_MS = 30_000;
const DELTA_FROM_BARO_MS = 1000;

/** Takes a barometric altitude. `checked`: parity covers the frame's content, not only its address. */
export function foldAltitudeBaro(aircraft: Aircraft, altitudeFt: number, checked: boolean): void {
  // A late one does not change the reliability of a later one.
  if (altitudeFt === ABSENT || aircraft.now < fieldTime(aircraft, F_ALTITUDE_BARO)) return;
  const { source, bytes } = aircraft;
  const age = fieldAge(aircraft, F_ALTITUDE_BARO);
  const knownSource = fieldSource(aircraft, F_ALTITUDE_BARO);
  if (source < knownSource && age <= LESSER_SOURCE_MS) return;
  const at = aircraft.byte + B_ALTITUDE_RELIABLE;
  if (knownSource === SOURCE_NONE || age > EXPIRE_MS) bytes[at] = 0;

  const jumpFt = altitudeFt - fieldValue(aircraft, F_ALTITUDE_BARO);
  const trust = trustIn(source, checked, age);
  if (jumpFt >= JUMP_FT || jumpFt <= -JUMP_FT) {
    bytes[at] = reliableAfterJump(aircraft, age);
    if (!isPlausibleClimb(aircraft, jumpFt, age)) {
      if (trust < bytes[at]! && source <= knownSource) {
        doubt(aircraft, trust);
        return;
      }
      bytes[at] = 0;
    }
  }
  if (!accept(aircraft, F_ALTITUDE_BARO)) return;
  aircraft.words[aircraft.at + VALUES + 2 * F_ALTITUDE_BARO] = altitudeFt;
  bytes[at] = Math.min(RELIABLE_MAX, bytes[at]! + trust + 1);
}

/** The barometric altitude is reliable enough to be shown. */
export function isAltitudeReliable(aircraft: Aircraft): boolean {
  return aircraft.bytes[aircraft.byte + B_ALTITUDE_RELIABLE]! >= RELIABLE_MIN && isValid(aircraft, F_ALTITUDE_BARO);
}

/** Updates the geometric altitude from the barometric one, or the difference from both. Call after any of the three changed. */
export function foldAltitudeGeom(aircraft: Aircraft, geomCame: boolean): void {
  const baroTime = fieldTime(aircraft, F_ALTITUDE_BARO);
  const geomTime = fieldTime(aircraft, F_ALTITUDE_GEOM);
  const deltaTime = fieldTime(aircraft, F_GEOM_DELTA);
  if (baroTime > geomTime || deltaTime > geomTime) {
    if (
      isValid(aircraft, F_GEOM_DELTA) &&
      fieldSource(aircraft, F_GEOM_DELTA) >= geomSource(aircraft) &&
      isAltitudeReliable(aircraft) &&
      baroOutranksGeom(aircraft)
    ) {
      const geomFt = fieldValue(aircraft, F_ALTITUDE_BARO) + fieldValue(aircraft, F_GEOM_DELTA);
      combine(aircraft, F_ALTITUDE_GEOM, F_ALTITUDE_BARO, F_GEOM_DELTA, geomFt);
      return;
    }
  }
  if (!geomCame || geomTime <= deltaTime || aircraft.now - baroTime >= DELTA_FROM_BARO_MS) return;
  if (!isAltitudeReliable(aircraft) || !wouldAccept(aircraft, F_GEOM_DELTA)) return;
  const deltaFt = fieldValue(aircraft, F_ALTITUDE_GEOM) - fieldValue(aircraft, F_ALTITUDE_BARO);
  combine(aircraft, F_GEOM_DELTA, F_ALTITUDE_BARO, F_ALTITUDE_GEOM, deltaFt);
}

/** A computed value has the lower source and the later time of its two inputs. */
function combine(aircraft: Aircraft, to: number, a: number, b: number, value: number): void {
  const word = aircraft.at + 2 * to;
  aircraft.words[word + VALUES] = value;
  aircraft.words[word + TIMES] = Math.max(fieldTime(aircraft, a), fieldTime(aircraft, b));
  aircraft.bytes[aircraft.byte + SOURCES + to] = Math.min(fieldSource(aircraft, a), fieldSource(aircraft, b));
}

function baroOutranksGeom(aircraft: Aircraft): boolean {
  const baroTime = fieldTime(aircraft, F_ALTITUDE_BARO);
  const geomTime = fieldTime(aircraft, F_ALTITUDE_GEOM);
  const baroSource = fieldSource(aircraft, F_ALTITUDE_BARO);
  const source = geomSource(aircraft);
  if (baroSource > source && aircraft.now - baroTime <= STALE_MS) return true;
  if (baroSource < source && aircraft.now - geomTime <= STALE_MS) return false;
  return baroTime >= geomTime;
}

/** Source of the geometric altitude; an expired one counts as none. */
function geomSource(aircraft: Aircraft): number {
  return isValid(aircraft, F_ALTITUDE_GEOM) ? fieldSource(aircraft, F_ALTITUDE_GEOM) : SOURCE_NONE;
}

function reliableAfterJump(aircraft: Aircraft, age: number): number {
  if (age >= RELIABLE_FOR_MS || fieldSource(aircraft, F_ALTITUDE_BARO) === SOURCE_NONE) return 0;
  const faded = RELIABLE_MAX - Math.floor((RELIABLE_MAX * age) / RELIABLE_FOR_MS);
  return Math.min(faded, aircraft.bytes[aircraft.byte + B_ALTITUDE_RELIABLE]!);
}

function trustIn(source: number, checked: boolean, age: number): number {
  if (source === SOURCE_MLAT) return RELIABLE_MAX / 2 - 1;
  if (!checked || source <= SOURCE_MODE_S_CHECKED) return 0;
  return age < FRESH_MS ? RELIABLE_MAX : 6;
}

/** True when the jump fits the reported vertical rate, or any rate that an aircraft can have. */
function isPlausibleClimb(aircraft: Aircraft, jumpFt: number, age: number): boolean {
  const fpm = (jumpFt * 600) / (Math.floor(age / 100) + 10);
  const geomAge = fieldAge(aircraft, F_GEOM_RATE);
  const baroAge = fieldAge(aircraft, F_BARO_RATE);
  let field = -1;
  if (isValid(aircraft, F_GEOM_RATE) && geomAge < baroAge) field = F_GEOM_RATE;
  else if (isValid(aircraft, F_BARO_RATE)) field = F_BARO_RATE;
  if (field < 0) return fpm > -CLIMB_FPM_MAX && fpm < CLIMB_FPM_MAX;
  const margin = CLIMB_MARGIN_FPM + Math.min(CLIMB_MARGIN_FPM_MAX, Math.floor(fieldAge(aircraft, field) / 2));
  return Math.abs(fpm - fieldValue(aircraft, field)) < margin;
}

/** Refuses an implausible altitude; enough of them remove the old one. */
function doubt(aircraft: Aircraft, trust: number): void {
  if (!wouldAccept(aircraft, F_ALTITUDE_BARO)) return;
  const at = aircraft.byte + B_ALTITUDE_RELIABLE;
  const left = aircraft.bytes[at]! - (trust + 1);
  aircraft.bytes[at] = Math.max(0, left);
  if (left <= 0) drop(aircraft, F_ALTITUDE_BARO);
}
