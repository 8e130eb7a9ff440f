// Places as unit vectors on a sphere, metres along its surface. The simulator is not the fold: Math.sin and the like are allowed here.

export const EARTH_M = 6_371_000;
export const NM_M = 1852;
export const KT_MPS = 1852 / 3600;
export const RAD_PER_DEG = Math.PI / 180;
export const DEG_PER_RAD = 180 / Math.PI;

export interface Vector {
  x: number;
  y: number;
  z: number;
}

export function vector(): Vector {
  return { x: 0, y: 0, z: 0 };
}

export function copyVector(from: Vector, into: Vector): void {
  into.x = from.x;
  into.y = from.y;
  into.z = from.z;
}

export function dot(a: Vector, b: Vector): number {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/** `into` may not be `a` or `b`. */
export function cross(a: Vector, b: Vector, into: Vector): void {
  into.x = a.y * b.z - a.z * b.y;
  into.y = a.z * b.x - a.x * b.z;
  into.z = a.x * b.y - a.y * b.x;
}

/** x·a + y·b; `into` may be `a` or `b`. */
export function combine(x: number, a: Vector, y: number, b: Vector, into: Vector): void {
  const vx = x * a.x + y * b.x;
  const vy = x * a.y + y * b.y;
  into.z = x * a.z + y * b.z;
  into.x = vx;
  into.y = vy;
}

export function normalise(v: Vector): void {
  const length = Math.sqrt(dot(v, v));
  v.x /= length;
  v.y /= length;
  v.z /= length;
}

export function placeVector(latDeg: number, lonDeg: number, into: Vector): void {
  const lat = latDeg * RAD_PER_DEG;
  const lon = lonDeg * RAD_PER_DEG;
  const ring = Math.cos(lat);
  into.x = ring * Math.cos(lon);
  into.y = ring * Math.sin(lon);
  into.z = Math.sin(lat);
}

export function latitudeDeg(v: Vector): number {
  return Math.atan2(v.z, Math.sqrt(v.x * v.x + v.y * v.y)) * DEG_PER_RAD;
}

export function longitudeDeg(v: Vector): number {
  return Math.atan2(v.y, v.x) * DEG_PER_RAD;
}

/** Unit tangent at `place` towards a bearing, degrees clockwise from north. Not for the poles. */
export function tangent(place: Vector, bearingDeg: number, into: Vector): void {
  const ring = Math.sqrt(place.x * place.x + place.y * place.y);
  const east = Math.sin(bearingDeg * RAD_PER_DEG);
  const north = Math.cos(bearingDeg * RAD_PER_DEG);
  into.x = (-place.y * east - place.x * place.z * north) / ring;
  into.y = (place.x * east - place.y * place.z * north) / ring;
  into.z = ring * north;
}

/** Bearing, 0 to 360°, of the tangent `direction` at `place`. */
export function bearingDeg(place: Vector, direction: Vector): number {
  const east = place.x * direction.y - place.y * direction.x;
  const bearing = Math.atan2(east, direction.z) * DEG_PER_RAD;
  return bearing < 0 ? bearing + 360 : bearing;
}

const along = vector();

/** The place `distanceM` from `place` at a bearing. `into` may be `place`. */
export function destination(place: Vector, bearing: number, distanceM: number, into: Vector): void {
  tangent(place, bearing, along);
  const angle = distanceM / EARTH_M;
  combine(Math.cos(angle), place, Math.sin(angle), along, into);
  normalise(into);
}

const normal = vector();

/** Great-circle distance. */
export function distanceM(a: Vector, b: Vector): number {
  cross(a, b, normal);
  return EARTH_M * Math.atan2(Math.sqrt(dot(normal, normal)), dot(a, b));
}

/** Moves a place and its unit tangent along their great circle; backwards when negative. */
export function slide(place: Vector, direction: Vector, distance: number): void {
  const angle = distance / EARTH_M;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  copyVector(place, along);
  combine(cos, place, sin, direction, place);
  combine(cos, direction, -sin, along, direction);
  normalise(place);
  normalise(direction);
}
