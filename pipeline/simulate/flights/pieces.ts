// A leg as pieces of time. In each piece the aircraft moves along one path segment with constant acceleration and vertical rate, so its
// state at any time is one closed formula. Pieces are made from a path and a profile of speed and altitude over distance.

import { DEGREES_PER_RADIAN, MPS_PER_KT } from '../../geo/earth.ts';
import { type Path, SEGMENT_INVERSE_RADIUS, SEGMENT_LENGTH, SEGMENT_NUMBERS, SEGMENT_TURN } from './path.ts';
import { type FlightState, PHASE_LANDING } from './state.ts';

/**
 * Numbers of a piece: begin and end (s since the leg began), C, U, V and 1 / r of its segment, metres into the segment at its begin,
 * speed (m/s), acceleration (m/s²), altitude (ft), rate (ft/s), turn (rad per m, right positive), phase.
 */
export const PIECE_NUMBERS = 20;
const BEGIN = 0;
export const PIECE_END = 1;
const SEGMENT = 2;
const OFFSET = 12;
const SPEED = 13;
const ACCELERATION = 14;
const ALTITUDE = 15;
const RATE = 16;
const TURN = 17;
const PHASE = 18;

const PIECES_MAX = 256;

/** Speed (m/s) and altitude (ft) at distances (m) along a path; a phase applies from its knot to the next. */
export class Profile {
  readonly distances = new Float64Array(PIECES_MAX);
  readonly speeds = new Float64Array(PIECES_MAX);
  readonly altitudes = new Float64Array(PIECES_MAX);
  readonly phases = new Uint8Array(PIECES_MAX);
  count = 0;

  clear(): void {
    this.count = 0;
  }

  /** Knots are added in order of distance; one that does not advance is ignored. */
  knot(distanceM: number, speedMps: number, altitudeFt: number, phase: number): void {
    if (this.count === PIECES_MAX) return;
    if (this.count > 0 && distanceM <= this.distances[this.count - 1]! + 0.01) {
      this.phases[this.count - 1] = phase;
      return;
    }
    this.distances[this.count] = distanceM;
    this.speeds[this.count] = speedMps;
    this.altitudes[this.count] = altitudeFt;
    this.phases[this.count] = phase;
    this.count += 1;
  }
}

/** The pieces of one leg, rewritten by each plan. */
export class Pieces {
  readonly numbers = new Float64Array(PIECES_MAX * PIECE_NUMBERS);
  count = 0;
  durationS = 0;

  clear(): void {
    this.count = 0;
    this.durationS = 0;
  }

  /** Stands still at the end of a path or, before any motion, at its start. */
  wait(path: Path, seconds: number, altitudeFt: number, phase: number): void {
    const at = this.open();
    const { numbers } = this;
    numbers.fill(0, at, at + PIECE_NUMBERS);
    numbers[at + SEGMENT + 3] = path.position.x;
    numbers[at + SEGMENT + 4] = path.position.y;
    numbers[at + SEGMENT + 5] = path.position.z;
    numbers[at + SEGMENT + 6] = path.direction.x;
    numbers[at + SEGMENT + 7] = path.direction.y;
    numbers[at + SEGMENT + 8] = path.direction.z;
    numbers[at + ALTITUDE] = altitudeFt;
    this.close(at, seconds, phase);
  }

  /** Moves along a whole path. The profile's last knot is the end of the path. */
  follow(path: Path, profile: Profile): void {
    let segment = 0;
    let segmentBegin = 0;
    for (let i = 0; i + 1 < profile.count; i += 1) {
      const begin = profile.distances[i]!;
      const end = profile.distances[i + 1]!;
      let from = begin;
      while (from < end && segment < path.count) {
        const segmentEnd = segmentBegin + path.segments[segment * SEGMENT_NUMBERS + SEGMENT_LENGTH]!;
        const last = segment === path.count - 1;
        const to = last ? end : Math.min(end, segmentEnd);
        if (to > from) this.piece(path, segment, from - segmentBegin, profile, i, from - begin, to - begin);
        from = to;
        if (last || to < segmentEnd) continue;
        segment += 1;
        segmentBegin = segmentEnd;
      }
    }
  }

