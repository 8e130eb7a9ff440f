// Geographic searches over a listing: boxes, and circles by distance. Results are numbers in the listing.

import { MICRODEG_PER_DEG } from '../geo/earth.ts';
import { Compass, chordOfNm, halfHeightDeg, halfWidthDeg, nmOfChord, positionVector } from '../geo/sphere.ts';
import type { Listing } from './listing.ts';
import type { Box } from './position-grid.ts';
import type { SearchMemory } from './search-memory.ts';

/**
 * Numbers of aircraft in a listing, with their distance and direction when the search has a centre. Searches reuse the same memory,
 * because new arrays would keep the garbage collector busy: a selection is valid until the next search.
 */
export interface Selection {
  readonly count: number;
  readonly indices: Int32Array;
  readonly distancesNm?: Float64Array;
  readonly bearingsDeg?: Float64Array;
}

/** True for the aircraft of the listing that are selected. */
export type Predicate = (index: number) => boolean;

export interface Circle {
  readonly latDeg: number;
  readonly lonDeg: number;
  /** Exclusive: aircraft at this distance are outside. */
  readonly radiusNm: number;
}

const HALF_TURN = 180 * MICRODEG_PER_DEG;
/** Distances are ordered to a millionth of a nautical mile. */
const ORDER_PER_NM = 1_000_000;
/** More than half of the circumference. */
const HALF_EARTH_NM = 10_808;
/** Chords that differ by less may have the same rounded distance: twice a millionth of a nautical mile on the unit sphere, 3,438 nm. */
const CHORD_ROUNDING = 6e-10;

/** All aircraft for which `isWanted` is true. */
export function all(listing: Listing, isWanted: Predicate): Selection {
  const { indices } = listing.searchMemory.for(listing.count);
  let count = 0;
  for (let i = 0; i < listing.count; i += 1) if (isWanted(i)) indices[count++] = i;
  return { count, indices };
}

/** Aircraft in a box, including its borders, in the order of the listing. */
export function inBox(listing: Listing, box: Box, isWanted?: Predicate): Selection {
  const { grid, latitudesMicrodeg, longitudesMicrodeg } = listing;
  const rangeCount = grid.collect(box);
  const { indices } = listing.searchMemory.for(listing.count);
  const [south, north] = [box.southDeg * MICRODEG_PER_DEG, box.northDeg * MICRODEG_PER_DEG];
  const [west, east] = [box.westDeg * MICRODEG_PER_DEG, box.eastDeg * MICRODEG_PER_DEG];
  const crosses = west > east;
  // 180° east and 180° west are one meridian: a box that ends there includes it, with either sign.
  const hasSeam = east === HALF_TURN || west === -HALF_TURN;
  let count = 0;
  for (let range = 0; range < rangeCount; range += 1) {
    const end = grid.ranges[2 * range + 1]!;
    for (let i = grid.ranges[2 * range]!; i < end; i += 1) {
      const latitude = latitudesMicrodeg[i]!;
      const longitude = longitudesMicrodeg[i]!;
      if (latitude < south || latitude > north) continue;
      const isOutside = crosses ? longitude < west && longitude > east : longitude < west || longitude > east;
      if (isOutside && !(hasSeam && Math.abs(longitude) === HALF_TURN)) continue;
      if (isWanted === undefined || isWanted(i)) indices[count++] = i;
    }
  }
  return { count, indices };
}

/** Aircraft nearer than a radius, by distance, ties by hex. */
export function inCircle(listing: Listing, circle: Circle, isWanted?: Predicate): Selection {
  const count = collectCircle(listing, circle, isWanted);
  const { bearingsDeg } = listing.searchMemory;
  const { indices, distancesNm } = sortByDistance(listing, count);
  const compass = new Compass(circle.latDeg, circle.lonDeg);
  for (let n = 0; n < count; n += 1) {
    const i = indices[n]!;
    bearingsDeg[n] = compass.bearingDeg(listing.x[i]!, listing.y[i]!, listing.z[i]!);
  }
  return { count, indices, distancesNm, bearingsDeg };
}

export interface NearestAircraft {
  /** The nearest ones, with distances. */
  readonly selection: Selection;
  /** Number of all aircraft in the circle. */
  readonly total: number;
}

/** The nearest aircraft in a circle, by distance, ties by hex: those of `inCircle`, without sorting all of them. */
export function nearestInCircle(listing: Listing, circle: Circle, countMax: number): NearestAircraft {
  const total = collectCircle(listing, circle, undefined);
  const nearest = total > countMax ? keepNearest(listing.searchMemory, total, countMax) : total;
  return { selection: first({ count: nearest, ...sortByDistance(listing, nearest) }, countMax), total };
}

/** Aircraft nearer than a radius, in the order of the listing, without distances. */
export function listedInCircle(listing: Listing, circle: Circle): Selection {
  const count = collectCircle(listing, circle, undefined);
  return { count, indices: listing.searchMemory.indices };
}

