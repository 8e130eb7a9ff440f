// Wind and temperature against values that readsb published for the same inputs.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { put } from './accept.ts';
import {
  F_AIR_GROUND,
  F_ALTITUDE_BARO,
  F_GROUND_SPEED,
  F_MACH,
  F_POSITION,
  F_TAS,
  F_TRACK,
  F_TRUE_HEADING,
  GROUND,
  X_OAT,
  X_TAT,
  X_WIND_DIRECTION,
  X_WIND_SPEED,
} from './layout.ts';
import { foldTemperature, foldWind, isTemperatureValid, isWindValid, outsideAirC, totalAirC, windOf } from './wind.ts';

test.each([
  [446.5, 309.0, 484, 308.02, 296.5, 38.3],
  [446.8, 306.69, 482, 305.89, 295.9, 35.8],
])('wind of gs %d, track %d, tas %d, heading %d', (gs, track, tas, heading, directionDeg, speedKt) => {
  const wind = { directionDeg: 0, speedKt: 0 };
  windOf(gs, track, tas, heading, wind);
  expect(wind.directionDeg).toBeCloseTo(directionDeg, 1);
  expect(wind.speedKt).toBeCloseTo(speedKt, 1);
});

test.each([
  [484, 0.796, -29.7, 1.2],
  [482, 0.784, -24.2, 6.4],
  [458, 0.776, -43.7, -16.1],
])('temperature of tas %d, mach %d', (tas, mach, oat, tat) => {
  expect(outsideAirC(tas, mach)).toBeCloseTo(oat, 1);
  expect(totalAirC(outsideAirC(tas, mach), mach)).toBeCloseTo(tat, 1);
});

function flying() {
  const { aircraft } = benchAircraft();
  for (const [field, value] of [
    [F_POSITION, 1],
    [F_ALTITUDE_BARO, 37_000],
    [F_GROUND_SPEED, 4465],
    [F_TRACK, 30_900],
    [F_TAS, 484],
    [F_MACH, 796],
    [F_TRUE_HEADING, 30_802],
  ] as const)
    put(aircraft, field, value);
  return aircraft;
}

describe('the wind', () => {
  test('is kept in whole degrees and knots', () => {
    const aircraft = flying();
    foldWind(aircraft);
    expect([aircraft.words[aircraft.at + X_WIND_DIRECTION], aircraft.words[aircraft.at + X_WIND_SPEED]]).toEqual([297, 38]);
    expect(isWindValid(aircraft)).toBe(true);
  });

  test('needs inputs of one moment', () => {
    const aircraft = hear(flying(), 1300);
    foldWind(aircraft);
    expect(isWindValid(aircraft)).toBe(false);
  });

  test('is not told on the ground, nor 500 ft away from where it was computed', () => {
    const grounded = flying();
    put(grounded, F_AIR_GROUND, GROUND);
    foldWind(grounded);
    expect(isWindValid(grounded)).toBe(false);
    const climbing = flying();
    foldWind(climbing);
    put(hear(climbing, 10_000), F_ALTITUDE_BARO, 37_500);
    expect(isWindValid(climbing)).toBe(false);
  });
});

test('temperature is kept in whole degrees, and only from Mach 0.395 on', () => {
  const aircraft = flying();
  foldTemperature(aircraft);
  expect([aircraft.words[aircraft.at + X_OAT], aircraft.words[aircraft.at + X_TAT]]).toEqual([-30, 1]);
  const slow = flying();
  put(slow, F_MACH, 394);
  foldTemperature(slow);
  expect(isTemperatureValid(slow)).toBe(false);
});
