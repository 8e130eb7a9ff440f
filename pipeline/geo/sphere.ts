// Distances and directions on the sphere that readsb and its maps use: radius 6371 km, nautical miles of 1852 m.

export const EARTH_RADIUS_NM = 6_371_000 / 1852;
const RADIANS = Math.PI / 180;

/** A place as a unit vector: x to 0° 0°, y to 0° 90° E, z to the north pole. */
export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export function placeVector(latDeg: number, lonDeg: number): Vector {
  const cosLat = Math.cos(latDeg * RADIANS);
  return { x: cosLat * Math.cos(lonDeg * RADIANS), y: cosLat * Math.sin(lonDeg * RADIANS), z: Math.sin(latDeg * RADIANS) };
}

/** Length of the straight line under an arc, in radii: it grows with the distance, and near places keep their digits. Infinite beyond the antipode. */
export function chordOfNm(distanceNm: number): number {
  const angle = distanceNm / EARTH_RADIUS_NM;
  return angle > Math.PI ? Number.POSITIVE_INFINITY : 2 * Math.sin(angle / 2);
}

export function nmOfChord(chord: number): number {
  return 2 * EARTH_RADIUS_NM * Math.asin(Math.min(1, chord / 2));
}

/** Great-circle distance. */
export function distanceNm(a: Vector, b: Vector): number {
  const [dx, dy, dz] = [a.x - b.x, a.y - b.y, a.z - b.z];
  // Math.hypot takes ten times as long.
  return nmOfChord(Math.sqrt(dx * dx + dy * dy + dz * dz));
}

/** Directions at a place: bearings from there are found without its sine and cosine. */
export class Compass {
  private readonly east: Vector;
  private readonly north: Vector;

  constructor(latDeg: number, lonDeg: number) {
    const sinLat = Math.sin(latDeg * RADIANS);
    const cosLat = Math.cos(latDeg * RADIANS);
    const sinLon = Math.sin(lonDeg * RADIANS);
    const cosLon = Math.cos(lonDeg * RADIANS);
    this.east = { x: -sinLon, y: cosLon, z: 0 };
    this.north = { x: -sinLat * cosLon, y: -sinLat * sinLon, z: cosLat };
  }

  /** Initial bearing to a place, degrees true, 0 ≤ x < 360. */
  bearingDeg(x: number, y: number, z: number): number {
    const { east, north } = this;
    const degrees = Math.atan2(east.x * x + east.y * y, north.x * x + north.y * y + north.z * z) / RADIANS;
    return degrees < 0 ? degrees + 360 : degrees;
  }
}

/** Half the width in longitude of the circle of a radius around a latitude, degrees; 180 where it holds a pole. */
export function halfWidthDeg(latDeg: number, radiusNm: number): number {
  const angle = radiusNm / EARTH_RADIUS_NM;
  if (Math.abs(latDeg) * RADIANS + angle >= Math.PI / 2) return 180;
  return Math.asin(Math.min(1, Math.sin(angle) / Math.cos(latDeg * RADIANS))) / RADIANS;
}

/** Height of the circle in latitude, degrees to either side. */
export function halfHeightDeg(radiusNm: number): number {
  return radiusNm / EARTH_RADIUS_NM / RADIANS;
}