/** Writes the aircraft nearer than a radius into `indices`, in the order of the listing, and the squares of their chords into `order`. Returns their count. */
function collectCircle(listing: Listing, circle: Circle, isWanted: Predicate | undefined): number {
  const { latDeg, lonDeg, radiusNm } = circle;
  const { indices, order } = listing.searchMemory.for(listing.count);
  const { grid, x, y, z } = listing;
  const height = halfHeightDeg(radiusNm);
  const width = halfWidthDeg(latDeg, radiusNm);
  const rangeCount = grid.collect({
    southDeg: latDeg - height,
    northDeg: latDeg + height,
    ...(width >= 180 ? { westDeg: -180, eastDeg: 180 } : { westDeg: lonDeg - width, eastDeg: lonDeg + width }),
  });
  const centre = positionVector(latDeg, lonDeg);
  const chordMax = chordOfNm(radiusNm);
  let count = 0;
  for (let range = 0; range < rangeCount; range += 1) {
    const end = grid.ranges[2 * range + 1]!;
    for (let i = grid.ranges[2 * range]!; i < end; i += 1) {
      const dx = x[i]! - centre.x;
      const dy = y[i]! - centre.y;
      const dz = z[i]! - centre.z;
      const square = dx * dx + dy * dy + dz * dz;
      if (square >= chordMax * chordMax || (isWanted !== undefined && !isWanted(i))) continue;
      indices[count] = i;
      order[count] = square;
      count += 1;
    }
  }
  return count;
}

/** Keeps the `countMax` nearest of the collected aircraft, and those at the same distance as the last of them. Returns how many. */
function keepNearest({ indices, order, distancesNm: heap }: SearchMemory, count: number, countMax: number): number {
  // The least squares so far as a heap with the greatest on top: most squares are greater than that.
  for (let n = 0; n < count; n += 1) {
    const square = order[n]!;
    if (n < countMax) siftUp(heap, n, square);
    else if (square < heap[0]!) siftDown(heap, countMax, square);
  }
  const chordMax = Math.sqrt(heap[0]!) + CHORD_ROUNDING;
  let nearest = 0;
  for (let n = 0; n < count; n += 1) {
    if (order[n]! > chordMax * chordMax) continue;
    indices[nearest] = indices[n]!;
    order[nearest] = order[n]!;
    nearest += 1;
  }
  return nearest;
}

/** Adds a value to a heap of `count` values. */
function siftUp(heap: Float64Array, count: number, value: number): void {
  let at = count;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]! >= value) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = value;
}

/** Replaces the greatest of `count` values. */
function siftDown(heap: Float64Array, count: number, value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && heap[child + 1]! > heap[child]!) child += 1;
    if (heap[child]! <= value) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = value;
}

/** The first `countMax` of a selection. */
export function first(selection: Selection, countMax: number): Selection {
  return { ...selection, count: Math.min(selection.count, countMax) };
}

/** A part of a selection, in memory of its own. */
export function slice({ indices, distancesNm, bearingsDeg }: Selection, start: number, end: number): Selection {
  const part = indices.slice(start, end);
  return {
    count: part.length,
    indices: part,
    ...(distancesNm === undefined ? {} : { distancesNm: distancesNm.slice(start, end) }),
    ...(bearingsDeg === undefined ? {} : { bearingsDeg: bearingsDeg.slice(start, end) }),
  };
}

/** Sorts the collected aircraft by distance, ties by hex. A number is sorted for each: its low part is the aircraft, the rest the distance. */
function sortByDistance(listing: Listing, count: number): Required<Pick<Selection, 'indices' | 'distancesNm'>> {
  const { order, indices, distancesNm } = listing.searchMemory;
  const span = listing.count;
  // The number is exact: beyond 833,000 aircraft the distance is coarser instead.
  const orderPerNm = Math.min(ORDER_PER_NM, Math.floor(Number.MAX_SAFE_INTEGER / (span * HALF_EARTH_NM)));
  for (let n = 0; n < count; n += 1) order[n] = Math.round(nmOfChord(Math.sqrt(order[n]!)) * orderPerNm) * span + indices[n]!;
  order.subarray(0, count).sort();
  tiesByKey(listing, count);
  for (let n = 0; n < count; n += 1) {
    const code = order[n]!;
    const distance = Math.floor(code / span);
    indices[n] = code - distance * span;
    distancesNm[n] = distance / orderPerNm;
  }
  return { indices, distancesNm };
}

/** Sorts aircraft at the same distance by address. */
function tiesByKey({ columns, searchMemory: { order }, count: span }: Listing, count: number): void {
  const distance = (n: number): number => Math.floor(order[n]! / span);
  const key = (code: number): number => columns.key[code % span]!;
  for (let start = 0; start + 1 < count; ) {
    let end = start + 1;
    while (end < count && distance(end) === distance(start)) end += 1;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => key(a) - key(b));
    start = end;
  }
}
