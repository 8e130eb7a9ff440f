// The only digit writer: integers and scaled decimals as bytes, without strings or allocation.
// It writes four bytes at a time, and `putText` eight, so up to 7 bytes after the returned end are overwritten: callers leave SLACK_BYTES free.

/** Bytes that a writer may overwrite after the end that it returns. */
export const SLACK_BYTES = 8;

const MINUS = 0x2d;
/** '0' − '.': turns the zero before a fraction into the point. */
const ZERO_TO_POINT = 0x30 - 0x2e;
const GROUP = 10_000;
const TWO_GROUPS = GROUP * GROUP;
const POWERS = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;

/** Numbers of decimals that `putFixed` can write. */
export type Decimals = 0 | 1 | 2 | 3 | 6;

/** The four ASCII digits of 0 to 9999, first digit in the lowest byte. */
const DIGITS = new Int32Array(GROUP);
for (let i = 0; i < GROUP; i += 1) {
  const [a, b, c, d] = String(i).padStart(4, '0');
  DIGITS[i] = a!.charCodeAt(0) | (b!.charCodeAt(0) << 8) | (c!.charCodeAt(0) << 16) | (d!.charCodeAt(0) << 24);
}

/** Writes an integer from 0 to 2^53 in decimal; returns the offset after it. */
export function putUnsigned(view: DataView, at: number, value: number): number {
  if (value < GROUP) return putSmall(view, at, value);
  if (value < TWO_GROUPS) return putGroup(view, putSmall(view, at, (value / GROUP) | 0), value % GROUP);
  const high = Math.floor(value / TWO_GROUPS);
  const low = value - high * TWO_GROUPS;
  return putGroup(view, putGroup(view, putUnsigned(view, at, high), (low / GROUP) | 0), low % GROUP);
}

/** Writes an integer, also a negative one. */
export function putInteger(view: DataView, at: number, value: number): number {
  if (value >= 0) return putUnsigned(view, at, value);
  view.setUint8(at, MINUS);
  return putUnsigned(view, at + 1, -value);
}

/** Writes `value` / 10^decimals with exactly that many decimals: 4123 with 2 is `41.23`, 0 with 1 is `0.0`. */
export function putFixed(view: DataView, at: number, value: number, decimals: Decimals): number {
  if (decimals === 0) return putInteger(view, at, value);
  let start = at;
  let magnitude = value;
  if (value < 0) {
    view.setUint8(at, MINUS);
    start += 1;
    magnitude = -value;
  }
  const power = POWERS[decimals];
  const whole = Math.floor(magnitude / power);
  const fraction = magnitude - whole * power;
  const point = putUnsigned(view, start, whole);
  if (decimals === 6) {
    const high = (fraction / 1000) | 0;
    view.setInt32(point, DIGITS[high]! - ZERO_TO_POINT, true);
    view.setInt32(point + 4, DIGITS[fraction - high * 1000]! >>> 8, true);
    return point + 7;
  }
  view.setInt32(point, (DIGITS[fraction]! >>> (8 * (3 - decimals))) - ZERO_TO_POINT, true);
  return point + 1 + decimals;
}

/** Writes exactly four digits, with leading zeros. */
export function putGroup(view: DataView, at: number, value: number): number {
  view.setInt32(at, DIGITS[value]!, true);
  return at + 4;
}

/** 0 to 9999 without leading zeros. */
function putSmall(view: DataView, at: number, value: number): number {
  const length = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 4;
  view.setInt32(at, DIGITS[value]! >>> (8 * (4 - length)), true);
  return at + length;
}
