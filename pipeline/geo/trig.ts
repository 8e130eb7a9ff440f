// Trigonometry and log10 in plain arithmetic: the same bits on every runtime, which Math.sin, Math.atan … do not promise.
// Only + - * /, sqrt, floor, round and abs are used; all of them are exactly specified by IEEE 754 and ECMAScript.
import { DEGREES_PER_RADIAN, RADIANS_PER_DEGREE } from './earth.ts';

const LOG10_OF_2 = 0.3010299956639812;
const LOG10_OF_E = Math.LOG10E;
/** tan 11.25° and tan 33.75° bound the intervals of `atanDeg`; tan 22.5° is the anchor of the middle one. */
const TAN_11_25 = 0.198912367379658;
const TAN_22_5 = 0.41421356237309503;
const TAN_33_75 = 0.6681786379192989;
/** 2, 2^2, 2^4 … 2^512: element i is 2^(2^i). Squared, not raised: `**` is not exactly specified. */
const POWERS_OF_2 = new Float64Array(10);
POWERS_OF_2[0] = 2;
for (let i = 1; i < POWERS_OF_2.length; i += 1) POWERS_OF_2[i] = POWERS_OF_2[i - 1]! * POWERS_OF_2[i - 1]!;

/** Sine of `xDeg` degrees. Absolute error below 1e-15 for |x| ≤ 360; the argument is reduced exactly. */
export function sinDeg(xDeg: number): number {
  const quarter = Math.round(xDeg / 90);
  const rest = (xDeg - quarter * 90) * RADIANS_PER_DEGREE;
  const turn = quarter - 4 * Math.floor(quarter / 4);
  if (turn === 0) return sinSmall(rest);
  if (turn === 1) return cosSmall(rest);
  if (turn === 2) return -sinSmall(rest);
  return -cosSmall(rest);
}

/** Cosine of `xDeg` degrees. Same accuracy as `sinDeg`. */
export function cosDeg(xDeg: number): number {
  const quarter = Math.round(xDeg / 90);
  const rest = (xDeg - quarter * 90) * RADIANS_PER_DEGREE;
  const turn = quarter - 4 * Math.floor(quarter / 4);
  if (turn === 0) return cosSmall(rest);
  if (turn === 1) return -sinSmall(rest);
  if (turn === 2) return -cosSmall(rest);
  return sinSmall(rest);
}

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

/** Decimal logarithm; −Infinity at 0, NaN below. Absolute error below 1e-13. */
export function log10(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  // x = mantissa * 2^exponent with mantissa in [sqrt ½, sqrt 2): dividing by powers of two is exact.
  let mantissa = x;
  let exponent = 0;
  for (let i = POWERS_OF_2.length - 1; i >= 0; i -= 1) {
    const power = POWERS_OF_2[i]!;
    const step = 1 << i;
    while (mantissa >= power) {
      mantissa /= power;
      exponent += step;
    }
    while (mantissa * power < 2) {
      mantissa *= power;
      exponent -= step;
    }
  }
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent += 1;
  }
  // ln m = 2 artanh((m − 1) / (m + 1)), |argument| ≤ 0.1716.
  const s = (mantissa - 1) / (mantissa + 1);
  const q = s * s;
  const tail = 1 / 13 + q * (1 / 15 + q * (1 / 17 + q * (1 / 19 + q * (1 / 21 + q * (1 / 23)))));
  const series = 1 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * tail)))));
  return exponent * LOG10_OF_2 + 2 * s * series * LOG10_OF_E;
}

/** Taylor series, |r| ≤ π/4: the first dropped term is below 1e-19. */
function sinSmall(r: number): number {
  const q = r * r;
  const tail = 1 / 362880 - q * (1 / 39916800 - q * (1 / 6227020800 - q * (1 / 1307674368000)));
  return r * (1 - q * (1 / 6 - q * (1 / 120 - q * (1 / 5040 - q * tail))));
}

function cosSmall(r: number): number {
  const q = r * r;
  const tail = 1 / 40320 - q * (1 / 3628800 - q * (1 / 479001600 - q * (1 / 87178291200 - q * (1 / 20922789888000))));
  return 1 - q * (1 / 2 - q * (1 / 24 - q * (1 / 720 - q * tail)));
}
