// Distances and bearings between positions in microdegrees: on a plane where points are near, which they nearly always are, on the sphere else.

import { cosine, directionCentideg, directionMicrodeg, sine, UNIT } from './direction.ts';
import { EARTH_RADIUS_M, RADIANS_PER_DEGREE } from './earth.ts';

/** Up to here (microdegrees, each way) the plane differs from the sphere by less than 1 in 10,000 below 80° of latitude. */
const NEAR = 300_000;
const METRES_PER_MICRODEG = (EARTH_RADIUS_M * RADIANS_PER_DEGREE) / 1e6;
const TURN = 360_000_000;
/** CPR rounds to 5 m (surface 1.25 m): shorter moves have no direction. */
export const MOVED_M = 2.5;
/** Directions are taken of integers; this keeps 1/4096 of a microdegree, and NEAR in 31 bits. */
const DIRECTION_SCALE = 4096;

/** The distance along the ground in whole metres. */
export function distanceBetweenM(latitude1: number, longitude1: number, latitude2: number, longitude2: number): number {
  const north = latitude2 - latitude1;
  const east = longitudeDifference(longitude1, longitude2);
  if (!isNear(latitude1, north, east)) return sphereDistanceM(latitude1, latitude2, east);
  const x = (east * cosine((latitude1 + latitude2) >> 1)) / UNIT;
  return (Math.sqrt(x * x + north * north) * METRES_PER_MICRODEG + 0.5) | 0;
}

/** How far and where to; made once by the caller and overwritten. */
export interface Move {
  distanceM: number;
  /** Degrees true in hundredths, 0 to 35999; −1 for a move too short to have a direction. */
  bearingCentideg: number;
}

/** The move from the first position to the second. */
export function moveBetween(latitude1: number, longitude1: number, latitude2: number, longitude2: number, out: Move): void {
  const north = latitude2 - latitude1;
  const east = longitudeDifference(longitude1, longitude2);
  if (!isNear(latitude1, north, east)) {
    out.distanceM = sphereDistanceM(latitude1, latitude2, east);
    out.bearingCentideg = sphereBearingCentideg(latitude1, latitude2, east);
    return;
  }
  const x = (east * cosine((latitude1 + latitude2) >> 1)) / UNIT;
  out.distanceM = Math.sqrt(x * x + north * north) * METRES_PER_MICRODEG;
  out.bearingCentideg = out.distanceM < MOVED_M ? -1 : directionCentideg((x * DIRECTION_SCALE) | 0, north * DIRECTION_SCALE);
}

/** Smallest angle between two directions of 0 to 35999 centidegrees: 0 to 18000. */
export function angleBetweenCentideg(a: number, b: number): number {
  const difference = Math.abs(a - b);
  return difference > 18_000 ? 36_000 - difference : difference;
}

/** Haversine form, good to a few metres for near and for antipodal points. */
function sphereDistanceM(latitude1: number, latitude2: number, east: number): number {
  const halfNorth = sine((latitude2 - latitude1) >> 1) / UNIT;
  const halfEast = sine(east >> 1) / UNIT;
  const a = halfNorth * halfNorth + (cosine(latitude1) / UNIT) * (cosine(latitude2) / UNIT) * halfEast * halfEast;
  const remainder = a < 1 ? 1 - a : 0;
  const halfAngleMicrodeg = directionMicrodeg((Math.sqrt(a) * UNIT) | 0, (Math.sqrt(remainder) * UNIT) | 0);
  return (2 * halfAngleMicrodeg * METRES_PER_MICRODEG + 0.5) | 0;
}

/** Initial bearing of the great circle. */
function sphereBearingCentideg(latitude1: number, latitude2: number, east: number): number {
  const cosine2 = cosine(latitude2) / UNIT;
  const x = cosine2 * sine(east);
  const y = (cosine(latitude1) / UNIT) * sine(latitude2) - (sine(latitude1) / UNIT) * cosine2 * cosine(east);
  return directionCentideg(x | 0, y | 0);
}

function isNear(latitude: number, north: number, east: number): boolean {
  return Math.abs(north) < NEAR && Math.abs(east) < NEAR && Math.abs(latitude) < 80_000_000;
}

function longitudeDifference(from: number, to: number): number {
  const east = to - from;
  if (east > TURN / 2) return east - TURN;
  return east < -TURN / 2 ? east + TURN : east;
}
