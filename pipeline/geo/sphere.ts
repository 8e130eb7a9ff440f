// Distances and bearings between positions in nautical miles, on the sphere that readsb and its maps use.
import { EARTH_RADIUS_NM, RADIANS_PER_DEGREE } from './earth.ts';
import type { Vector } from './vector.ts';

/** A position as a unit vector. */
export function positionVector(latDeg: number, lonDeg: number): Vector {
  const cosLat = Math.cos(latDeg * RADIANS_PER_DEGREE);
  return {
    x: cosLat * Math.cos(lonDeg * RADIANS_PER_DEGREE),
    y: cosLat * Math.sin(lonDeg * RADIANS_PER_DEGREE),
    z: Math.sin(latDeg * RADIANS_PER_DEGREE),
  };
}

/** Length of the straight line under an arc, in radii: it grows with the distance, and near positions keep their digits. Infinite beyond the antipode. */
export function chordOfNm(distanceNm: number): number {
  const angle = distanceNm / EARTH_RADIUS_NM;
  return angle > Math.PI ? Number.POSITIVE_INFINITY : 2 * Math.sin(angle / 2);
}

export function nmOfChord(chord: number): number {
  return 2 * EARTH_RADIUS_NM * Math.asin(Math.min(1, chord / 2));
}

/** Great-circle distance. */
export function distanceNm(a: Readonly<Vector>, b: Readonly<Vector>): number {
  const [dx, dy, dz] = [a.x - b.x, a.y - b.y, a.z - b.z];
  // Math.hypot takes ten times as long.
  return nmOfChord(Math.sqrt(dx * dx + dy * dy + dz * dz));
}

/** Bearings from one position: its sines and cosines are computed once. */
export class Compass {
  private readonly east: Vector;
  private readonly north: Vector;

  constructor(latDeg: number, lonDeg: number) {
    const sinLat = Math.sin(latDeg * RADIANS_PER_DEGREE);
    const cosLat = Math.cos(latDeg * RADIANS_PER_DEGREE);
    const sinLon = Math.sin(lonDeg * RADIANS_PER_DEGREE);
    const cosLon = Math.cos(lonDeg * RADIANS_PER_DEGREE);
    this.east = { x: -sinLon, y: cosLon, z: 0 };
    this.north = { x: -sinLat * cosLon, y: -sinLat * sinLon, z: cosLat };
  }

  /** Initial bearing to a position, degrees true, 0 ≤ x < 360. */
  bearingDeg(x: number, y: number, z: number): number {
    const { east, north } = this;
    const degrees = Math.atan2(east.x * x + east.y * y, north.x * x + north.y * y + north.z * z) / RADIANS_PER_DEGREE;
    return degrees < 0 ? degrees + 360 : degrees;
  }
}

/** Half the width in longitude of the circle of a radius around a latitude, degrees; 180 where it holds a pole. */
export function halfWidthDeg(latDeg: number, radiusNm: number): number {
  const angle = radiusNm / EARTH_RADIUS_NM;
  if (Math.abs(latDeg) * RADIANS_PER_DEGREE + angle >= Math.PI / 2) return 180;
  return Math.asin(Math.min(1, Math.sin(angle) / Math.cos(latDeg * RADIANS_PER_DEGREE))) / RADIANS_PER_DEGREE;
}

/** Height of the circle in latitude, degrees to either side. */
export function halfHeightDeg(radiusNm: number): number {
  return radiusNm / EARTH_RADIUS_NM / RADIANS_PER_DEGREE;
}
