// Altitudes: how far the barometric one is believed, and the geometric one derived from it and the difference that velocity messages tell.
import { ABSENT } from '../decode/message.ts';
import {
  accept,
  drop,
  fieldAge,
  fieldSource,
  fieldTime,
  fieldValue,
  isValid,
  type Reception,
  SOURCE_MLAT,
  SOURCE_MODE_S,
  SOURCE_MODE_S_CHECKED,
  SOURCE_NONE,
  STALE_MS,
  wouldAccept,
} from './accept.ts';
import {
  type AircraftTable,
  B_ALTITUDE_RELIABLE,
  F_ALTITUDE_BARO,
  F_ALTITUDE_GEOM,
  F_BARO_RATE,
  F_GEOM_DELTA,
  F_GEOM_RATE,
  SOURCES,
  STRIDE_BYTES,
  STRIDE_WORDS,
  TIMES,
  VALUES,
} from './layout.ts';
import { RELIABLE_DECODES } from './reliability.ts';

const RELIABLE_MAX = 20;
/** Shown from this reliability on. */
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

/** Offers a barometric altitude. `checked` tells that parity covers the frame's content and not only its address. */
export function foldAltitudeBaro(table: AircraftTable, slot: number, reception: Reception, altitudeFt: number, checked: boolean): void {
  if (altitudeFt === ABSENT) return;
  const { now, source } = reception;
  const age = fieldAge(table, slot, F_ALTITUDE_BARO, now);
  if (source < fieldSource(table, slot, F_ALTITUDE_BARO) && age <= LESSER_SOURCE_MS) return;
  const at = slot * STRIDE_BYTES + B_ALTITUDE_RELIABLE;
  if (!isValid(table, slot, F_ALTITUDE_BARO, now)) table.bytes[at] = 0;

  const jumpFt = altitudeFt - fieldValue(table, slot, F_ALTITUDE_BARO);
  const big = Math.abs(jumpFt) >= JUMP_FT;
  if (big) table.bytes[at] = reliableAfterJump(table, slot, now, age);
  const trust = trustIn(source, checked, age);
  if (big && !isPlausibleClimb(table, slot, now, jumpFt, age)) {
    const better = trust >= table.bytes[at]! || source > fieldSource(table, slot, F_ALTITUDE_BARO);
    if (!better) {
      doubt(table, slot, reception, trust);
      return;
    }
    table.bytes[at] = 0;
  }
  if (!accept(table, slot, F_ALTITUDE_BARO, reception)) return;
  table.words[slot * STRIDE_WORDS + VALUES + 2 * F_ALTITUDE_BARO] = altitudeFt;
  // A reply that comes after a silence may name this address by chance: it adds no trust.
  const gain = source === SOURCE_MODE_S && age > LESSER_SOURCE_MS ? 0 : trust + 1;
  table.bytes[at] = Math.min(RELIABLE_MAX, table.bytes[at]! + gain);
}

/** The barometric altitude is believed enough to be shown. */
export function isAltitudeReliable(table: AircraftTable, slot: number, now: number): boolean {
  return table.bytes[slot * STRIDE_BYTES + B_ALTITUDE_RELIABLE]! >= RELIABLE_MIN && isValid(table, slot, F_ALTITUDE_BARO, now);
}

/** Keeps the geometric altitude in step: derives it from the barometric one, or the difference from both. Call after any of the three came. */
export function foldAltitudeGeom(table: AircraftTable, slot: number, reception: Reception, geomCame: boolean): void {
  const { now } = reception;
  if (!isAltitudeReliable(table, slot, now)) return;
  const baroTime = fieldTime(table, slot, F_ALTITUDE_BARO);
  const geomTime = fieldTime(table, slot, F_ALTITUDE_GEOM);
  const deltaTime = fieldTime(table, slot, F_GEOM_DELTA);
  if (
    (baroTime > geomTime || deltaTime > geomTime) &&
    isValid(table, slot, F_GEOM_DELTA, now) &&
    fieldSource(table, slot, F_GEOM_DELTA) >= fieldSource(table, slot, F_ALTITUDE_GEOM) &&
    baroOutranksGeom(table, slot, now)
  ) {
    const geomFt = fieldValue(table, slot, F_ALTITUDE_BARO) + fieldValue(table, slot, F_GEOM_DELTA);
    combine(table, slot, F_ALTITUDE_GEOM, F_ALTITUDE_BARO, F_GEOM_DELTA, geomFt);
    return;
  }
  if (geomCame && geomTime > deltaTime && now - baroTime < DELTA_FROM_BARO_MS && wouldAccept(table, slot, F_GEOM_DELTA, reception)) {
    const deltaFt = fieldValue(table, slot, F_ALTITUDE_GEOM) - fieldValue(table, slot, F_ALTITUDE_BARO);
    combine(table, slot, F_GEOM_DELTA, F_ALTITUDE_BARO, F_ALTITUDE_GEOM, deltaFt);
  }
}