  /** Between `from` and `to` metres after knot `i`. */
  private piece(path: Path, segment: number, offsetM: number, profile: Profile, i: number, from: number, to: number): void {
    const at = this.open();
    const { numbers } = this;
    const speed0 = profile.speeds[i]!;
    const speed1 = profile.speeds[i + 1]!;
    const altitude0 = profile.altitudes[i]!;
    const lengthM = profile.distances[i + 1]! - profile.distances[i]!;
    const duration = (2 * lengthM) / (speed0 + speed1);
    const acceleration = (speed1 - speed0) / duration;
    const rate = (profile.altitudes[i + 1]! - altitude0) / duration;
    const speedFrom = Math.sqrt(Math.max(0, speed0 * speed0 + 2 * acceleration * from));
    const speedTo = Math.sqrt(Math.max(0, speed0 * speed0 + 2 * acceleration * to));
    const timeFrom = (2 * from) / (speed0 + speedFrom || 1);
    const base = segment * SEGMENT_NUMBERS;
    for (let n = 0; n <= SEGMENT_INVERSE_RADIUS; n += 1) numbers[at + SEGMENT + n] = path.segments[base + n]!;
    numbers[at + OFFSET] = offsetM;
    numbers[at + SPEED] = speedFrom;
    numbers[at + ACCELERATION] = acceleration;
    numbers[at + ALTITUDE] = altitude0 + rate * timeFrom;
    numbers[at + RATE] = rate;
    numbers[at + TURN] = path.segments[base + SEGMENT_TURN]!;
    this.close(at, (2 * (to - from)) / (speedFrom + speedTo), profile.phases[i]!);
  }

  private open(): number {
    if (this.count === PIECES_MAX) throw new RangeError('a leg has too many pieces');
    return this.count * PIECE_NUMBERS;
  }

  private close(at: number, seconds: number, phase: number): void {
    this.numbers[at + BEGIN] = this.durationS;
    this.durationS += seconds;
    this.numbers[at + PIECE_END] = this.durationS;
    this.numbers[at + PHASE] = phase;
    this.count += 1;
  }

  /** Index of the piece at a time since the leg began; the last one for any later time. */
  find(seconds: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle * PIECE_NUMBERS + PIECE_END]! > seconds) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** State in the piece at `numbers[at]`, `seconds` since the leg began. */
export function pieceState(numbers: Float64Array, at: number, seconds: number, state: FlightState): void {
  const time = seconds - numbers[at + BEGIN]!;
  const acceleration = numbers[at + ACCELERATION]!;
  const speed = numbers[at + SPEED]! + acceleration * time;
  const inverseRadius = numbers[at + SEGMENT + SEGMENT_INVERSE_RADIUS]!;
  const angle = (numbers[at + OFFSET]! + (numbers[at + SPEED]! + 0.5 * acceleration * time) * time) * inverseRadius;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const ux = numbers[at + SEGMENT + 3]!;
  const uy = numbers[at + SEGMENT + 4]!;
  const uz = numbers[at + SEGMENT + 5]!;
  const vx = numbers[at + SEGMENT + 6]!;
  const vy = numbers[at + SEGMENT + 7]!;
  const vz = numbers[at + SEGMENT + 8]!;
  const x = numbers[at + SEGMENT]! + ux * cos + vx * sin;
  const y = numbers[at + SEGMENT + 1]! + uy * cos + vy * sin;
  const z = numbers[at + SEGMENT + 2]! + uz * cos + vz * sin;
  const ring = Math.sqrt(x * x + y * y);
  state.x = x;
  state.y = y;
  state.z = z;
  state.latDeg = Math.atan2(z, ring) * DEGREES_PER_RADIAN;
  state.lonDeg = Math.atan2(y, x) * DEGREES_PER_RADIAN;
  // East and north parts of the tangent. It is at right angles to the position, so north = its z over the ring.
  const east = (x * (vy * cos - uy * sin) - y * (vx * cos - ux * sin)) / ring;
  const north = (vz * cos - uz * sin) / ring;
  const length = Math.sqrt(east * east + north * north);
  const groundSpeedKt = Math.max(0, speed) / MPS_PER_KT;
  state.east = east / length;
  state.north = north / length;
  state.groundSpeedKt = groundSpeedKt;
  state.altitudeFt = numbers[at + ALTITUDE]! + numbers[at + RATE]! * time;
  state.rateFpm = numbers[at + RATE]! * 60;
  state.turnDegPerS = numbers[at + TURN]! * speed * DEGREES_PER_RADIAN;
  state.phase = numbers[at + PHASE]!;
  state.onGround = state.phase <= PHASE_LANDING;
}
