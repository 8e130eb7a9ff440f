// Distances and bearings between positions in microdegrees: on a plane where points are near, which they nearly always are, on the sphere else.
import { bearingDeg, cosDeg, directionCentideg, distanceM, EARTH_RADIUS_M } from '../decode/trig.ts';

/** Up to here (microdegrees, each way) the plane differs from the sphere by less than 1 in 10,000 below 80° of latitude. */
const NEAR = 300_000;
const METRES_PER_MICRODEG = (EARTH_RADIUS_M * 0.017453292519943295) / 1e6;
const TURN = 360_000_000;
/** CPR rounds to 5 m (surface 1.25 m): shorter moves have no direction. */
export const MOVED_M = 2.5;

/** Metres along the ground. */
export function distanceBetweenM(latitude1: number, longitude1: number, latitude2: number, longitude2: number): number {
  const north = latitude2 - latitude1;
  const east = longitudeDifference(longitude1, longitude2);
  if (!isNear(latitude1, north, east)) return distanceM(latitude1 / 1e6, longitude1 / 1e6, latitude2 / 1e6, longitude2 / 1e6);
  const x = east * cosDeg((latitude1 + latitude2) / 2e6);
  return Math.sqrt(x * x + north * north) * METRES_PER_MICRODEG;
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
    out.distanceM = distanceM(latitude1 / 1e6, longitude1 / 1e6, latitude2 / 1e6, longitude2 / 1e6);
    out.bearingCentideg = (bearingDeg(latitude1 / 1e6, longitude1 / 1e6, latitude2 / 1e6, longitude2 / 1e6) * 100) | 0;
    return;
  }
  const x = east * cosDeg((latitude1 + latitude2) / 2e6);
  out.distanceM = Math.sqrt(x * x + north * north) * METRES_PER_MICRODEG;
  out.bearingCentideg = out.distanceM < MOVED_M ? -1 : directionCentideg(x, north);
}

/** Smallest angle between two directions of 0 to 35999 centidegrees: 0 to 18000. */
export function angleBetweenCentideg(a: number, b: number): number {
  const difference = Math.abs(a - b);
  return difference > 18_000 ? 36_000 - difference : difference;
}

function isNear(latitude: number, north: number, east: number): boolean {
  return Math.abs(north) < NEAR && Math.abs(east) < NEAR && Math.abs(latitude) < 80_000_000;
}

function longitudeDifference(from: number, to: number): number {
  const east = to - from;
  if (east > TURN / 2) return east - TURN;
  return east < -TURN / 2 ? east + TURN : east;
}
