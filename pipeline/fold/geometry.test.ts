// The plane that near points are measured on, against the sphere.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bearingDeg, distanceM } from '../decode/trig.ts';
import { angleBetweenCentideg, distanceBetweenM, moveBetween } from './geometry.ts';

const near = fc.record({
  latitude: fc.integer({ min: -79_000_000, max: 79_000_000 }),
  longitude: fc.integer({ min: -180_000_000, max: 179_999_999 }),
  north: fc.integer({ min: -299_000, max: 299_000 }),
  east: fc.integer({ min: -299_000, max: 299_000 }),
});

test('distances and bearings of near points are those on the sphere', () => {
  const move = { distanceM: 0, bearingCentideg: 0 };
  fc.assert(
    fc.property(near, ({ latitude, longitude, north, east }) => {
      const to = [latitude + north, ((longitude + east + 540_000_000) % 360_000_000) - 180_000_000] as const;
      const exact = distanceM(latitude / 1e6, longitude / 1e6, to[0] / 1e6, to[1] / 1e6);
      fc.pre(exact > 10);
      moveBetween(latitude, longitude, ...to, move);
      expect(Math.abs(move.distanceM - exact) / exact).toBeLessThan(1e-4);
      expect(distanceBetweenM(latitude, longitude, ...to)).toBe(move.distanceM);
      // The plane's bearing is that halfway; over 0.3° at 79° the sphere's turns by 0.15°.
      const true100 = Math.round(100 * bearingDeg(latitude / 1e6, longitude / 1e6, to[0] / 1e6, to[1] / 1e6)) % 36_000;
      expect(angleBetweenCentideg(move.bearingCentideg, true100)).toBeLessThan(20);
    }),
  );
});

test('a move of centimetres has no direction', () => {
  const move = { distanceM: 0, bearingCentideg: 0 };
  moveBetween(50e6, 8e6, 50e6 + 1, 8e6, move);
  expect(move.bearingCentideg).toBe(-1);
});

test.each([
  [10, 350, 20],
  [0, 180, 180],
  [90, 80, 10],
])('between %i° and %i° lie %i°', (a, b, expected) => {
  expect(angleBetweenCentideg(100 * a, 100 * b)).toBe(100 * expected);
});
