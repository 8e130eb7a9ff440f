// Generations of a feeder's key, to the last one.
import { expect, test } from 'vitest';
import { GENERATION_MAX } from '../access/key.ts';
import { claimed, hasKey, revoked, rotated } from './keys.ts';

test('after a revocation the next generation is valid, and after the last one none', () => {
  const keys = { generation: 2, previousEndsMs: 9, revokedBelow: 1 };
  expect(revoked(keys)).toEqual({ generation: 3, previousEndsMs: 0, revokedBelow: 3 });
  const last = revoked({ ...keys, generation: GENERATION_MAX });
  expect([last.generation, hasKey(last)]).toEqual([GENERATION_MAX, false]);
  for (const further of [() => rotated(last, 0), () => claimed(last)]) expect(further).toThrow(/has had all/);
});
