// Squawks from the interleaved field.
import { expect, test } from 'vitest';
import { squawkOfIdentity } from './identity.ts';

const BITS = { C1: 12, A1: 11, C2: 10, A2: 9, C4: 8, A4: 7, B1: 5, D1: 4, B2: 3, D2: 2, B4: 1, D4: 0 } as const;

function encode(squawk: string): number {
  let code = 0;
  for (const [name, bit] of Object.entries(BITS)) {
    const digit = Number(squawk['ABCD'.indexOf(name[0]!)]);
    if (digit & Number(name[1])) code |= 1 << bit;
  }
  return code;
}

test('all 4096 squawks, with the X bit either way', () => {
  for (let value = 0; value < 4096; value += 1) {
    const squawk = value.toString(8).padStart(4, '0');
    expect(squawkOfIdentity(encode(squawk))).toBe(Number(squawk));
    expect(squawkOfIdentity(encode(squawk) | 0x40)).toBe(Number(squawk));
  }
});

test('the field of a DF 21 reply, 2366 (twuillemin/modes, Apache-2.0)', () => {
  expect(squawkOfIdentity(0x072d)).toBe(2366);
});
