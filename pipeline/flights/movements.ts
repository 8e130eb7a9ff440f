// Observed take-offs and landings: changes between air and ground; and, where messages from the ground are not received, aircraft that
// appear low and climbing or disappear low and descending beside an airport.
import type { MovementSource } from '../../schemas/avro/flight.ts';
import { ABSENT } from '../aircraft/columns.ts';
import type { FlightAirport, FlightAirports } from './airports.ts';
import type { FlightTrack, StateSample } from './track.ts';

export interface Movement {
  readonly kind: 'takeoff' | 'landing';
  readonly airport: FlightAirport;
  readonly timeMs: number;
  readonly source: MovementSource;
}

/** After such a silence an aircraft may have done anything. */
export const UNHEARD_MS = 300_000;
/** An aircraft that appeared at most this long ago, low and climbing, has taken off. */
const APPEARED_MS_MAX = 60_000;
const CLIMB_FPM_MIN = 300;
const CLIMB_HEIGHT_FT_MAX = 3000;
/** An aircraft that is silent for this long after it was low and descending has landed. */
export const SILENT_MS = 90_000;
const DESCENT_FPM_MAX = -200;
const DESCENT_HEIGHT_FT_MAX = 1500;
/** Jets climb out and approach below this speed. */
const SPEED_DECI_KT_MAX = 2500;
/** Airborne aircraft may be this much further from an airport. */
const AIR_MARGIN_NM = 3;
const AIRPORT_FT_MAX = 15_000;
/** Faster than a parked aircraft or noise on the ground. */
export const MOVING_DECI_KT_MIN = 30;
/** Precision of the time of the last movement on the ground. */
const MOVED_STEP_MS = 60_000;

/** The aircraft had no position for so long before this one that it may have done anything. */
function isHeardAgain(track: FlightTrack, { timeMs }: StateSample): boolean {
  return !(timeMs - track.positionMs <= UNHEARD_MS);
}

/** Forgets air or ground that was reported so long ago that it may have changed, even if later positions did not report it. */
export function expireAirGround(track: FlightTrack, timeMs: number): void {
  if (!isAirGroundKnown(track, timeMs)) track.onGround = ABSENT;
}

export function isAirGroundKnown(track: FlightTrack, timeMs: number): boolean {
  return timeMs - track.onGroundMs <= UNHEARD_MS;
}

/** Compares a new position with the previous one, and stores it. Returns the movement, if there is one. */
export function observeSample(track: FlightTrack, sample: StateSample, airports: FlightAirports): Movement | null {
  const { timeMs, onGround } = sample;
  if (isHeardAgain(track, sample)) {
    track.appearedMs = timeMs;
    track.isChanged = true;
  }
  expireAirGround(track, timeMs);
  const before = track.lastOnGround;
  const isNew = timeMs - track.appearedMs <= APPEARED_MS_MAX;
  let movement: Movement | null = null;
  if (onGround === 1) {
    if (before === 0) movement = onAirport('landing', sample, timeMs, track, airports);
    observeGround(track, sample);
  } else if (onGround === 0) {
    // The last position on the ground is better evidence than the first one in the air.
    if (before === 1) movement = onAirport('takeoff', track, timeMs, track, airports);
    else if (isNew && isClimbingOut(sample)) movement = besideAirport('takeoff', sample, timeMs, CLIMB_HEIGHT_FT_MAX, track, airports);
    track.isChanged ||= !Number.isNaN(track.groundMs);
    track.groundMs = Number.NaN;
  }
  remember(track, sample);
  return movement;
}

function observeGround(track: FlightTrack, { timeMs, groundSpeedDeciKt }: StateSample): void {
  if (Number.isNaN(track.groundMs)) {
    track.groundMs = timeMs;
    track.isChanged = true;
  }
  if (groundSpeedDeciKt >= MOVING_DECI_KT_MIN && !(timeMs - track.movedMs < MOVED_STEP_MS)) {
    track.movedMs = timeMs;
    track.isChanged = true;
  }
  if (!Number.isNaN(track.appearedMs)) {
    track.appearedMs = Number.NaN;
    track.isChanged = true;
  }
}

/** A landing of an aircraft that is no longer heard; checked once per silence. */
export function observeSilence(track: FlightTrack, airports: FlightAirports): Movement | null {
  track.isSilent = true;
  const { rateFpm, groundSpeedDeciKt, positionMs } = track;
  if (!isAirGroundKnown(track, positionMs + SILENT_MS)) return null;
  if (track.lastOnGround !== 0 || rateFpm === ABSENT || rateFpm > DESCENT_FPM_MAX || groundSpeedDeciKt > SPEED_DECI_KT_MAX) return null;
  const movement = besideAirport('landing', track, positionMs, DESCENT_HEIGHT_FT_MAX, track, airports);
  if (movement !== null) track.groundMs = positionMs;
  return movement;
}

function isClimbingOut({ rateFpm, groundSpeedDeciKt }: StateSample): boolean {
  return rateFpm !== ABSENT && rateFpm >= CLIMB_FPM_MIN && groundSpeedDeciKt <= SPEED_DECI_KT_MAX;
}

interface Position {
  readonly latDeg: number;
  readonly lonDeg: number;
  readonly altitudeFt: number;
}

/** A movement at the airport on whose ground the position is. */
function onAirport(
  kind: Movement['kind'],
  { latDeg, lonDeg }: Position,
  timeMs: number,
  { isRotorcraft }: FlightTrack,
  airports: FlightAirports,
): Movement | null {
  const airport = airports.at(latDeg, lonDeg, isRotorcraft);
  return airport === undefined ? null : { kind, airport, timeMs, source: 'transition' };
}

/** A movement at the airport beside which the position is, at most this high above it. */
function besideAirport(
  kind: Movement['kind'],
  { latDeg, lonDeg, altitudeFt }: Position,
  timeMs: number,
  heightFtMax: number,
  { isRotorcraft }: FlightTrack,
  airports: FlightAirports,
): Movement | null {
  // The highest airports are below this: look up only low positions.
  if (altitudeFt === ABSENT || altitudeFt > AIRPORT_FT_MAX + heightFtMax) return null;
  const airport = airports.at(latDeg, lonDeg, isRotorcraft, AIR_MARGIN_NM);
  if (airport === undefined || altitudeFt - airport.elevationFt > heightFtMax) return null;
  return { kind, airport, timeMs, source: kind === 'takeoff' ? 'appearance' : 'silence' };
}

/** Stores a position as the newest motion. */
export function remember(track: FlightTrack, sample: StateSample): void {
  track.positionMs = sample.timeMs;
  track.latDeg = sample.latDeg;
  track.lonDeg = sample.lonDeg;
  track.altitudeFt = sample.altitudeFt;
  track.rateFpm = sample.rateFpm;
  track.groundSpeedDeciKt = sample.groundSpeedDeciKt;
  if (sample.onGround !== ABSENT) {
    track.onGround = sample.onGround;
    track.onGroundMs = sample.timeMs;
  }
  track.isSilent = false;
}
