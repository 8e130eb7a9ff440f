// The line through values: exact for values on a line, with a standard error for noise.
import { expect, it } from 'vitest';
import { isFlat, trendOf } from './trend.ts';

const values = (at: (minute: number) => number) => Array.from({ length: 60 }, (_, minute) => ({ atS: 60 * minute, value: at(minute) }));

it('returns the growth of a straight line', () => {
  const trend = trendOf(values((minute) => 200 + 5 * minute));
  expect(trend.perMinute).toBeCloseTo(5, 9);
  expect(trend.error).toBeCloseTo(0, 9);
  expect([trend.min, trend.max]).toEqual([200, 495]);
  expect(isFlat(trend, 0.5)).toBe(false);
});

it('distinguishes a sawtooth from a slope', () => {
  const saw = trendOf(values((minute) => 200 + (minute % 7) * 5));
  expect(Math.abs(saw.perMinute)).toBeLessThan(0.3);
  expect(isFlat(saw, 0.5)).toBe(true);
  expect(isFlat(trendOf(values((minute) => 200 + (minute % 7) * 5 + 2 * minute)), 0.5)).toBe(false);
});

it('accepts few values', () => {
  expect(trendOf([{ atS: 5, value: 7 }])).toEqual({ perMinute: 0, error: 0, min: 7, max: 7 });
});
