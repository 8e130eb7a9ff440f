// Arc tangent and log10 in plain arithmetic: the same bits on every runtime, which Math.atan and Math.log10 do not promise.
// Only + - * / and abs are used; all of them are exactly specified by IEEE 754 and ECMAScript.
import { DEGREES_PER_RADIAN } from './earth.ts';

const LOG10_OF_2 = 0.3010299956639812;
const LOG10_OF_E = Math.LOG10E;
/** tan 11.25° and tan 33.75° bound the intervals of `atanDeg`; tan 22.5° is the anchor of the middle one. */
const TAN_11_25 = 0.198912367379658;
const TAN_22_5 = 0.41421356237309503;
const TAN_33_75 = 0.6681786379192989;
/** Angle of the vector (x, y) in degrees, −180 < result ≤ 180; 0 for the zero vector. */
export function atan2Deg(y: number, x: number): number {
  const absX = Math.abs(x);
  const absY = Math.abs(y);
  if (absX === 0 && absY === 0) return 0;
  const steep = absY > absX;
  const t = steep ? absX / absY : absY / absX;
  // tan(a − b) moves t, 0 to 1, to within ±tan 11.25° of an anchor; then the series of the arc tangent.
  let anchorDeg = 0;
  let u = t;
  if (t > TAN_33_75) {
    anchorDeg = 45;
    u = (t - 1) / (1 + t);
  } else if (t > TAN_11_25) {
    anchorDeg = 22.5;
    u = (t - TAN_22_5) / (1 + t * TAN_22_5);
  }
  const q = u * u;
  const tail = 1 / 13 - q * (1 / 15 - q * (1 / 17 - q * (1 / 19 - q * (1 / 21 - q * (1 / 23)))));
  const series = u * (1 - q * (1 / 3 - q * (1 / 5 - q * (1 / 7 - q * (1 / 9 - q * (1 / 11 - q * tail))))));
  let angle = anchorDeg + DEGREES_PER_RADIAN * series;
  if (steep) angle = 90 - angle;
  if (x < 0) angle = 180 - angle;
  return y < 0 && angle < 180 ? -angle : angle;
}

/** Decimal logarithm of a positive number. Absolute error below 1e-13. */
export function log10(x: number): number {
  // x = mantissa * 2^exponent with mantissa in (sqrt ½, sqrt 2]: dividing by powers of two is exact.
  let mantissa = x;
  let exponent = 0;
  for (; mantissa > Math.SQRT2; exponent += 1) mantissa /= 2;
  for (; mantissa <= Math.SQRT1_2; exponent -= 1) mantissa *= 2;
  // ln m = 2 artanh((m − 1) / (m + 1)), |argument| ≤ 0.1716.
  const s = (mantissa - 1) / (mantissa + 1);
  const q = s * s;
  const tail = 1 / 13 + q * (1 / 15 + q * (1 / 17 + q * (1 / 19 + q * (1 / 21 + q * (1 / 23)))));
  const series = 1 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * tail)))));
  return exponent * LOG10_OF_2 + 2 * s * series * LOG10_OF_E;
}
