// Take-offs and landings as they are seen: changes between air and ground, and, where no message from the ground is heard, aircraft that
// appear low and climbing or vanish low and descending beside an airport.
import { ABSENT } from '../view/columns.ts';
import type { Field, Fields } from './airports.ts';
import type { FlightTrack, Sample } from './track.ts';

export interface Movement {
  readonly kind: 'takeoff' | 'landing';
  readonly field: Field;
  readonly timeMs: number;
}

/** An aircraft not heard for so long may have done anything. */
const UNHEARD_MS = 300_000;
/** One that appeared so lately, low and climbing, has taken off. */
const APPEARED_MS_MAX = 60_000;
const CLIMB_FPM_MIN = 300;
const CLIMB_HEIGHT_FT_MAX = 3000;
/** One that is not heard for so long, and was low and descending, has landed. */
export const SILENT_MS = 90_000;
const DESCENT_FPM_MAX = -200;
const DESCENT_HEIGHT_FT_MAX = 1500;
/** Jets climb out and come in below this. */
const SPEED_DECI_KT_MAX = 2500;
/** In the air an airport's surroundings are wider. */
const AIR_MARGIN_NM = 3;
const AIRPORT_FT_MAX = 15_000;
/** Faster than this on the ground is neither parked nor noise. */
const MOVING_DECI_KT_MIN = 30;

/** Compares a new sample with what is remembered, and remembers it. A movement where there was one. */
export function observeSample(track: FlightTrack, sample: Sample, fields: Fields): Movement | null {
  const { timeMs, onGround } = sample;
  const wasOnGround = track.onGround === 1;
  if (!(timeMs - track.positionMs <= UNHEARD_MS)) {
    track.appearedMs = timeMs;
    track.onGround = ABSENT;
    track.isSettled = false;
  }
  const before = track.onGround;
  const isNew = timeMs - track.appearedMs <= APPEARED_MS_MAX;
  let movement: Movement | null = null;
  if (onGround === 1) {
    if (before === 0) movement = onField('landing', sample, timeMs, track, fields);
    if (!wasOnGround) track.groundMs = timeMs;
    if (sample.groundSpeedDeciKt >= MOVING_DECI_KT_MIN) track.movedMs = timeMs;
  } else if (onGround === 0) {
    // Where it was last seen on the ground says more than where it is seen first in the air.
    if (before === 1) movement = onField('takeoff', track, timeMs, track, fields);
    else if (isNew && !track.isSettled && isClimbingOut(sample))
      movement = besideField('takeoff', sample, timeMs, CLIMB_HEIGHT_FT_MAX, track, fields);
  }
  remember(track, sample);
  if (movement !== null || onGround === 1) track.isSettled = true;
  return movement;
}

/** A landing of an aircraft that is not heard any more; looked at once a silence. */
export function observeSilence(track: FlightTrack, fields: Fields): Movement | null {
  track.isSilent = true;
  const { onGround, rateFpm, groundSpeedDeciKt, positionMs } = track;
  if (onGround !== 0 || rateFpm === ABSENT || rateFpm > DESCENT_FPM_MAX || groundSpeedDeciKt > SPEED_DECI_KT_MAX) return null;
  const movement = besideField('landing', track, positionMs, DESCENT_HEIGHT_FT_MAX, track, fields);
  if (movement !== null) track.onGround = ABSENT;
  return movement;
}

function isClimbingOut({ rateFpm, groundSpeedDeciKt }: Sample): boolean {
  return rateFpm !== ABSENT && rateFpm >= CLIMB_FPM_MIN && groundSpeedDeciKt <= SPEED_DECI_KT_MAX;
}

interface Place {
  readonly latDeg: number;
  readonly lonDeg: number;
  readonly altitudeFt: number;
}

/** At the airport on whose ground the place is. */
function onField(
  kind: Movement['kind'],
  { latDeg, lonDeg }: Place,
  timeMs: number,
  { isRotorcraft }: FlightTrack,
  fields: Fields,
): Movement | null {
  const field = fields.at(latDeg, lonDeg, isRotorcraft);
  return field === undefined ? null : { kind, field, timeMs };
}

/** At the airport beside which the place is, at most so high above it. */
function besideField(
  kind: Movement['kind'],
  { latDeg, lonDeg, altitudeFt }: Place,
  timeMs: number,
  heightFtMax: number,
  { isRotorcraft }: FlightTrack,
  fields: Fields,
): Movement | null {
  // The highest airports lie below this: look-ups only for what is low.
  if (altitudeFt === ABSENT || altitudeFt > AIRPORT_FT_MAX + heightFtMax) return null;
  const field = fields.at(latDeg, lonDeg, isRotorcraft, AIR_MARGIN_NM);
  return field === undefined || altitudeFt - field.elevationFt > heightFtMax ? null : { kind, field, timeMs };
}

function remember(track: FlightTrack, sample: Sample): void {
  track.positionMs = sample.timeMs;
  track.latDeg = sample.latDeg;
  track.lonDeg = sample.lonDeg;
  track.altitudeFt = sample.altitudeFt;
  track.rateFpm = sample.rateFpm;
  track.groundSpeedDeciKt = sample.groundSpeedDeciKt;
  if (sample.onGround !== ABSENT) track.onGround = sample.onGround;
  track.isSilent = false;
}
