// Single-bit repair. Where the parity of a frame is known, its remainder identifies the wrong bit when only one bit is wrong. The Mode S
// code has a distance of 6 within 112 bits, so up to four wrong bits are never taken for one. ICAO Annex 10 vol. IV §3.1.2.3.3.
//
//   DF 17, 18   remainder of the intact frame 0: any bit after the DF field
//   DF 11       the same, read as a squitter (interrogator 0): in a reply the interrogator's code hides the wrong bit
//   long frame of DF 1, 16, 19, 21 or 25     each is one bit away from DF 17; repaired when the remainder is that bit's
//
// Formats whose parity carries the address cannot be repaired: every remainder is an address.

import { parityRemainder } from './crc.ts';

const DF_BITS = 5;
const DF_ALL_CALL = 11;
const DF_SQUITTER = 17;
const DF_NON_TRANSPONDER = 18;

/** Remainders of single wrong bits, ascending, and the bit of each. */
interface Syndromes {
  readonly remainders: Int32Array;
  readonly bits: Uint8Array;
}

const SHORT = syndromes(7);
const LONG = syndromes(14);

/**
 * By format: the remainder when one wrong bit in the DF field turned a squitter into that format; −1 where it takes more than one wrong
 * bit.
 */
const SPOILT_REMAINDERS = new Int32Array(32).fill(-1);
for (let i = 0; i < LONG.bits.length; i += 1) {
  const bit = LONG.bits[i]!;
  if (bit < DF_BITS) SPOILT_REMAINDERS[DF_SQUITTER ^ (0x10 >> bit)] = LONG.remainders[i]!;
}
// In DF 24 to 31 only the first two bits are the format: a message has 24 for all of them.
SPOILT_REMAINDERS[24] = SPOILT_REMAINDERS[25]!;

/** True when a long frame of this format and remainder is a squitter with one wrong bit in its DF field. Cheap, unlike `repairInto`. */
export function isSpoiltSquitter(df: number, remainder: number): boolean {
  return SPOILT_REMAINDERS[df & 31] === remainder;
}

/**
 * Writes the frame at `bytes[at]`, with its one wrong bit corrected, to the start of `out`. False, with `out` overwritten, when the
 * remainder matches no single bit or the format cannot be repaired. The frame must not be intact.
 */
export function repairInto(bytes: Uint8Array, at: number, byteLength: 7 | 14, out: Uint8Array): boolean {
  const df = bytes[at]! >> 3;
  if (!isRepairable(df, byteLength)) return false;
  const bit = wrongBit(byteLength === 7 ? SHORT : LONG, parityRemainder(bytes, at, byteLength));
  if (bit < 0) return false;
  for (let i = 0; i < byteLength; i += 1) out[i] = bytes[at + i]!;
  out[bit >> 3] = out[bit >> 3]! ^ (0x80 >> (bit & 7));
  return bit < DF_BITS ? out[0]! >> 3 === DF_SQUITTER : df === DF_SQUITTER || df === DF_NON_TRANSPONDER || df === DF_ALL_CALL;
}

function isRepairable(df: number, byteLength: number): boolean {
  if (byteLength === 7) return df === DF_ALL_CALL;
  return df === DF_SQUITTER || df === DF_NON_TRANSPONDER || SPOILT_REMAINDERS[df]! >= 0;
}

function wrongBit({ remainders, bits }: Syndromes, remainder: number): number {
  let low = 0;
  let high = remainders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (remainders[middle]! < remainder) low = middle + 1;
    else high = middle;
  }
  return remainders[low] === remainder ? bits[low]! : -1;
}

function syndromes(byteLength: 7 | 14): Syndromes {
  const frame = new Uint8Array(byteLength);
  const pairs: [remainder: number, bit: number][] = [];
  for (let bit = 0; bit < 8 * byteLength; bit += 1) {
    frame.fill(0);
    frame[bit >> 3] = 0x80 >> (bit & 7);
    pairs.push([parityRemainder(frame, 0, byteLength), bit]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  return { remainders: Int32Array.from(pairs, (pair) => pair[0]), bits: Uint8Array.from(pairs, (pair) => pair[1]) };
}
