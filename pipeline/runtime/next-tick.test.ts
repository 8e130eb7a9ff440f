// The object that is kept is one of those that Node makes for process.nextTick, whatever else it makes.
import { expect, it } from 'vitest';
import { keepNextTickShape } from './next-tick.ts';

it('keeps one of the objects that Node makes for process.nextTick, and only one', async () => {
  const kept = await keepNextTickShape();
  expect(kept).toHaveProperty('callback');
  expect(await keepNextTickShape()).toBe(kept);
});
