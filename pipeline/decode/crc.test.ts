// Table-based parity compared with long division, and on real frames.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameBytes } from '../../test/golden/frames.ts';
import { parityRemainder } from './crc.ts';

/** Long division by 0x1FFF409, bit by bit. */
function divided(bytes: Uint8Array): number {
  let rest = 0n;
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte);
  for (let bit = BigInt(bytes.length * 8 - 1); bit >= 24n; bit -= 1n) if ((rest >> bit) & 1n) rest ^= 0x1fff409n << (bit - 24n);
  return Number(rest);
}

describe('parityRemainder', () => {
  test.each([7, 14] as const)('equals long division for any %i bytes', (length) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: length, maxLength: length }), (bytes) => {
        const shifted = new Uint8Array(length + 3);
        shifted.set(bytes, 3);
        expect(parityRemainder(shifted, 3, length)).toBe(divided(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test('DF 17 over Atlanta, 2025-07-29 (xoolive/rs1090, MIT): 0, and every single wrong bit is detected', () => {
    const bytes = frameBytes('8dada5265851e6616376c2eb4463');
    expect(parityRemainder(bytes, 0, 14)).toBe(0);
    for (let bit = 0; bit < 112; bit += 1) {
      bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
      expect(parityRemainder(bytes, 0, 14)).not.toBe(0);
      bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
    }
  });

  test('DF 11 squitter 0; DF 4 the address (twuillemin/modes, Apache-2.0)', () => {
    expect(parityRemainder(frameBytes('5d4bab45cfa079'), 0, 7)).toBe(0);
    expect(parityRemainder(frameBytes('200015301c0ff2'), 0, 7)).toBe(0x4bab45);
  });
});
