// Emergency state and its squawk.
import { expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_EMERGENCY } from './message.ts';

test('no emergency, squawk 3526, Atlanta, 2025-07-29 22:23:08 UTC (xoolive/rs1090, MIT)', () => {
  const message = decodeHex('8dada526e10e2700000000909293');
  expect(message).toMatchObject({ kind: KIND_EMERGENCY, typeCode: 28, subtype: 1 });
  expect(message.emergency).toEqual({ code: 0, squawk: 3526 });
});

test('all eight states; no squawk where the field is zero', () => {
  for (let code = 0; code < 8; code += 1)
    expect(
      decodeHex(
        squitter([
          [28, 5],
          [1, 3],
          [code, 3],
        ]),
      ).emergency,
    ).toEqual({ code, squawk: ABSENT });
  expect(
    decodeHex(
      squitter([
        [28, 5],
        [1, 3],
        [1, 3],
        [0x0aaa, 13],
      ]),
    ).emergency,
  ).toEqual({ code: 1, squawk: 7700 });
});
