// Exact numbers for slow references: fractions of BigInts, and π, cosine and arc cosine to 60 digits in fixed point.

/** top / bottom; bottom > 0. The fraction is not reduced. */
export interface Rational {
  readonly top: bigint;
  readonly bottom: bigint;
}

export function rational(top: bigint | number, bottom: bigint | number = 1n): Rational {
  return { top: BigInt(top), bottom: BigInt(bottom) };
}

export function add(a: Rational, b: Rational): Rational {
  return { top: a.top * b.bottom + b.top * a.bottom, bottom: a.bottom * b.bottom };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, { top: -b.top, bottom: b.bottom });
}

export function multiply(a: Rational, b: Rational): Rational {
  return { top: a.top * b.top, bottom: a.bottom * b.bottom };
}

export function divide(a: Rational, b: Rational): Rational {
  const sign = b.top < 0n ? -1n : 1n;
  return { top: a.top * b.bottom * sign, bottom: a.bottom * b.top * sign };
}

/** Negative, 0 or positive as a is less than, equal to or greater than b. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function absolute(a: Rational): Rational {
  return { top: a.top < 0n ? -a.top : a.top, bottom: a.bottom };
}

/** Greatest whole number not above a. */
export function floor({ top, bottom }: Rational): bigint {
  const quotient = top / bottom;
  return top % bottom < 0n ? quotient - 1n : quotient;
}

export const HALF = rational(1, 2);

/** Nearest whole number, halves upwards. */
export function round(a: Rational): bigint {
  return floor(add(a, HALF));
}

/** MOD of the standard: a − b ⌊a / b⌋, never negative for positive b. */
export function modulo(a: Rational, b: Rational): Rational {
  return subtract(a, multiply(b, rational(floor(divide(a, b)))));
}

/** Fixed point: numbers below are multiples of 1 / ONE. */
const ONE = 10n ** 70n;

const times = (a: bigint, b: bigint): bigint => (a * b) / ONE;

function arcTangentOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= -n * n;
    sum += power / k;
  }
  return sum;
}

/** Machin's formula. */
const PI = 4n * (4n * arcTangentOfInverse(5n) - arcTangentOfInverse(239n));

function cosine(x: bigint): bigint {
  let term = ONE;
  let sum = ONE;
  for (let k = 1n; term !== 0n; k += 2n) {
    term = -times(times(term, x), x) / (k * (k + 1n));
    sum += term;
  }
  return sum;
}

/** Cosine of π · fraction, as a fraction accurate to more than 60 digits. */
export function cosinePi({ top, bottom }: Rational): Rational {
  return rational(cosine((PI * top) / bottom), ONE);
}

/** Angle in degrees, 0 to 90, whose squared cosine is `squared`; accurate to more than 60 digits. By bisection: slow and simple. */
export function degreesOfSquaredCosine(squared: Rational): Rational {
  let low = 0n;
  let high = PI / 2n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const c = cosine(middle);
    if (times(c, c) * squared.bottom > squared.top * ONE) low = middle;
    else high = middle;
  }
  return rational(low * 180n, PI);
}
