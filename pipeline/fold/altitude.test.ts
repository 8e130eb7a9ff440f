// Barometric altitude: which values are reliable; the geometric altitude derived from it.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { fieldSource, fieldTime, fieldValue, isValid, put, SOURCE_ADSB, SOURCE_MODE_S, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldAltitudeBaro, foldAltitudeGeom, isAltitudeReliable } from './altitude.ts';
import { F_ALTITUDE_BARO, F_ALTITUDE_GEOM, F_BARO_RATE, F_GEOM_DELTA } from './layout.ts';

const shown = (aircraft: Aircraft) => (isAltitudeReliable(aircraft) ? fieldValue(aircraft, F_ALTITUDE_BARO) : null);

describe('the barometric altitude', () => {
  test('of an extended squitter is shown at once', () => {
    const { aircraft } = benchAircraft();
    foldAltitudeBaro(aircraft, 35_000, true);
    expect(shown(aircraft)).toBe(35_000);
  });

  test('of replies is shown when enough of them agree', () => {
    const { aircraft } = benchAircraft();
    const seen: (number | null)[] = [];
    for (let i = 0; i < 6; i += 1) {
      foldAltitudeBaro(hear(aircraft, 1000 * i, SOURCE_MODE_S), 12_000, false);
      seen.push(shown(aircraft));
    }
    expect(seen).toEqual([null, null, null, 12_000, 12_000, 12_000]);
  });

  test('does not jump because of one reply that has the address by chance', () => {
    const { aircraft } = benchAircraft();
    for (let i = 0; i < 25; i += 1) foldAltitudeBaro(hear(aircraft, 1000 * i, SOURCE_MODE_S), 12_000, false);
    foldAltitudeBaro(hear(aircraft, 25_000, SOURCE_MODE_S), 41_000, false);
    expect(shown(aircraft)).toBe(12_000);
  });

  test('follows a real jump after a while', () => {
    const { aircraft } = benchAircraft();
    for (let i = 0; i < 8; i += 1) foldAltitudeBaro(hear(aircraft, 1000 * i, SOURCE_MODE_S), 12_000, false);
    for (let i = 8; i < 30; i += 1) foldAltitudeBaro(hear(aircraft, 1000 * i, SOURCE_MODE_S), 41_000, false);
    expect(shown(aircraft)).toBe(41_000);
  });

  test('climbs as fast as the aircraft reports', () => {
    const { aircraft } = benchAircraft();
    for (let i = 0; i < 8; i += 1) foldAltitudeBaro(hear(aircraft, 1000 * i, SOURCE_MODE_S), 12_000, false);
    put(aircraft, F_BARO_RATE, 6000);
    foldAltitudeBaro(hear(aircraft, 12_000, SOURCE_MODE_S), 12_500, false);
    expect(shown(aircraft)).toBe(12_500);
  });

  test('of a lower source counts only after 10 s', () => {
    const { aircraft } = benchAircraft();
    foldAltitudeBaro(hear(aircraft, 0, SOURCE_ADSB), 35_000, true);
    foldAltitudeBaro(hear(aircraft, 9000, SOURCE_MODE_S), 35_100, false);
    expect(shown(aircraft)).toBe(35_000);
  });
});

describe('the geometric altitude', () => {
  test('is the barometric one plus the last reported difference, with the lower source and the later time', () => {
    const { aircraft } = benchAircraft();
    foldAltitudeBaro(hear(aircraft, 0, SOURCE_ADSB), 35_000, true);
    put(hear(aircraft, 400, SOURCE_TISB), F_GEOM_DELTA, 850);
    foldAltitudeGeom(aircraft, false);
    expect(fieldValue(aircraft, F_ALTITUDE_GEOM)).toBe(35_850);
    expect(fieldSource(aircraft, F_ALTITUDE_GEOM)).toBe(SOURCE_TISB);
    expect(fieldTime(aircraft, F_ALTITUDE_GEOM)).toBe(400);
  });

  test('is not derived from an unreliable altitude', () => {
    const { aircraft } = benchAircraft();
    foldAltitudeBaro(hear(aircraft, 0, SOURCE_MODE_S), 35_000, false);
    put(hear(aircraft, 100, SOURCE_ADSB), F_GEOM_DELTA, 850);
    foldAltitudeGeom(aircraft, false);
    expect(isValid(aircraft, F_ALTITUDE_GEOM)).toBe(false);
  });

  test('that was measured gives the difference, so that both agree', () => {
    const { aircraft } = benchAircraft();
    foldAltitudeBaro(aircraft, 35_000, true);
    const came = put(hear(aircraft, 500), F_ALTITUDE_GEOM, 35_700);
    foldAltitudeGeom(aircraft, came);
    expect(fieldValue(aircraft, F_GEOM_DELTA)).toBe(700);
    foldAltitudeBaro(hear(aircraft, 1000), 35_100, true);
    foldAltitudeGeom(aircraft, false);
    expect(fieldValue(aircraft, F_ALTITUDE_GEOM)).toBe(35_800);
  });

  test('follows a higher source, not a newer one of a lower source, until the measured one is stale', () => {
    const { aircraft } = benchAircraft();
    foldAltitudeBaro(aircraft, 35_000, true);
    const came = put(hear(aircraft, 100), F_ALTITUDE_GEOM, 35_700);
    foldAltitudeGeom(aircraft, came);
    put(hear(aircraft, 200), F_GEOM_DELTA, 750);
    foldAltitudeGeom(aircraft, false);
    expect(fieldValue(aircraft, F_ALTITUDE_GEOM)).toBe(35_700);
    foldAltitudeBaro(hear(aircraft, 11_000, SOURCE_MODE_S), 35_200, false);
    foldAltitudeGeom(aircraft, false);
    expect(fieldValue(aircraft, F_ALTITUDE_GEOM)).toBe(35_700);
    foldAltitudeBaro(hear(aircraft, 16_000, SOURCE_MODE_S), 35_300, false);
    foldAltitudeGeom(aircraft, false);
    expect([fieldValue(aircraft, F_ALTITUDE_GEOM), fieldSource(aircraft, F_ALTITUDE_GEOM)]).toEqual([36_050, SOURCE_MODE_S]);
  });

  test('needs a difference not older than 60 s', () => {
    const { aircraft } = benchAircraft();
    put(aircraft, F_GEOM_DELTA, 850);
    foldAltitudeBaro(hear(aircraft, 60_001), 30_000, true);
    foldAltitudeGeom(aircraft, false);
    expect(isValid(aircraft, F_ALTITUDE_GEOM)).toBe(false);
  });
});
