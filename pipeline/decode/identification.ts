// Aircraft identification and category, TC 1-4 (BDS 0,8). DO-260B §2.2.3.2.5.
//
//   ME bit  1-5   TC        4 category set A, 3 B, 2 C, 1 D
//           6-8   category  0-7 in its set
//           9-56  8 characters of 6 bits: 1-26 A-Z, 32 space, 48-57 digits; nothing else is allowed

import type { Identification } from './message.ts';

const QUESTION_MARK = 0x3f;
const ASCII_BY_CODE = new Uint8Array(64).fill(QUESTION_MARK);
for (let code = 1; code <= 26; code += 1) ASCII_BY_CODE[code] = 0x40 + code;
for (let code = 48; code <= 57; code += 1) ASCII_BY_CODE[code] = code;
ASCII_BY_CODE[32] = 32;

/** ASCII of a 6-bit code; '?' for one that is not allowed. */
export function characterOf(code: number): number {
  return ASCII_BY_CODE[code]!;
}

/** `me` is the offset of the ME field. */
export function decodeIdentification(bytes: Uint8Array, me: number, out: Identification): void {
  const first = bytes[me]!;
  out.category = ((14 - (first >> 3)) << 4) | (first & 7);
  out.flightValid = decodeCharacters(bytes, me + 1, out.flight);
}

/** Eight 6-bit characters in the six bytes at `at` → ASCII; true when all are allowed. The same layout as in BDS 2,0. */
function decodeCharacters(bytes: Uint8Array, at: number, out: Uint8Array): boolean {
  let valid = true;
  for (let half = 0; half < 2; half += 1) {
    const from = at + 3 * half;
    const four = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!;
    for (let index = 0; index < 4; index += 1) {
      const ascii = ASCII_BY_CODE[(four >> (18 - 6 * index)) & 0x3f]!;
      out[4 * half + index] = ascii;
      if (ascii === QUESTION_MARK) valid = false;
    }
  }
  return valid;
}
