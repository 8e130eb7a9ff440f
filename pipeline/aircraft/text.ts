// Constant pieces of JSON as words of eight bytes, so that the arena copies eight at a time; comparison of texts with bytes.

const LAST_ASCII = 0x7f;

/** Bytes of a word. A word is a float64: eight ASCII characters are never one of the values that an engine changes as it copies (NaN). */
export const WORD_BYTES = 8;

export interface Text {
  readonly words: Float64Array;
  readonly length: number;
}

/** ASCII text, padded to whole words. */
export function text(ascii: string): Text {
  const bytes = Buffer.alloc(wordsOf(ascii.length) * WORD_BYTES);
  bytes.write(ascii, 'latin1');
  const words = new Float64Array(bytes.length / WORD_BYTES);
  for (let i = 0; i < words.length; i += 1) words[i] = bytes.readDoubleLE(WORD_BYTES * i);
  return { words, length: ascii.length };
}

/** Number of words that hold some bytes. */
export const wordsOf = (bytes: number): number => (bytes + WORD_BYTES - 1) >> 3;

/** Writes a text; up to 7 bytes after the returned end are overwritten. */
export function putText(view: DataView, at: number, { words, length }: Text): number {
  for (let i = 0; i < words.length; i += 1) view.setFloat64(at + WORD_BYTES * i, words[i]!, true);
  return at + length;
}

/** Writes `length` bytes that begin at a word of `words`. */
export function putWords(view: DataView, at: number, words: Float64Array, from: number, length: number): number {
  for (let i = 0; i < length; i += WORD_BYTES) view.setFloat64(at + i, words[from + (i >> 3)]!, true);
  return at + length;
}

/** JSON without characters beyond ASCII, so that in all bodies bytes and characters are the same. */
export function asciiOnly(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** True when a text equals the `length` ASCII characters before `end`; null equals length −1. False for texts with other characters. */
export function isText(text: string | null, bytes: Uint8Array, end: number, length: number): boolean {
  if (text === null) return length < 0;
  if (text.length !== length) return false;
  for (let i = 0; i < length; i += 1) {
    const byte = bytes[end - length + i]!;
    if (byte > LAST_ASCII || byte !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** Those bytes as a string; null for length −1. */
export function textBefore(bytes: Uint8Array, end: number, length: number): string | null {
  return length < 0 ? null : Buffer.from(bytes.buffer, bytes.byteOffset + end - length, length).toString();
}
