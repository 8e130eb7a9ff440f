// Distances between positions, and the limits for equal positions.
import { EARTH_RADIUS_M, RADIANS_PER_DEGREE } from '../../geo/earth.ts';

/** Positions closer than this are equal, whatever the rounding, m. */
export const EQUAL_WITHIN_M = 2;
/** Positions farther apart than this are a difference, m. */
export const POSITION_NEAR_M = 25;

/** Distance in metres of two nearby positions in degrees. */
export function metresBetween(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const dLat = (b.lat - a.lat) * RADIANS_PER_DEGREE;
  let dLon = Math.abs(b.lon - a.lon);
  if (dLon > 180) dLon = 360 - dLon;
  return EARTH_RADIUS_M * Math.hypot(dLat, dLon * RADIANS_PER_DEGREE * Math.cos(((a.lat + b.lat) / 2) * RADIANS_PER_DEGREE));
}
