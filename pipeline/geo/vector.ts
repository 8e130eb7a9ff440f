// Vectors in three dimensions: x to 0° N 0° E, y to 0° N 90° E, z to the north pole. A position is a unit vector.

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
