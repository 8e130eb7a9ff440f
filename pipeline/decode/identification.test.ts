// Call sign and category.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';

const text = (characters: Uint8Array) => String.fromCharCode(...characters);

describe('made up', () => {
  test.each([
    [1, 0xd0],
    [2, 0xc0],
    [3, 0xb0],
    [4, 0xa0],
  ])('TC %i is set %i', (typeCode, set) => {
    for (let category = 0; category < 8; category += 1)
      expect(decodeHex(squitter([typeCode, 5, category, 3])).identification.category).toBe(set | category);
  });

  test('each of the 64 characters: letters, digits and space are valid, the others are ?', () => {
    const allowed = '?ABCDEFGHIJKLMNOPQRSTUVWXYZ????? ???????????????0123456789??????';
    for (let code = 0; code < 64; code += 1) {
      for (let position = 0; position < 8; position += 1) {
        const codes = Array.from({ length: 8 }, (_, index) => [index === position ? code : 1, 6]).flat();
        const { flight, flightValid } = decodeHex(squitter([4, 5, 3, 3, ...codes])).identification;
        expect(text(flight)).toBe(`${'A'.repeat(position)}${allowed[code]}${'A'.repeat(7 - position)}`);
        expect(flightValid).toBe(allowed[code] !== '?');
      }
    }
  });
});
