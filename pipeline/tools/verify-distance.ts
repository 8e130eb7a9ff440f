// Distances between places, and which places are the same.

/** The same place, whatever the rounding, m. */
export const SAME_PLACE_M = 2;
/** A place further from ours than this is a difference, m. */
export const PLACE_NEAR_M = 25;

const EARTH_RADIUS_M = 6_371_008.8;

/** Distance of two places near each other, degrees, in m. */
export function metresBetween(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const radians = Math.PI / 180;
  const dLat = (b.lat - a.lat) * radians;
  let dLon = Math.abs(b.lon - a.lon);
  if (dLon > 180) dLon = 360 - dLon;
  return EARTH_RADIUS_M * Math.hypot(dLat, dLon * radians * Math.cos(((a.lat + b.lat) / 2) * radians));
}
