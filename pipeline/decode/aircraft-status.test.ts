// Emergency state, its squawk, and resolution advisories in TC 28.
import { expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_EMERGENCY, KIND_EXTENDED_OTHER, KIND_RESOLUTION } from './message.ts';

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

test('subtype 2 is a resolution advisory, others are not known', () => {
  const message = decodeHex(
    squitter([
      [28, 5],
      [2, 3],
      [0x2000, 14],
    ]),
  );
  expect(message).toMatchObject({ kind: KIND_RESOLUTION, subtype: 2 });
  expect(message.resolution.at).toBe(4);
  for (const subtype of [0, 3, 7])
    expect(
      decodeHex(
        squitter([
          [28, 5],
          [subtype, 3],
        ]),
      ),
    ).toMatchObject({ kind: KIND_EXTENDED_OTHER, subtype });
});
