// An aircraft's hex as one integer: the 24-bit address, and bit 24 for a non-ICAO address (`~` before the digits).
// `~abc123` and `abc123` are different aircraft.

/** Bit of a key that stands for `~`. */
export const NON_ICAO_BIT = 1 << 24;

const HEX_DIGITS = 6;
const TILDE = 0x7e;

/** Key of 6 hex digits in either case, with or without `~`; −1 for any other text. */
export function hexKey(text: string): number {
  const start = text.charCodeAt(0) === TILDE ? 1 : 0;
  if (text.length !== start + HEX_DIGITS) return -1;
  let key = 0;
  for (let i = start; i < text.length; i += 1) {
    const digit = hexDigit(text.charCodeAt(i));
    if (digit < 0) return -1;
    key = (key << 4) | digit;
  }
  return start === 0 ? key : key | NON_ICAO_BIT;
}

/** Key of a hex in bytes: its `length` characters before `end`. */
export function hexKeyBefore(bytes: Uint8Array, end: number, length: number): number {
  const isIcao = length === HEX_DIGITS;
  if (!isIcao && !(length === HEX_DIGITS + 1 && bytes[end - length] === TILDE)) return -1;
  let key = 0;
  for (let i = end - HEX_DIGITS; i < end; i += 1) {
    const digit = hexDigit(bytes[i]!);
    if (digit < 0) return -1;
    key = (key << 4) | digit;
  }
  return isIcao ? key : key | NON_ICAO_BIT;
}

/** The text of a key, lower case. */
export function keyHex(key: number): string {
  const digits = (key & 0xff_ffff).toString(16).padStart(6, '0');
  return (key & NON_ICAO_BIT) === 0 ? digits : `~${digits}`;
}

/** Spreads addresses over a hash: they are assigned in national blocks. */
export function mixKey(key: number): number {
  const product = Math.imul(key, 0x9e37_79b1);
  return product ^ (product >>> 15);
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}
