// Decides if an aircraft can be on a leg between two airports, by its position, track and altitude. The README of this folder explains numbers
// and reasons.

import { ABSENT } from '../aircraft/columns.ts';
import { DEGREES_PER_RADIAN } from '../geo/earth.ts';
import { distanceNm } from '../geo/sphere.ts';
import type { Vector } from '../geo/vector.ts';
import type { FlightAirport } from './airports.ts';

/** The airports of a flight; one of them may be unknown. */
export interface Leg {
  readonly origin: FlightAirport | null;
  readonly destination: FlightAirport | null;
}

/** Motion of the aircraft, in the table's units; ABSENT when unknown. */
export interface Motion {
  readonly position: Vector;
  readonly latDeg: number;
  readonly lonDeg: number;
  /** 1, 0 or ABSENT. */
  readonly onGround: number;
  readonly trackCentideg: number;
  readonly groundSpeedDeciKt: number;
  readonly altitudeFt: number;
  readonly rateFpm: number;
}

export const implausibleReasons = ['ground', 'detour', 'direction', 'altitude', 'origin', 'destination'] as const;
export type ImplausibleReason = (typeof implausibleReasons)[number];

/** An aircraft on the ground is within this distance of an airport. */
export const AIRPORT_NM = 5;
/** A leg may be longer than the great circle by this, plus a share of its first part and a larger share of the rest. */
const DETOUR_NM = 60;
const DETOUR_SHARE = 0.2;
const DETOUR_LONG_NM = 2000;
const DETOUR_LONG_SHARE = 0.8;
/** Nearer to an end than this, or than a quarter of the leg, any direction may be procedure. */
const TERMINAL_NM = 60;
const TERMINAL_SHARE = 0.25;
/** A track further off the destination than this is not towards it. */
const AWAY_DEG_MIN = 110;
const SPEED_DECI_KT_MIN = 800;
/** Within this distance of an end, altitude above it is limited to a base plus a rate per nm. */
const LOW_WITHIN_NM = 20;
const LOW_BASE_FT = 12_000;
const LOW_PER_NM_FT = 1000;

/** The reason why a leg is impossible; null when nothing contradicts it. */
export function implausibility(leg: Leg, motion: Motion): ImplausibleReason | null {
  const { origin, destination } = leg;
  const fromNm = origin === null ? Number.NaN : distanceNm(origin.position, motion.position);
  const toNm = destination === null ? Number.NaN : distanceNm(destination.position, motion.position);
  // A comparison with an unknown value is false.
  if (motion.onGround === 1) {
    const isAtEnd = fromNm <= AIRPORT_NM || toNm <= AIRPORT_NM;
    return isAtEnd || (origin === null && destination === null) ? null : 'ground';
  }
  if (origin !== null && isTooHigh(origin, fromNm, motion)) return 'altitude';
  if (destination !== null && isTooHigh(destination, toNm, motion)) return 'altitude';
  if (origin === null || destination === null) return null;
  const legNm = distanceNm(origin.position, destination.position);
  if (fromNm + toNm - legNm > detourMaxNm(legNm)) return 'detour';
  const terminalNm = Math.min(TERMINAL_NM, TERMINAL_SHARE * legNm);
  if (fromNm > terminalNm && toNm > terminalNm && isHeadingAway(destination.position, motion)) return 'direction';
  return null;
}

/** Minimum distance flown, minus the great circle: the smaller, the better a leg fits. */
export function detourNm({ origin, destination }: Leg, position: Vector): number {
  if (origin === null || destination === null) return 0;
  return (
    distanceNm(origin.position, position) + distanceNm(position, destination.position) - distanceNm(origin.position, destination.position)
  );
}

function detourMaxNm(legNm: number): number {
  return DETOUR_NM + DETOUR_SHARE * Math.min(legNm, DETOUR_LONG_NM) + DETOUR_LONG_SHARE * Math.max(0, legNm - DETOUR_LONG_NM);
}

function isTooHigh(airport: FlightAirport, airportNm: number, { altitudeFt }: Motion): boolean {
  if (altitudeFt === ABSENT || airportNm > LOW_WITHIN_NM) return false;
  return altitudeFt - airport.elevationFt > LOW_BASE_FT + LOW_PER_NM_FT * airportNm;
}

function isHeadingAway(to: Vector, { position, latDeg, lonDeg, trackCentideg, groundSpeedDeciKt }: Motion): boolean {
  if (trackCentideg === ABSENT || groundSpeedDeciKt === ABSENT || groundSpeedDeciKt < SPEED_DECI_KT_MIN) return false;
  const turnDeg = Math.abs(((bearingDeg(position, latDeg, lonDeg, to) - trackCentideg / 100 + 540) % 360) - 180);
  return turnDeg > AWAY_DEG_MIN;
}

/** Initial bearing, degrees true, −180 to 180. */
function bearingDeg(from: Vector, latDeg: number, lonDeg: number, to: Vector): number {
  const sinLat = Math.sin(latDeg / DEGREES_PER_RADIAN);
  const sinLon = Math.sin(lonDeg / DEGREES_PER_RADIAN);
  const cosLon = Math.cos(lonDeg / DEGREES_PER_RADIAN);
  const cosLat = Math.sqrt(from.x * from.x + from.y * from.y);
  const east = cosLon * to.y - sinLon * to.x;
  const north = cosLat * to.z - sinLat * (cosLon * to.x + sinLon * to.y);
  return Math.atan2(east, north) * DEGREES_PER_RADIAN;
}
