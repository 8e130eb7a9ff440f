// Test messages: the Mode A code of subtype 7.
import { expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_EXTENDED_OTHER, KIND_TEST } from './message.ts';

test('Mode A code 6513 (frame of the tests of SeRoSystems/lib1090)', () => {
  const message = decodeHex('8d89653ebf95b00000000059abfb');
  expect(message).toMatchObject({ kind: KIND_TEST, typeCode: 23, subtype: 7 });
  expect(message.testMessage.squawk).toBe(6513);
});

test('no code, and the other subtypes', () => {
  const of = (subtype: number) =>
    decodeHex(
      squitter([
        [23, 5],
        [subtype, 3],
      ]),
    );
  expect(of(7).testMessage.squawk).toBe(ABSENT);
  for (const subtype of [0, 1, 6]) expect(of(subtype)).toMatchObject({ kind: KIND_EXTENDED_OTHER, subtype });
});
