// The geometry of a flight: great circles and turns. Both are rotations about an axis, so one closed formula gives the position:
//   position(s) = C + U cos(s / r) + V sin(s / r)      C along the axis, U and V across it, r the radius in metres
// A path is built segment by segment; `connect` is Dubins' shortest turn, straight, turn - on the sphere.
import { EARTH_RADIUS_M } from '../../geo/earth.ts';
import { combine, copyVector, cross, dot, normalise, type Vector, vector } from '../../geo/vector.ts';

const SEGMENTS_MAX = 96;
/** Numbers per segment: C, U, V (3 each), 1 / r (0: no motion), length in m, turn in radians per m, positive to the right. */
export const SEGMENT_NUMBERS = 12;
export const SEGMENT_INVERSE_RADIUS = 9;
export const SEGMENT_LENGTH = 10;
export const SEGMENT_TURN = 11;

export const LEFT = 1;
export const RIGHT = -1;

export class Path {
  readonly segments = new Float64Array(SEGMENTS_MAX * SEGMENT_NUMBERS);
  count = 0;
  lengthM = 0;
  /** Current end of the path, and the unit tangent there. */
  readonly position: Vector = vector();
  readonly direction: Vector = vector();
  private readonly work = new Workspace();

  /** Empties the path and sets its start. */
  start(position: Vector, direction: Vector): void {
    this.count = 0;
    this.lengthM = 0;
    copyVector(position, this.position);
    copyVector(direction, this.direction);
  }

  /** A straight segment: a great circle. */
  straight(lengthM: number): void {
    this.add(ZERO, this.position, this.direction, EARTH_RADIUS_M, lengthM, 0);
  }

  /** A turn of `angle` radians to one side. */
  turn(side: number, angle: number, radiusM: number): void {
    const { centre, axisPart, across, forward } = this.work;
    turnCentre(this.position, this.direction, side, radiusM / EARTH_RADIUS_M, centre);
    const along = dot(centre, this.position);
    combine(along, centre, 0, centre, axisPart);
    combine(1, this.position, -1, axisPart, across);
    const acrossLength = Math.sqrt(dot(across, across));
    combine(acrossLength, this.direction, 0, this.direction, forward);
    this.add(axisPart, across, forward, EARTH_RADIUS_M * acrossLength, angle * EARTH_RADIUS_M * acrossLength, -side / radiusM);
  }

  private add(c: Vector, u: Vector, v: Vector, radiusM: number, lengthM: number, turnPerM: number): void {
    if (this.count === SEGMENTS_MAX || !(lengthM > 1e-3)) return;
    const { segments } = this;
    const at = this.count * SEGMENT_NUMBERS;
    writeVector(segments, at, c);
    writeVector(segments, at + 3, u);
    writeVector(segments, at + 6, v);
    segments[at + SEGMENT_INVERSE_RADIUS] = 1 / radiusM;
    segments[at + SEGMENT_LENGTH] = lengthM;
    segments[at + SEGMENT_TURN] = turnPerM;
    this.count += 1;
    this.lengthM += lengthM;
    positionOnSegment(segments, at, lengthM, this.position, this.direction);
    normalise(this.position);
    normalise(this.direction);
  }

  /** Turns, flies straight and turns, to end at `position` with tangent `direction`: the shortest of four ways. */
  connect(position: Vector, direction: Vector, radiusM: number): void {
    const { work } = this;
    const rho = radiusM / EARTH_RADIUS_M;
    let bestLength = Number.POSITIVE_INFINITY;
    let bestFrom = LEFT;
    let bestTo = LEFT;
    for (let way = 0; way < 4; way += 1) {
      const from = (way & 1) === 0 ? LEFT : RIGHT;
      const to = (way & 2) === 0 ? LEFT : RIGHT;
      if (!this.solve(position, direction, from, to, rho)) continue;
      const length = (work.firstAngle + work.lastAngle) * Math.sin(rho) + work.lineAngle;
      if (length >= bestLength) continue;
      bestLength = length;
      bestFrom = from;
      bestTo = to;
    }
    if (!this.solve(position, direction, bestFrom, bestTo, rho)) return;
    const { firstAngle, lineAngle, lastAngle } = work;
    this.turn(bestFrom, firstAngle, radiusM);
    this.straight(lineAngle * EARTH_RADIUS_M);
    this.turn(bestTo, lastAngle, radiusM);
  }

