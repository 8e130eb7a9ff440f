// The rules by which a track keeps positions: those where the flight changes, and one in 20 s of steady flight. The rules are those of readsb's traces
// (decisions, "Trace point"), as far as positions have the values.
import { ABSENT } from '../../schemas/absent.ts';
import { ALTITUDE, LATITUDE, LEG, LONGITUDE, ON_GROUND, Points, RATE, SPEED, STALE, TRACK } from './points.ts';

/** Steady flight has a point in this time, an aircraft that stands still one in the second. */
const STEADY_MS_MAX = 20_000;
const STANDING_MS_MAX = 200_000;
/** Without a position for longer, the next point is stale. */
const STALE_MS_MIN = 20_000;
/** A leg starts after a silence of this length, if the aircraft was low enough before or after it to have landed. */
const LEG_SILENCE_MS_MIN = 600_000;
const LEG_ALTITUDE_FT_MAX = 10_000;

const TURN_CENTIDEG = 300;
/** On the ground nose wheels turn, and slow aircraft report coarse tracks. */
const GROUND_TURN_CENTIDEG = 1000;
const CIRCLE_CENTIDEG = 36_000;
const HIGH_FT_MIN = 10_000;
const MIDDLE_FT_MIN = 4000;
const SPEED_DECI_KT = 50;
const HIGH_SPEED_DECI_KT = 100;
const LOW_STEP_FT = 100;
const MIDDLE_STEP_FT = 200;
const HIGH_STEP_FT = 400;
const RATE_STEP_FPM = 450;
/** 0.0001°, about 10 m: less is an aircraft that stands still. */
const STANDING_MICRODEG_MAX = 100;

/** The points of positions in order of time, as the track memory has them: the last one always, and flags set. */
export function tracePoints(positions: Points): Points {
  const points = new Points();
  let newest = -1;
  for (let i = 0; i < positions.count; i += 1) {
    if (i > 0) {
      positions.setFlags(i, flagsAfter(positions, i - 1, positions, i));
      const isBreak = ((positions.flags(i - 1) | positions.flags(i)) & (STALE | LEG)) !== 0;
      if (newest < 0 || isBreak || isChanged(positions, newest, positions, i)) {
        points.push(positions, i - 1);
        newest = i - 1;
      }
    }
  }
  if (positions.count > 0) points.push(positions, positions.count - 1);
  return points;
}

/** The flags of a position that follows `before` of the same aircraft. */
export function flagsAfter(points: Points, before: number, position: Points, index: number): number {
  const silenceMs = position.timeMs[index]! - points.timeMs[before]!;
  const isOnGround = position.hasFlag(index, ON_GROUND);
  const wasOnGround = points.hasFlag(before, ON_GROUND);
  const isTakeOff = wasOnGround && !isOnGround;
  const mayHaveLanded = silenceMs >= LEG_SILENCE_MS_MIN && (isLow(points, before) || isLow(position, index));
  return (isOnGround ? ON_GROUND : 0) | (silenceMs > STALE_MS_MIN ? STALE : 0) | (isTakeOff || mayHaveLanded ? LEG : 0);
}

/** True when a track must keep the last position before this one: the line from its last point would miss too much. */
export function isChanged(points: Points, point: number, position: Points, index: number): boolean {
  const elapsedMs = position.timeMs[index]! - points.timeMs[point]!;
  if (elapsedMs > STEADY_MS_MAX && !(elapsedMs <= STANDING_MS_MAX && isStanding(points, point, position, index))) return true;
  const isOnGround = position.hasFlag(index, ON_GROUND);
  if (isOnGround !== points.hasFlag(point, ON_GROUND)) return true;
  if (isOnGround) return turnCentideg(points, point, position, index) >= GROUND_TURN_CENTIDEG;
  const altitudeFt = position.get(index, ALTITUDE);
  const isHigh = altitudeFt >= HIGH_FT_MIN;
  const stepFt = isHigh ? HIGH_STEP_FT : altitudeFt >= MIDDLE_FT_MIN ? MIDDLE_STEP_FT : LOW_STEP_FT;
  return (
    turnCentideg(points, point, position, index) >= TURN_CENTIDEG ||
    difference(points.get(point, ALTITUDE), altitudeFt) >= stepFt ||
    difference(points.get(point, SPEED), position.get(index, SPEED)) >= (isHigh ? HIGH_SPEED_DECI_KT : SPEED_DECI_KT) ||
    difference(points.get(point, RATE), position.get(index, RATE)) >= RATE_STEP_FPM
  );
}

/** 0 while either is unknown: a value that comes and goes is no change of the flight. */
function difference(one: number, other: number): number {
  return one === ABSENT || other === ABSENT ? 0 : Math.abs(one - other);
}

function turnCentideg(points: Points, point: number, position: Points, index: number): number {
  const turn = difference(points.get(point, TRACK), position.get(index, TRACK));
  return Math.min(turn, CIRCLE_CENTIDEG - turn);
}

function isStanding(points: Points, point: number, position: Points, index: number): boolean {
  return (
    position.hasFlag(index, ON_GROUND) &&
    Math.abs(points.get(point, LATITUDE) - position.get(index, LATITUDE)) <= STANDING_MICRODEG_MAX &&
    Math.abs(points.get(point, LONGITUDE) - position.get(index, LONGITUDE)) <= STANDING_MICRODEG_MAX
  );
}

function isLow(points: Points, index: number): boolean {
  const altitudeFt = points.get(index, ALTITUDE);
  return points.hasFlag(index, ON_GROUND) || (altitudeFt !== ABSENT && altitudeFt < LEG_ALTITUDE_FT_MAX);
}
