// The rule by which pages slow down and speed up, without a clock: bytes of ticks in, intervals out.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PagePace } from './page-pace.ts';

const MAX = 1000;
/** Intervals after ticks of so many bytes. */
const after = (pace: PagePace, ticks: readonly number[]): number[] =>
  ticks.map((bytes) => {
    pace.ticked(bytes);
    return pace.intervalMs;
  });

test('pages slow down at the second tick that is too large, to the first step that fits; up by one after 30 s with a fifth to spare', () => {
  expect(after(new PagePace(1000, MAX), [1000, 1001, 1000, 1001, 1001])).toEqual([1000, 1000, 1000, 1000, 2000]);
  expect(after(new PagePace(1000, MAX), [4000, 4000])).toEqual([1000, 5000]);
  expect(after(new PagePace(1000, MAX), [90_000, 90_000, 90_000])).toEqual([1000, 10_000, 10_000]);
  // A longer delta has more bytes: one more step.
  expect(after(new PagePace(1000, MAX), [2000, 2000, 2500, 2500])).toEqual([1000, 2000, 2000, 5000]);
  const pace = new PagePace(1000, MAX);
  after(pace, [9000, 9000]);
  expect(after(pace, [4000, 4000, 4001, 4000, 4000, 4000])).toEqual([10_000, 10_000, 10_000, 10_000, 10_000, 5000]);
});

test('the same pages only slow down: nothing goes to and fro', () => {
  const perTick = fc.integer({ min: 1, max: 20_000 });
  // Bytes of a tick grow with its interval, and by no more than that does.
  const growth = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(perTick, growth, (bytes, power) => {
      const pace = new PagePace(1000, MAX);
      const intervals = [pace.intervalMs];
      for (let n = 0; n < 200; n += 1) if (pace.ticked(bytes * (pace.intervalMs / 1000) ** power)) intervals.push(pace.intervalMs);
      expect(intervals).toEqual(intervals.toSorted((a, b) => a - b));
    }),
  );
});
