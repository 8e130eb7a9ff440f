// The retained object is one that Node creates for process.nextTick.
import { expect, it } from 'vitest';
import { keepNextTickShape } from './next-tick.ts';

it('retains exactly one of the objects that Node creates for process.nextTick', async () => {
  const kept = await keepNextTickShape();
  expect(kept).toHaveProperty('callback');
  expect(await keepNextTickShape()).toBe(kept);
});
