// Which wrong bits are corrected, and which frames stay unchanged.
import { describe, expect, test } from 'vitest';
import { parityRemainder } from './crc.ts';
import { isSpoiltSquitter, repairInto } from './repair.ts';

/** DF 17, Amsterdam 2016 (the identification frame of the 1090 MHz riddle), and a DF 11 squitter (twuillemin/modes, Apache-2.0). */
const squitter = Buffer.from('8d4840d6202cc371c32ce0576098', 'hex');
const allCall = Buffer.from('5d4bab45cfa079', 'hex');

function damaged(frame: Uint8Array, ...bits: number[]): Uint8Array {
  const bytes = Uint8Array.from(frame);
  for (const bit of bits) bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
  return bytes;
}

/** The frame after repair, as hex; null when it is not repaired. */
function repaired(bytes: Uint8Array): string | null {
  const out = new Uint8Array(14);
  const byteLength = bytes.length as 7 | 14;
  return repairInto(bytes, 0, byteLength, out) ? Buffer.from(out.subarray(0, byteLength)).toString('hex') : null;
}

describe('one wrong bit', () => {
  test('in a squitter is corrected at every position, including the DF field', () => {
    const results = Array.from({ length: 112 }, (_, bit) => repaired(damaged(squitter, bit)));
    expect(results).toEqual(results.map(() => squitter.toString('hex')));
  });

  test('in the DF field is detected from the format and the remainder alone', () => {
    for (let bit = 0; bit < 5; bit += 1) {
      const bytes = damaged(squitter, bit);
      expect(isSpoiltSquitter(bytes[0]! >> 3, parityRemainder(bytes, 0, 14))).toBe(true);
      expect(isSpoiltSquitter(bytes[0]! >> 3, 0x4840d6)).toBe(false);
    }
    expect(isSpoiltSquitter(17, 0)).toBe(false);
  });

  test('in an all-call squitter is corrected after the DF field', () => {
    const results = Array.from({ length: 56 }, (_, bit) => repaired(damaged(allCall, bit)));
    expect(results.slice(0, 5)).toEqual([null, null, null, null, null]);
    expect(results.slice(5)).toEqual(results.slice(5).map(() => allCall.toString('hex')));
  });

  test('in a long frame that is not a squitter is not corrected', () => {
    const reply = damaged(squitter, 2, 4);
    expect(reply[0]! >> 3).toBe(20);
    expect(repaired(reply)).toBeNull();
  });
});

test('the frame itself is not modified', () => {
  const bytes = damaged(squitter, 40);
  const copy = Uint8Array.from(bytes);
  repairInto(bytes, 0, 14, new Uint8Array(14));
  expect(bytes).toEqual(copy);
});
