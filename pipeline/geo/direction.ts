// Angles as integers: microdegrees in, sines as multiples of 2^-30 and directions in microdegrees out.
// For the path that every frame takes: integers cross calls without a box, and no function here hands a number with decimals to another,
// so it does not matter what the compiler inlines. The general functions are in trig.ts.
import { DEGREES_PER_RADIAN, RADIANS_PER_DEGREE } from './earth.ts';

/** Sines and cosines are multiples of 1 / UNIT. */
export const UNIT = 0x4000_0000;

const QUARTER = 90_000_000;
const TURN = 360_000_000;
const RADIANS_PER_MICRODEG = RADIANS_PER_DEGREE / 1e6;

/** Arc tangent of k / 64, degrees: each from the one before, by the addition theorem and the series. */
const ANCHORS = 64;
const ARC_TANGENTS = new Float64Array(ANCHORS + 1);
for (let k = 1; k <= ANCHORS; k += 1) {
  const u = 1 / ANCHORS / (1 + (k * (k - 1)) / (ANCHORS * ANCHORS));
  const q = u * u;
  ARC_TANGENTS[k] = ARC_TANGENTS[k - 1]! + DEGREES_PER_RADIAN * u * (1 - q * (1 / 3 - q * (1 / 5 - q * (1 / 7 - q / 9))));
}

/** Sine of an angle in whole microdegrees (−2^31 … 2^31 − 90e6), times UNIT, to the nearest integer; error below 1. */
export function sine(microdeg: number): number {
  const quarter = Math.floor((microdeg + QUARTER / 2) / QUARTER) | 0;
  const r = (microdeg - quarter * QUARTER) * RADIANS_PER_MICRODEG;
  const q = r * r;
  const value =
    (quarter & 1) === 0
      ? r * (1 - q * (1 / 6 - q * (1 / 120 - q * (1 / 5040 - q * (1 / 362_880 - q / 39_916_800)))))
      : 1 - q * (1 / 2 - q * (1 / 24 - q * (1 / 720 - q * (1 / 40_320 - q * (1 / 3_628_800 - q / 479_001_600)))));
  return Math.floor(((quarter & 2) === 0 ? value : -value) * UNIT + 0.5) | 0;
}

/** Cosine, as `sine`. */
export function cosine(microdeg: number): number {
  return sine(microdeg + QUARTER);
}

/** Direction of a motion given in integers of any one unit: whole microdegrees from north over east, 0 to 359,999,999; 0 for no motion. */
export function directionMicrodeg(east: number, north: number): number {
  const absEast = Math.abs(east);
  const absNorth = Math.abs(north);
  const long = absEast > absNorth ? absEast : absNorth;
  if (long === 0) return 0;
  const t = (absEast > absNorth ? absNorth : absEast) / long;
  // tan(a − b) moves t to within 1/128 of an anchor; then two terms of the series leave 1e-9°.
  const k = (t * ANCHORS + 0.5) | 0;
  const u = (t - k / ANCHORS) / (1 + (t * k) / ANCHORS);
  let angle = ARC_TANGENTS[k]! + DEGREES_PER_RADIAN * (u - (u * u * u) / 3);
  if (absEast > absNorth) angle = 90 - angle;
  if (north < 0) angle = 180 - angle;
  if (east < 0) angle = 360 - angle;
  const microdeg = (angle * 1e6 + 0.5) | 0;
  return microdeg === TURN ? 0 : microdeg;
}

/** The same in whole centidegrees, 0 to 35999. */
export function directionCentideg(east: number, north: number): number {
  const centideg = ((directionMicrodeg(east, north) + 5000) / 10_000) | 0;
  return centideg === 36_000 ? 0 : centideg;
}
