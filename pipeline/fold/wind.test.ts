// Wind and temperature against values that readsb published for the same inputs.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { put, SOURCE_ADSB, SOURCE_TISB } from './accept.ts';
import {
  B_EVEN_TYPE,
  CPR_AIRBORNE,
  CPR_COARSE,
  F_ALTITUDE_BARO,
  F_GROUND_SPEED,
  F_MACH,
  F_POSITION,
  F_TAS,
  F_TRACK,
  F_TRUE_HEADING,
  X_WIND_SPEED,
} from './layout.ts';
import { foldWind, isWindValid } from './wind.ts';

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
});
