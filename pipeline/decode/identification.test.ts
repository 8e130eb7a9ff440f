// Call sign and category.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { KIND_IDENTIFICATION } from './message.ts';

const text = (characters: Uint8Array) => String.fromCharCode(...characters);

test('DAL2136, A3, Atlanta, 2025-07-29 22:23:07 UTC (xoolive/rs1090, MIT)', () => {
  const message = decodeHex('8dab276023101332c73da0504b6e');
  expect(message).toMatchObject({ kind: KIND_IDENTIFICATION, typeCode: 4, address: 0xab2760 });
  expect(text(message.identification.flight)).toBe('DAL2136 ');
  expect(message.identification).toMatchObject({ flightValid: true, category: 0xa3 });
});

describe('made up', () => {
  test.each([
    [1, 0xd0],
    [2, 0xc0],
    [3, 0xb0],
    [4, 0xa0],
  ])('TC %i is set %i', (typeCode, set) => {
    for (let category = 0; category < 8; category += 1)
      expect(
        decodeHex(
          squitter([
            [typeCode, 5],
            [category, 3],
          ]),
        ).identification.category,
      ).toBe(set | category);
  });

  test('each of the 64 characters: letters, digits and space are valid, the others are ?', () => {
    const allowed = '?ABCDEFGHIJKLMNOPQRSTUVWXYZ????? ???????????????0123456789??????';
    for (let code = 0; code < 64; code += 1) {
      for (let position = 0; position < 8; position += 1) {
        const codes = Array.from({ length: 8 }, (_, index): [number, number] => [index === position ? code : 1, 6]);
        const { flight, flightValid } = decodeHex(squitter([[4, 5], [3, 3], ...codes])).identification;
        expect(text(flight)).toBe(`${'A'.repeat(position)}${allowed[code]}${'A'.repeat(7 - position)}`);
        expect(flightValid).toBe(allowed[code] !== '?');
      }
    }
  });
});
