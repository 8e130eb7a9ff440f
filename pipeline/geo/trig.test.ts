// The polynomial maths against Math, and its exact corners.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atan2Deg, log10 } from './trig.ts';

const RAD = Math.PI / 180;
const runs = { numRuns: 2000 };

test('atan2Deg agrees with Math.atan2 to 1e-12 degrees', () => {
  const value = fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.integer());
  fc.assert(
    fc.property(value, value, (y, x) => {
      fc.pre(x !== 0 || y !== 0);
      const reference = Math.atan2(y, x) / RAD;
      const angle = atan2Deg(y, x);
      expect(angle).toBeGreaterThan(-180);
      expect(angle).toBeLessThanOrEqual(180);
      const difference = Math.abs(angle - reference);
      expect(Math.min(difference, Math.abs(360 - difference))).toBeLessThan(1e-12);
    }),
    runs,
  );
});

test('log10 agrees with Math.log10 to 1e-12', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (x) => {
      const reference = Math.log10(x);
      expect(Math.abs(log10(x) - reference)).toBeLessThan(1e-12 * Math.max(1, Math.abs(reference)));
    }),
    runs,
  );
  for (let x = 1e-6; x < 2; x += 1e-4) expect(Math.abs(log10(x) - Math.log10(x))).toBeLessThan(1e-13);
});
