// Wind and temperature against values that readsb published for the same inputs.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { Velocity } from '../decode/message.ts';
import { angleBetweenCentideg } from '../geo/distance.ts';
import { fieldTime, fieldValue, put, SOURCE_ADSB, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldMagneticHeading } from './heading.ts';
import {
  B_EVEN_TYPE,
  CPR_AIRBORNE,
  CPR_COARSE,
  F_AIR_GROUND,
  F_ALTITUDE_BARO,
  F_GROUND_SPEED,
  F_MACH,
  F_POSITION,
  F_TAS,
  F_TRACK,
  F_TRUE_HEADING,
  GROUND,
  X_LONGITUDE,
  X_WIND_SPEED,
} from './layout.ts';
import { stateOf } from './state-writer.ts';
import { foldMach, foldTas, foldVelocity } from './velocity.ts';
import { foldTemperature, foldWind, isTemperatureValid, isWindValid, temperatureOf, windOf } from './wind.ts';

test.each([
  [446.5, 309.0, 484, 308.02, 296.5, 38.3],
  [446.8, 306.69, 482, 305.89, 295.9, 35.8],
])('wind of gs %d, track %d, tas %d, heading %d', (gs, track, tas, heading, directionDeg, speedKt) => {
  const wind = { directionDeg: 0, speedKt: 0 };
  windOf(10 * gs, Math.round(100 * track), tas, Math.round(100 * heading), wind);
  expect(wind.directionDeg).toBeCloseTo(directionDeg, 1);
  expect(wind.speedKt).toBeCloseTo(speedKt, 1);
});

test.each([
  [484, 0.796, -29.7, 1.2],
  [482, 0.784, -24.2, 6.4],
  [458, 0.776, -43.7, -16.1],
])('temperature of tas %d, mach %d', (tas, mach, oat, tat) => {
  const temperature = { oatC: 0, tatC: 0 };
  temperatureOf(tas, Math.round(1000 * mach), temperature);
  expect(temperature.oatC).toBeCloseTo(oat, 1);
  expect(temperature.tatC).toBeCloseTo(tat, 1);
});

const cruise = [
  [F_POSITION, 1],
  [F_ALTITUDE_BARO, 37_000],
  [F_GROUND_SPEED, 4465],
  [F_TRACK, 30_900],
  [F_TAS, 484],
  [F_MACH, 796],
  [F_TRUE_HEADING, 30_802],
] as const;

function flying() {
  const { aircraft } = benchAircraft();
  for (const [field, value] of cruise) put(aircraft, field, value);
  return aircraft;
}

