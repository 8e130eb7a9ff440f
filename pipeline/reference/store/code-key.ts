// A short code (airport, call sign) as one number, so that codes fit in sorted typed arrays with binary search. A key converts back to its code exactly.

/** Longest code that fits: 38^10 is below 2^53. */
export const CODE_CHARACTERS = 10;

const CHARACTERS = ' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-';
const BASE = CHARACTERS.length;

/** Key of a code of 1 to 10 letters, digits and hyphens, in either case; 0 for any other text. */
export function codeKey(text: string): number {
  if (text.length > CODE_CHARACTERS) return 0;
  let key = 0;
  for (let i = 0; i < text.length; i += 1) {
    const digit = digitOf(text.charCodeAt(i));
    if (digit === 0) return 0;
    key = key * BASE + digit;
  }
  return key;
}

/** The text of a key, upper case; '' for 0. */
export function codeText(key: number): string {
  let text = '';
  for (let rest = key; rest > 0; rest = Math.floor(rest / BASE)) text = CHARACTERS[rest % BASE]! + text;
  return text;
}

function digitOf(code: number): number {
  if (code === 0x2d) return 37;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 27;
  const upper = code & 0xdf;
  return code >= 0x41 && upper >= 0x41 && upper <= 0x5a ? upper - 0x40 : 0;
}
