// Source kind and version of an aircraft.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { SOURCE_ADSR, SOURCE_MLAT, SOURCE_MODE_S } from './accept.ts';
import { B_KIND, B_VERSION_ADSB, NOTHING } from './layout.ts';
import { foldKind, foldVersion, KIND_ADSB_ICAO, KIND_MLAT, KIND_MODE_S, KIND_TISB_ICAO, setKind } from './source.ts';

describe('the kind of an aircraft', () => {
  const kindAfter = (now: number, first: number, then: number): number => {
    const { aircraft } = benchAircraft();
    setKind(aircraft, first);
    hear(aircraft, now).kind = then;
    foldKind(aircraft);
    return aircraft.bytes[aircraft.byte + B_KIND]!;
  };

  test('gives way to a higher one after 45 s and to a lower one after 90 s', () => {
    expect(kindAfter(45_000, KIND_MODE_S, KIND_TISB_ICAO)).toBe(KIND_MODE_S);
    expect(kindAfter(45_001, KIND_MODE_S, KIND_TISB_ICAO)).toBe(KIND_TISB_ICAO);
    expect(kindAfter(90_000, KIND_TISB_ICAO, KIND_MODE_S)).toBe(KIND_TISB_ICAO);
    expect(kindAfter(90_001, KIND_TISB_ICAO, KIND_MODE_S)).toBe(KIND_MODE_S);
  });

  test('of Mode S ranks above MLAT', () => {
    expect(kindAfter(45_001, KIND_MLAT, KIND_MODE_S)).toBe(KIND_MODE_S);
    expect(kindAfter(90_000, KIND_MODE_S, KIND_MLAT)).toBe(KIND_MODE_S);
    expect(kindAfter(90_001, KIND_MODE_S, KIND_MLAT)).toBe(KIND_MLAT);
  });

  test('is Mode S while an ADS-B aircraft sends no position', () => {
    const { aircraft } = benchAircraft();
    aircraft.kind = KIND_ADSB_ICAO;
    foldKind(aircraft);
    expect(aircraft.bytes[aircraft.byte + B_KIND]).toBe(KIND_MODE_S);
  });
});

describe('the version', () => {
  test('is 0 from the first ADS-B message, and gone when the aircraft is no longer ADS-B', () => {
    const { aircraft } = benchAircraft();
    foldVersion(aircraft);
    expect([aircraft.version, aircraft.bytes[aircraft.byte + B_VERSION_ADSB]]).toEqual([0, 0]);
    hear(aircraft, 1000, SOURCE_MLAT);
    setKind(aircraft, KIND_MLAT);
    expect(aircraft.bytes[aircraft.byte + B_VERSION_ADSB]).toBe(NOTHING);
  });

  test('of ADS-R is not that of ADS-B', () => {
    const { aircraft } = benchAircraft();
    foldVersion(hear(aircraft, 0, SOURCE_ADSR));
    expect(aircraft.bytes[aircraft.byte + B_VERSION_ADSB]).toBe(NOTHING);
    foldVersion(hear(aircraft, 0, SOURCE_MODE_S));
    expect(aircraft.version).toBe(-1);
  });
});
