// Constant pieces of JSON as 32-bit words, so that the arena copies four bytes at a time; comparison of texts with bytes.

const LAST_ASCII = 0x7f;

export interface Text {
  readonly words: Int32Array;
  readonly length: number;
}

/** ASCII text, padded to whole words. */
export function text(ascii: string): Text {
  const bytes = Buffer.alloc(Math.ceil(ascii.length / 4) * 4);
  bytes.write(ascii, 'latin1');
  const words = new Int32Array(bytes.length / 4);
  for (let i = 0; i < words.length; i += 1) words[i] = bytes.readInt32LE(4 * i);
  return { words, length: ascii.length };
}

/** Writes a text; up to 3 bytes after the returned end are overwritten. */
export function putText(view: DataView, at: number, { words, length }: Text): number {
  for (let i = 0; i < words.length; i += 1) view.setInt32(at + 4 * i, words[i]!, true);
  return at + length;
}

/** Writes `length` bytes that begin at a word of `words`. */
export function putWords(view: DataView, at: number, words: Int32Array, from: number, length: number): number {
  for (let i = 0; i < length; i += 4) view.setInt32(at + i, words[from + (i >> 2)]!, true);
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
