// Distances and bearings on the sphere of the mean Earth radius, as the clients of such services reckon.

const EARTH_RADIUS_NM = 6_371_000 / 1852;
const RAD_PER_DEG = Math.PI / 180;

/** Degrees of latitude that a distance spans. */
export function latitudeSpanDeg(distanceNm: number): number {
  return distanceNm / EARTH_RADIUS_NM / RAD_PER_DEG;
}

/** Haversine: exact for near places too. */
export function distanceNm(latDeg: number, lonDeg: number, otherLatDeg: number, otherLonDeg: number): number {
  const sinLat = Math.sin(((otherLatDeg - latDeg) * RAD_PER_DEG) / 2);
  const sinLon = Math.sin(((otherLonDeg - lonDeg) * RAD_PER_DEG) / 2);
  const h = sinLat * sinLat + Math.cos(latDeg * RAD_PER_DEG) * Math.cos(otherLatDeg * RAD_PER_DEG) * sinLon * sinLon;
  return 2 * EARTH_RADIUS_NM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Of the great circle from the first place to the other, at the first; degrees true, 0 ≤ bearing < 360. */
export function bearingDeg(latDeg: number, lonDeg: number, otherLatDeg: number, otherLonDeg: number): number {
  const lat = latDeg * RAD_PER_DEG;
  const otherLat = otherLatDeg * RAD_PER_DEG;
  const difference = (otherLonDeg - lonDeg) * RAD_PER_DEG;
  const y = Math.sin(difference) * Math.cos(otherLat);
  const x = Math.cos(lat) * Math.sin(otherLat) - Math.sin(lat) * Math.cos(otherLat) * Math.cos(difference);
  const bearing = Math.atan2(y, x) / RAD_PER_DEG;
  return bearing < 0 ? (bearing + 360) % 360 : bearing;
}
