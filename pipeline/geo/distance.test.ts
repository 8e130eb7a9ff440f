// Distances and bearings against the formulas on Math, near and far; where the plane ends and the sphere begins.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { angleBetweenCentideg, distanceBetweenM, moveBetween } from './distance.ts';
import { EARTH_RADIUS_M } from './earth.ts';

const RAD = Math.PI / 180e6;
const HALF_EQUATOR_M = Math.PI * EARTH_RADIUS_M;
const latitude = fc.integer({ min: -90_000_000, max: 90_000_000 });
const longitude = fc.integer({ min: -180_000_000, max: 179_999_999 });
const near = fc.record({
  latitude: fc.integer({ min: -79_000_000, max: 79_000_000 }),
  longitude,
  north: fc.integer({ min: -299_000, max: 299_000 }),
  east: fc.integer({ min: -299_000, max: 299_000 }),
});

function exactDistanceM(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const a =
    Math.sin(((lat2 - lat1) * RAD) / 2) ** 2 + Math.cos(lat1 * RAD) * Math.cos(lat2 * RAD) * Math.sin(((lon2 - lon1) * RAD) / 2) ** 2;
  return 2 * EARTH_RADIUS_M * Math.atan2(Math.sqrt(a), Math.sqrt(Math.max(0, 1 - a)));
}

function exactBearingCentideg(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const y = Math.sin((lon2 - lon1) * RAD) * Math.cos(lat2 * RAD);
  const x = Math.cos(lat1 * RAD) * Math.sin(lat2 * RAD) - Math.sin(lat1 * RAD) * Math.cos(lat2 * RAD) * Math.cos((lon2 - lon1) * RAD);
  return (Math.atan2(y, x) / RAD / 1e4 + 36_000) % 36_000;
}

describe('near points', () => {
  test('on the plane are as on the sphere', () => {
    const move = { distanceM: 0, bearingCentideg: 0 };
    fc.assert(
      fc.property(near, (from) => {
        const to = [from.latitude + from.north, ((from.longitude + from.east + 540_000_000) % 360_000_000) - 180_000_000] as const;
        const exact = exactDistanceM(from.latitude, from.longitude, ...to);
        fc.pre(exact > 10);
        moveBetween(from.latitude, from.longitude, ...to, move);
        expect(Math.abs(move.distanceM - exact) / exact).toBeLessThan(1e-4);
        expect(distanceBetweenM(from.latitude, from.longitude, ...to)).toBe(Math.round(move.distanceM));
        // The plane's bearing is that halfway; over 0.3° at 79° the sphere's turns by 0.15°.
        expect(angleBetweenCentideg(move.bearingCentideg, exactBearingCentideg(from.latitude, from.longitude, ...to))).toBeLessThan(20);
      }),
    );
  });

  test('centimetres apart have no direction', () => {
    const move = { distanceM: 0, bearingCentideg: 0 };
    moveBetween(50e6, 8e6, 50e6 + 1, 8e6, move);
    expect(move.bearingCentideg).toBe(-1);
  });
});

describe('far points', () => {
  test('lie as far apart, and in that direction, as on Math', () => {
    const move = { distanceM: 0, bearingCentideg: 0 };
    fc.assert(
      fc.property(latitude, longitude, latitude, longitude, (lat1, lon1, lat2, lon2) => {
        const exact = exactDistanceM(lat1, lon1, lat2, lon2);
        fc.pre(exact > 150_000);
        moveBetween(lat1, lon1, lat2, lon2, move);
        // Towards the antipode the haversine form loses half its digits.
        const boundM = exact < 0.98 * HALF_EQUATOR_M ? 3 : exact < 0.999 * HALF_EQUATOR_M ? 50 : 1000;
        expect(Math.abs(move.distanceM - exact)).toBeLessThan(boundM);
        expect(distanceBetweenM(lat1, lon1, lat2, lon2)).toBe(move.distanceM);
        if (exact < 0.99 * HALF_EQUATOR_M) {
          const exactBearing = exactBearingCentideg(lat1, lon1, lat2, lon2);
          expect(angleBetweenCentideg(move.bearingCentideg, exactBearing)).toBeLessThan(Math.abs(lat1) > 89_000_000 ? 10 : 0.6);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  [10, 350, 20],
  [0, 180, 180],
  [90, 80, 10],
])('between %i° and %i° lie %i°', (a, b, expected) => {
  expect(angleBetweenCentideg(100 * a, 100 * b)).toBe(100 * expected);
});
