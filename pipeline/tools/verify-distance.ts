// Distances between positions, and which positions count as equal.
import { EARTH_RADIUS_M, RADIANS_PER_DEGREE } from '../geo/earth.ts';

/** Positions nearer than this are equal, whatever the rounding, m. */
export const EQUAL_WITHIN_M = 2;
/** A position further from ours than this is a difference, m. */
export const POSITION_NEAR_M = 25;

/** Distance in metres of two near positions in degrees. */
export function metresBetween(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const dLat = (b.lat - a.lat) * RADIANS_PER_DEGREE;
  let dLon = Math.abs(b.lon - a.lon);
  if (dLon > 180) dLon = 360 - dLon;
  return EARTH_RADIUS_M * Math.hypot(dLat, dLon * RADIANS_PER_DEGREE * Math.cos(((a.lat + b.lat) / 2) * RADIANS_PER_DEGREE));
}