describe('the wind', () => {
  test('is not computed from speed and track of coarse TIS-B, which are 16 kt and 6 degrees off', () => {
    const { aircraft } = benchAircraft();
    for (const [field, value] of cruise)
      put(hear(aircraft, 0, field === F_GROUND_SPEED || field === F_TRACK ? SOURCE_TISB : SOURCE_ADSB), field, value);
    aircraft.bytes[aircraft.byte + B_EVEN_TYPE] = CPR_COARSE;
    foldWind(aircraft);
    expect(isWindValid(aircraft)).toBe(false);
    aircraft.bytes[aircraft.byte + B_EVEN_TYPE] = CPR_AIRBORNE;
    foldWind(aircraft);
    expect(isWindValid(aircraft)).toBe(true);
  });

  test.each([
    ['true airspeed', F_TAS, 2500],
    ['ground speed', F_GROUND_SPEED, 2500],
    ['track', F_TRACK, 1250],
    ['true heading', F_TRUE_HEADING, 1250],
  ])('needs a %s of about the same time', (_name, old, ageMs) => {
    for (const [at, computed] of [
      [ageMs, true],
      [ageMs + 1, false],
    ] as const) {
      const aircraft = hear(flying(), at);
      for (const field of [F_TAS, F_GROUND_SPEED, F_TRACK, F_TRUE_HEADING])
        if (field !== old) put(aircraft, field, fieldValue(aircraft, field));
      foldWind(aircraft);
      expect(isWindValid(aircraft)).toBe(computed);
    }
  });

  test('needs a valid position', () => {
    const { aircraft } = benchAircraft();
    for (const [field, value] of cruise.slice(1)) put(aircraft, field, value);
    foldWind(aircraft);
    expect(isWindValid(aircraft)).toBe(false);
    const lost = hear(flying(), 60_001);
    for (const [field, value] of cruise.slice(1)) put(lost, field, value);
    foldWind(lost);
    expect(isWindValid(lost)).toBe(false);
  });

  test('of more than 250 kt is refused, and leaves the last one', () => {
    const aircraft = flying();
    put(aircraft, F_TAS, 697);
    foldWind(aircraft);
    expect(isWindValid(aircraft)).toBe(false);
    put(aircraft, F_TAS, 696);
    foldWind(aircraft);
    expect(aircraft.words[aircraft.at + X_WIND_SPEED]).toBe(250);
    put(hear(aircraft, 1000), F_TAS, 800);
    put(aircraft, F_TRACK, 30_900);
    put(aircraft, F_TRUE_HEADING, 30_802);
    foldWind(aircraft);
    expect(aircraft.words[aircraft.at + X_WIND_SPEED]).toBe(250);
  });

  test('stays for 60 s', () => {
    const aircraft = flying();
    foldWind(aircraft);
    expect(isWindValid(hear(aircraft, 60_000))).toBe(true);
    expect(isWindValid(hear(aircraft, 60_001))).toBe(false);
  });

  test('is absent on the ground, and 500 ft away from where it was computed', () => {
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

describe('the temperature', () => {
  const computed = (aircraft: Aircraft): boolean => {
    foldTemperature(aircraft);
    return isTemperatureValid(aircraft);
  };

  test('comes from Mach 0.395 on', () => {
    for (const [mach, expected] of [
      [394, false],
      [395, true],
    ] as const) {
      const aircraft = flying();
      put(aircraft, F_MACH, mach);
      expect(computed(aircraft)).toBe(expected);
    }
  });

  test.each([
    ['true airspeed', F_TAS, F_MACH],
    ['Mach number', F_MACH, F_TAS],
  ])('needs a %s of about the same time', (_name, old, fresh) => {
    for (const [at, expected] of [
      [2500, true],
      [2501, false],
    ] as const) {
      const aircraft = hear(flying(), at);
      expect(fieldTime(aircraft, old)).toBe(0);
      put(aircraft, fresh, fieldValue(aircraft, fresh));
      expect(computed(aircraft)).toBe(expected);
    }
  });

  test('is present at any altitude but not on the ground, and needs no position', () => {
    const { aircraft } = benchAircraft();
    put(aircraft, F_TAS, 484);
    put(aircraft, F_MACH, 796);
    expect(computed(aircraft)).toBe(true);
    const grounded = flying();
    put(grounded, F_AIR_GROUND, GROUND);
    expect(computed(grounded)).toBe(false);
  });
});

/** What an aircraft in a wind reports each second in TC 19, in BDS 5,0 and in BDS 6,0, in their order of fields. */
function flyThrough(aircraft: Aircraft, headingDeg: number, tasKt: number, mach: number, from: number, windKt: number): void {
  const rad = Math.PI / 180;
  const east = tasKt * Math.sin(headingDeg * rad) - windKt * Math.sin(from * rad);
  const north = tasKt * Math.cos(headingDeg * rad) - windKt * Math.cos(from * rad);
  const trackCentideg = (Math.round((Math.atan2(east, north) / rad) * 100) + 36_000) % 36_000;
  const groundSpeedDeciKt = Math.round(Math.hypot(east, north) * 10);
  const overGround = Object.assign(new Velocity(), { trackCentideg, groundSpeedDeciKt });
  foldVelocity(aircraft, overGround);
  foldVelocity(hear(aircraft, aircraft.now + 300), overGround);
  foldTas(aircraft, tasKt);
  // The declination at the position of the test is −12.60° on the ground, and 0.03° less at FL 370.
  foldMagneticHeading(hear(aircraft, aircraft.now + 300), (Math.round((headingDeg + 12.6) * 100) + 36_000) % 36_000);
  foldMach(aircraft, Math.round(mach * 1000));
}

test.each([
  [90, 480, 270, 60],
  [90, 480, 0, 60],
  [355, 450, 100, 35],
  [5, 450, 200, 110],
  [180, 300, 180, 20],
  [233, 410, 91, 5],
])('a flight with heading %i° at %i kt: the wind from %i° with %i kt, and the temperature', (headingDeg, tasKt, from, windKt) => {
  const { aircraft } = benchAircraft();
  aircraft.timeBaseMs = 1_753_827_789_000;
  for (let second = 0; second < 3; second += 1) {
    hear(aircraft, 1000 * second);
    put(aircraft, F_POSITION, 40_640_000);
    aircraft.words[aircraft.at + X_LONGITUDE] = -73_780_000;
    put(aircraft, F_ALTITUDE_BARO, 37_000);
    flyThrough(aircraft, headingDeg, tasKt, tasKt / 573.6, from, windKt);
  }
  const state = stateOf(aircraft, 3000, aircraft.timeBaseMs);
  expect(Math.abs(state.trueHeadingCentideg! - 100 * headingDeg)).toBeLessThanOrEqual(5);
  expect(Math.abs(state.windSpeedKt! - windKt)).toBeLessThanOrEqual(1);
  expect(angleBetweenCentideg(100 * state.windDirectionDeg!, 100 * from)).toBeLessThanOrEqual(windKt < 10 ? 200 : 100);
  // Mach 1 is 573.6 kt in the air of −56.5 °C above 36,089 ft.
  expect(Math.abs(state.oatC! + 56.5)).toBeLessThanOrEqual(1);
});
