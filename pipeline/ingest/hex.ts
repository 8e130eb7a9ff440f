// Reads hex digits from bytes without creating strings.

export const HEX_BLANK = 255;
export const HEX_OTHER = 254;

/** Value of a hex digit by character code, in either case; HEX_BLANK for blanks, which are skipped; HEX_OTHER for the rest. */
export const hexValues: Uint8Array = hexTable();

function hexTable(): Uint8Array {
  const table = new Uint8Array(256).fill(HEX_OTHER);
  for (let digit = 0; digit < 16; digit += 1) {
    const text = digit.toString(16);
    table[text.charCodeAt(0)] = digit;
    table[text.toUpperCase().charCodeAt(0)] = digit;
  }
  for (const blank of ' \t\r') table[blank.charCodeAt(0)] = HEX_BLANK;
  return table;
}

export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a || byte === 0;
}

/**
 * Reads the hex digits in `bytes[from..to)` into the nibbles of `target` and skips blanks. Returns the number of digits, or -1 if there is
 * any other character. Digits beyond the size of `target` are counted, not kept.
 */
export function readHex(bytes: Uint8Array, from: number, to: number, target: Uint8Array): number {
  let digits = 0;
  let high = 0;
  for (let at = from; at < to; at += 1) {
    const value = hexValues[bytes[at]!]!;
    if (value === HEX_BLANK) continue;
    if (value === HEX_OTHER) return -1;
    if ((digits & 1) === 0) high = value << 4;
    else if (digits >> 1 < target.length) target[digits >> 1] = high | value;
    digits += 1;
  }
  return digits;
}
