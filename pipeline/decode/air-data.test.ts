// Pressures and speeds against the formulas computed with Math, and published values of the standard atmosphere.
import { expect, test } from 'vitest';
import { impactOfIas, impactOfMach, PRESSURE_ONE, pressureOfAltitude } from './air-data.ts';

/** ICAO Doc 7488: pressure, hPa, at these feet. */
test.each([
  [0, 1013.25],
  [10_000, 696.8],
  [18_000, 506.0],
  [30_000, 300.9],
  [36_100, 226.2],
  [45_000, 147.5],
  [60_000, 71.7],
])('%i ft: %d hPa', (altitudeFt, hpa) => {
  const found = (pressureOfAltitude(altitudeFt) / PRESSURE_ONE) * 1013.25;
  expect(Math.abs(found / hpa - 1)).toBeLessThan(0.001);
});

test('altitudes outside the table are clamped to its ends', () => {
  expect(pressureOfAltitude(-5000)).toBe(pressureOfAltitude(-2000));
  expect(pressureOfAltitude(90_000)).toBe(pressureOfAltitude(62_000));
});

test('impact pressures', () => {
  const impact = (mach: number): number => (1 + 0.2 * mach ** 2) ** 3.5 - 1;
  for (const kt of [60, 140, 250, 340, 600]) expect(impactOfIas(kt) / 1e6).toBeCloseTo(impact(kt / 661.47), 5);
  for (const code of [40, 100, 195, 215]) expect(impactOfMach(code) / 1e6).toBeCloseTo(impact(code * 0.004), 5);
});

test('Mach 0.8 at 35,000 ft is 272 kt indicated', () => {
  const pressure = (PRESSURE_ONE * impactOfIas(272)) / impactOfMach(200);
  expect(Math.abs(pressure / pressureOfAltitude(35_000) - 1)).toBeLessThan(0.01);
});
