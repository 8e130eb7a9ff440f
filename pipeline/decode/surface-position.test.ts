// Surface position: real frames and every movement code.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, type Position } from './message.ts';

const position = (hex: string): Position => decodeHex(hex).position;
const movement = (code: number) => position(squitter([7, 5, code, 7]));

test('taxiing at 15 to 16 kt (test frame of xoolive/rs1090, MIT)', () => {
  expect(position('8c3461cf3a7f3059c94e5bf4e169')).toMatchObject({ odd: false, cprLat: 11_492, cprLon: 85_595, groundSpeedDeciKt: 155 });
});

describe('movement', () => {
  test.each([
    [0, ABSENT, ABSENT],
    [1, 0, 0],
    [2, 1, 2],
    [3, 2, 3],
    [8, 9, 9],
    [9, 11, 11],
    [12, 19, 19],
    [13, 22, 22],
    [38, 148, 148],
    [39, 155, 155],
    [93, 695, 695],
    [94, 710, 710],
    [108, 990, 990],
    [109, 1025, 1025],
    [123, 1725, 1725],
    [124, 1800, 1800],
    [125, ABSENT, ABSENT],
    [127, ABSENT, ABSENT],
  ])('%i is %i deci-kt, %i in version 0', (code, deciKt, v0DeciKt) => {
    expect(movement(code)).toMatchObject({ movement: code, groundSpeedDeciKt: deciKt, groundSpeedV0DeciKt: v0DeciKt });
  });

  test('never decreases as the code increases', () => {
    for (let code = 2; code <= 124; code += 1) {
      expect(movement(code).groundSpeedDeciKt).toBeGreaterThanOrEqual(movement(code - 1).groundSpeedDeciKt);
      expect(movement(code).groundSpeedV0DeciKt).toBeGreaterThanOrEqual(movement(code - 1).groundSpeedV0DeciKt);
    }
  });
});

test('the track is valid only with its status bit', () => {
  expect(position(squitter([5, 5, 1, 7, 0, 1, 64, 7])).trackCentideg).toBe(ABSENT);
  expect(position(squitter([5, 5, 1, 7, 1, 1, 64, 7])).trackCentideg).toBe(18_000);
  expect(position(squitter([5, 5, 1, 7, 1, 1, 127, 7])).trackCentideg).toBe(35_719);
});
