// Great circles walked in metres, on vectors that are used again: what the simulator flies along.
// `Math.sin` and the like are allowed here: the fold does not come this way.
import { DEGREES_PER_RADIAN, EARTH_RADIUS_M, RADIANS_PER_DEGREE } from './earth.ts';
import { combine, cross, dot, normalise, type Vector, vector } from './vector.ts';

/** Sets `into` to the unit vector of a position. */
export function setPosition(latDeg: number, lonDeg: number, into: Vector): void {
  const lat = latDeg * RADIANS_PER_DEGREE;
  const lon = lonDeg * RADIANS_PER_DEGREE;
  const ring = Math.cos(lat);
  into.x = ring * Math.cos(lon);
  into.y = ring * Math.sin(lon);
  into.z = Math.sin(lat);
}

export function latitudeDeg(v: Vector): number {
  return Math.atan2(v.z, Math.sqrt(v.x * v.x + v.y * v.y)) * DEGREES_PER_RADIAN;
}

export function longitudeDeg(v: Vector): number {
  return Math.atan2(v.y, v.x) * DEGREES_PER_RADIAN;
}

/** Unit tangent at `position` towards a bearing, degrees clockwise from north. A pole has none. */
export function tangent(position: Vector, bearingDeg: number, into: Vector): void {
  const ring = Math.sqrt(position.x * position.x + position.y * position.y);
  const east = Math.sin(bearingDeg * RADIANS_PER_DEGREE);
  const north = Math.cos(bearingDeg * RADIANS_PER_DEGREE);
  into.x = (-position.y * east - position.x * position.z * north) / ring;
  into.y = (position.x * east - position.y * position.z * north) / ring;
  into.z = ring * north;
}

/** The position `distanceM` from `position` at a bearing. `into` may be `position`. */
export function destination(position: Vector, bearing: number, distanceM: number, into: Vector): void {
  const along = vector();
  tangent(position, bearing, along);
  const angle = distanceM / EARTH_RADIUS_M;
  combine(Math.cos(angle), position, Math.sin(angle), along, into);
  normalise(into);
}

/** Great-circle distance. */
export function distanceM(a: Vector, b: Vector): number {
  const normal = vector();
  cross(a, b, normal);
  return EARTH_RADIUS_M * Math.atan2(Math.sqrt(dot(normal, normal)), dot(a, b));
}

/** Moves a position and its unit tangent along their great circle; backwards when negative. */
export function slide(position: Vector, direction: Vector, distance: number): void {
  const angle = distance / EARTH_RADIUS_M;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const { x, y, z } = position;
  combine(cos, position, sin, direction, position);
  direction.x = cos * direction.x - sin * x;
  direction.y = cos * direction.y - sin * y;
  direction.z = cos * direction.z - sin * z;
  normalise(position);
  normalise(direction);
}
