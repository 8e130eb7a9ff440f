// Reduces a track to a number of points: the ones without which it changes least. First and last point and the starts of legs always stay.
import { ABSENT } from '../../schemas/absent.ts';
import { MICRODEG_PER_DEG } from '../geo/earth.ts';
import { ALTITUDE, LATITUDE, LEG, LONGITUDE, type Points } from './points.ts';

const METRES_PER_MICRODEG = 0.111_32;
/** A foot of altitude weighs as much as 3 m sideways: a climb of 1,000 ft is as visible in a profile as a turn of 3 km on a map. */
const METRES_PER_FOOT = 3;
/** Weight of the silence that a point's absence leaves: steady flight keeps its points evenly. */
const METRES_PER_SECOND = 0.5;
const HALF_CIRCLE_MICRODEG = 180 * MICRODEG_PER_DEG;

/**
 * Numbers of the points that stay, in order: all of them up to `countMax`. Points are removed one by one, each time the one that is nearest to
 * the line in space and time between its neighbours, so turns and changes of the climb stay longest. If there are more legs
 * than `countMax`, the newest stay; a single point is the last one.
 */
export function thinned(points: Points, countMax: number): Int32Array {
  const { count } = points;
  const numbers = Int32Array.from({ length: count }, (_, i) => i);
  if (count <= countMax) return numbers;
  if (countMax < 2) return numbers.slice(count - countMax);
  const before = numbers.map((i) => i - 1);
  const after = numbers.map((i) => i + 1);
  const weights = new Float64Array(count);
  const fixed = fixedPoints(points, countMax);
  const heap = new Heap(weights);
  for (let i = 0; i < count; i += 1) {
    if (fixed[i] === 1) continue;
    weights[i] = weightOf(points, i - 1, i, i + 1);
    heap.add(i);
  }
  heap.order();
  const isRemoved = new Uint8Array(count);
  for (let left = count; left > countMax; left -= 1) {
    const least = heap.takeLeast();
    isRemoved[least] = 1;
    const one = before[least]!;
    const other = after[least]!;
    after[one] = other;
    before[other] = one;
    for (const i of [one, other]) {
      if (fixed[i] === 1) continue;
      // Never less than the removed one: what was already given up does not make its neighbour worthless.
      weights[i] = Math.max(weights[least]!, weightOf(points, before[i]!, i, after[i]!));
      heap.moved(i);
    }
  }
  return numbers.filter((i) => isRemoved[i] === 0);
}

/** 1 for points that always stay. */
function fixedPoints(points: Points, countMax: number): Uint8Array {
  const { count } = points;
  const fixed = new Uint8Array(count);
  fixed[0] = 1;
  fixed[count - 1] = 1;
  let left = countMax - 2;
  for (let i = count - 2; i > 0 && left > 0; i -= 1) {
    if (!points.hasFlag(i, LEG)) continue;
    fixed[i] = 1;
    left -= 1;
  }
  return fixed;
}

/** Distance of point `i` from where its neighbours' line is at its time, and the time between them, in m. */
function weightOf(points: Points, before: number, i: number, after: number): number {
  const { timeMs } = points;
  const spanMs = timeMs[after]! - timeMs[before]!;
  const share = spanMs === 0 ? 0 : (timeMs[i]! - timeMs[before]!) / spanMs;
  const cosine = Math.cos((points.get(i, LATITUDE) / MICRODEG_PER_DEG) * (Math.PI / 180));
  const north =
    points.get(i, LATITUDE) - points.get(before, LATITUDE) - share * (points.get(after, LATITUDE) - points.get(before, LATITUDE));
  const east =
    eastward(points.get(before, LONGITUDE), points.get(i, LONGITUDE)) -
    share * eastward(points.get(before, LONGITUDE), points.get(after, LONGITUDE));
  const up = climbMissed(points.get(before, ALTITUDE), points.get(i, ALTITUDE), points.get(after, ALTITUDE), share) * METRES_PER_FOOT;
  const metres = METRES_PER_MICRODEG * Math.hypot(north, east * cosine);
  return Math.hypot(metres, up) + (METRES_PER_SECOND * spanMs) / 1000;
}

/** Difference of two longitudes by the shorter way. */
function eastward(from: number, to: number): number {
  const difference = to - from;
  if (difference > HALF_CIRCLE_MICRODEG) return difference - 2 * HALF_CIRCLE_MICRODEG;
  return difference < -HALF_CIRCLE_MICRODEG ? difference + 2 * HALF_CIRCLE_MICRODEG : difference;
}

function climbMissed(before: number, altitude: number, after: number, share: number): number {
  if (before === ABSENT || altitude === ABSENT || after === ABSENT) return 0;
  return altitude - before - share * (after - before);
}

/** Points by weight, the least first; a weight may change while its point is in the heap. */
class Heap {
  private readonly weights: Float64Array;
  private readonly items: Int32Array;
  /** Where a point is in `items`. */
  private readonly at: Int32Array;
  private count = 0;

  constructor(weights: Float64Array) {
    this.weights = weights;
    this.items = new Int32Array(weights.length);
    this.at = new Int32Array(weights.length);
  }

  /** Before `order` only. */
  add(item: number): void {
    this.put(this.count, item);
    this.count += 1;
  }

  order(): void {
    for (let at = (this.count >> 1) - 1; at >= 0; at -= 1) this.sink(at);
  }

  takeLeast(): number {
    const least = this.items[0]!;
    this.count -= 1;
    if (this.count > 0) {
      this.put(0, this.items[this.count]!);
      this.sink(0);
    }
    return least;
  }

  /** The weight of a point in the heap has changed. */
  moved(item: number): void {
    this.rise(this.at[item]!);
    this.sink(this.at[item]!);
  }

  private put(at: number, item: number): void {
    this.items[at] = item;
    this.at[item] = at;
  }

  private isLess(one: number, other: number): boolean {
    const difference = this.weights[one]! - this.weights[other]!;
    return difference < 0 || (difference === 0 && one < other);
  }

  private rise(from: number): void {
    const item = this.items[from]!;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isLess(item, this.items[above]!)) break;
      this.put(at, this.items[above]!);
      at = above;
    }
    this.put(at, item);
  }

  private sink(from: number): void {
    const item = this.items[from]!;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.count) break;
      if (below + 1 < this.count && this.isLess(this.items[below + 1]!, this.items[below]!)) below += 1;
      if (!this.isLess(this.items[below]!, item)) break;
      this.put(at, this.items[below]!);
      at = below;
    }
    this.put(at, item);
  }
}