  /** Finds the great circle that touches both turning circles; false when there is none. Stores the three angles in the workspace. */
  private solve(position: Vector, direction: Vector, from: number, to: number, rho: number): boolean {
    const { work } = this;
    const { centreFrom, centreTo, between, axis, touchFrom, touchTo, spoke } = work;
    turnCentre(this.position, this.direction, from, rho, centreFrom);
    turnCentre(position, direction, to, rho, centreTo);
    const g = dot(centreFrom, centreTo);
    cross(centreFrom, centreTo, between);
    const sine2 = dot(between, between);
    if (sine2 < 1e-18) return false;
    // The axis K of the great circle has the centres at distance rho on their side: K·C = ±sin rho.
    const q1 = from * Math.sin(rho);
    const q2 = to * Math.sin(rho);
    const a = (q1 - g * q2) / sine2;
    const b = (q2 - g * q1) / sine2;
    const c2 = (1 - (a * a + b * b + 2 * a * b * g)) / sine2;
    if (c2 <= 0) return false;
    combine(a, centreFrom, b, centreTo, axis);
    combine(1, axis, Math.sqrt(c2), between, axis);
    footPoint(axis, centreFrom, touchFrom);
    footPoint(axis, centreTo, touchTo);
    cross(touchFrom, touchTo, between);
    work.lineAngle = Math.atan2(dot(between, axis), dot(touchFrom, touchTo));
    if (work.lineAngle < 0) return false;
    work.firstAngle = turnAngle(centreFrom, this.position, touchFrom, from, spoke);
    work.lastAngle = turnAngle(centreTo, touchTo, position, to, spoke);
    return true;
  }

  /** Position and tangent at a distance from the start of the path. */
  at(distanceM: number, position: Vector, direction: Vector): void {
    let left = distanceM;
    for (let i = 0; i < this.count; i += 1) {
      const length = this.segments[i * SEGMENT_NUMBERS + SEGMENT_LENGTH]!;
      if (left <= length || i === this.count - 1) {
        positionOnSegment(this.segments, i * SEGMENT_NUMBERS, left, position, direction);
        return;
      }
      left -= length;
    }
    copyVector(this.position, position);
    copyVector(this.direction, direction);
  }
}

const ZERO: Vector = vector();

/** Temporary vectors of one path, and the angles of the last solution. */
class Workspace {
  readonly centre = vector();
  readonly axisPart = vector();
  readonly across = vector();
  readonly forward = vector();
  readonly centreFrom = vector();
  readonly centreTo = vector();
  readonly between = vector();
  readonly axis = vector();
  readonly touchFrom = vector();
  readonly touchTo = vector();
  readonly spoke = vector();
  firstAngle = 0;
  lineAngle = 0;
  lastAngle = 0;
}

function writeVector(target: Float64Array, at: number, v: Vector): void {
  target[at] = v.x;
  target[at + 1] = v.y;
  target[at + 2] = v.z;
}

/** The position `distanceM` along a segment, and the direction there (a tangent, not of length 1). */
function positionOnSegment(segments: Float64Array, at: number, distanceM: number, position: Vector, direction: Vector): void {
  const angle = distanceM * segments[at + SEGMENT_INVERSE_RADIUS]!;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const ux = segments[at + 3]!;
  const uy = segments[at + 4]!;
  const uz = segments[at + 5]!;
  const vx = segments[at + 6]!;
  const vy = segments[at + 7]!;
  const vz = segments[at + 8]!;
  position.x = segments[at]! + ux * cos + vx * sin;
  position.y = segments[at + 1]! + uy * cos + vy * sin;
  position.z = segments[at + 2]! + uz * cos + vz * sin;
  direction.x = vx * cos - ux * sin;
  direction.y = vy * cos - uy * sin;
  direction.z = vz * cos - uz * sin;
}

/**
 * Centre of the circle of angular radius `rho` that touches `direction` at `position` on one side. Left of the motion is position ×
 * direction.
 */
function turnCentre(position: Vector, direction: Vector, side: number, rho: number, into: Vector): void {
  cross(position, direction, into);
  combine(Math.cos(rho), position, side * Math.sin(rho), into, into);
}

/** The point of the great circle with axis `k` that is nearest to `point`. */
function footPoint(k: Vector, point: Vector, into: Vector): void {
  combine(1, point, -dot(k, point), k, into);
  normalise(into);
}

/** Angle from spoke to spoke around a centre, turning to one side, 0 to 2π. `spoke` is a temporary vector. */
function turnAngle(about: Vector, from: Vector, to: Vector, side: number, spoke: Vector): number {
  cross(from, to, spoke);
  const sine = dot(about, spoke);
  const cosine = dot(from, to) - dot(about, from) * dot(about, to);
  const angle = side * Math.atan2(sine, cosine);
  // Rounding must not turn a tiny angle into a full circle.
  return angle < -1e-6 ? angle + 2 * Math.PI : Math.max(0, angle);
}
