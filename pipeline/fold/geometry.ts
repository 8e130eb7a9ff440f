// Distances and bearings between positions in microdegrees: on a plane where points are near, which they nearly always are, on the sphere else.
import { atan2Deg, bearingDeg, cosDeg, distanceM, EARTH_RADIUS_M } from '../decode/trig.ts';

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
  /** Degrees true, 0 ≤ b < 360; −1 for a move too short to have a direction. */
  bearingDeg: number;
}

/** The move from the first position to the second. */
export function moveBetween(latitude1: number, longitude1: number, latitude2: number, longitude2: number, out: Move): void {
  const north = latitude2 - latitude1;
  const east = longitudeDifference(longitude1, longitude2);
  if (!isNear(latitude1, north, east)) {
    out.distanceM = distanceM(latitude1 / 1e6, longitude1 / 1e6, latitude2 / 1e6, longitude2 / 1e6);
    out.bearingDeg = bearingDeg(latitude1 / 1e6, longitude1 / 1e6, latitude2 / 1e6, longitude2 / 1e6);
    return;
  }
  const x = east * cosDeg((latitude1 + latitude2) / 2e6);
  out.distanceM = Math.sqrt(x * x + north * north) * METRES_PER_MICRODEG;
  const angle = out.distanceM < MOVED_M ? -1 : atan2Deg(x, north);
  out.bearingDeg = angle < 0 && out.distanceM >= MOVED_M ? angle + 360 : angle;
}

/** Smallest angle between two directions of 0 ≤ a, b < 360 degrees: 0 to 180. */
export function angleBetweenDeg(a: number, b: number): number {
  const difference = Math.abs(a - b);
  return difference > 180 ? 360 - difference : difference;
}

function isNear(latitude: number, north: number, east: number): boolean {
  return Math.abs(north) < NEAR && Math.abs(east) < NEAR && Math.abs(latitude) < 80_000_000;
}

function longitudeDifference(from: number, to: number): number {
  const east = to - from;
  if (east > TURN / 2) return east - TURN;
  return east < -TURN / 2 ? east + TURN : east;
}
