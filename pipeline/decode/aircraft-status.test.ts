// Emergency state and its squawk.
import { expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT } from './message.ts';

test('all eight states; no squawk where the field is zero', () => {
  for (let code = 0; code < 8; code += 1) expect(decodeHex(squitter([28, 5, 1, 3, code, 3])).emergency).toEqual({ code, squawk: ABSENT });
  expect(decodeHex(squitter([28, 5, 1, 3, 1, 3, 0x0aaa, 13])).emergency).toEqual({ code: 1, squawk: 7700 });
});