/** A value computed from two fields has the worse source and the later time of both. */
function combine(table: AircraftTable, slot: number, to: number, a: number, b: number, value: number): void {
  const word = slot * STRIDE_WORDS + 2 * to;
  table.words[word + VALUES] = value;
  table.words[word + TIMES] = Math.max(fieldTime(table, slot, a), fieldTime(table, slot, b));
  table.bytes[slot * STRIDE_BYTES + SOURCES + to] = Math.min(fieldSource(table, slot, a), fieldSource(table, slot, b));
}

function baroOutranksGeom(table: AircraftTable, slot: number, now: number): boolean {
  const baroTime = fieldTime(table, slot, F_ALTITUDE_BARO);
  const geomTime = fieldTime(table, slot, F_ALTITUDE_GEOM);
  const baroSource = fieldSource(table, slot, F_ALTITUDE_BARO);
  const geomSource = isValid(table, slot, F_ALTITUDE_GEOM, now) ? fieldSource(table, slot, F_ALTITUDE_GEOM) : SOURCE_NONE;
  if (baroSource > geomSource && now - baroTime <= STALE_MS) return true;
  if (baroSource < geomSource && now - geomTime <= STALE_MS) return false;
  return baroTime >= geomTime;
}

function reliableAfterJump(table: AircraftTable, slot: number, now: number, age: number): number {
  if (age >= RELIABLE_FOR_MS || !isValid(table, slot, F_ALTITUDE_BARO, now)) return 0;
  const faded = RELIABLE_MAX - Math.floor((RELIABLE_MAX * age) / RELIABLE_FOR_MS);
  return Math.min(faded, table.bytes[slot * STRIDE_BYTES + B_ALTITUDE_RELIABLE]!);
}

function trustIn(source: number, checked: boolean, age: number): number {
  if (source === SOURCE_MLAT) return Math.floor(RELIABLE_MAX / 2) - 1;
  if (!checked || source <= SOURCE_MODE_S_CHECKED) return 0;
  return age < FRESH_MS ? RELIABLE_MAX : Math.floor(RELIABLE_MAX / 3);
}

/** Does the jump fit the vertical rate that the aircraft tells, or any rate an aircraft can have? */
function isPlausibleClimb(table: AircraftTable, slot: number, now: number, jumpFt: number, age: number): boolean {
  const fpm = (jumpFt * 600) / (Math.floor(age / 100) + 10);
  const geomAge = fieldAge(table, slot, F_GEOM_RATE, now);
  const baroAge = fieldAge(table, slot, F_BARO_RATE, now);
  let field = -1;
  if (isValid(table, slot, F_GEOM_RATE, now) && geomAge < baroAge) field = F_GEOM_RATE;
  else if (isValid(table, slot, F_BARO_RATE, now)) field = F_BARO_RATE;
  if (field < 0) return fpm > -CLIMB_FPM_MAX && fpm < CLIMB_FPM_MAX;
  const margin = CLIMB_MARGIN_FPM + Math.min(CLIMB_MARGIN_FPM_MAX, Math.floor(fieldAge(table, slot, field, now) / 2));
  return Math.abs(fpm - fieldValue(table, slot, field)) < margin;
}

/** An implausible altitude is not taken, but enough of them bring the old one down. */
function doubt(table: AircraftTable, slot: number, reception: Reception, trust: number): void {
  if (!wouldAccept(table, slot, F_ALTITUDE_BARO, reception)) return;
  const at = slot * STRIDE_BYTES + B_ALTITUDE_RELIABLE;
  const left = table.bytes[at]! - (trust + 1);
  table.bytes[at] = Math.max(0, left);
  if (left <= 0) drop(table, slot, F_ALTITUDE_BARO);
}
