// CPR over the whole sphere: the decoder restores the encoded position, globally from a pair and locally near it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, cprLocalSurface, NL } from '../../decode/cpr.ts';
import { encodeCpr, longitudeZones } from './cpr.ts';

const FIELD = 2 ** 17;
const even = { lat: 0, lon: 0 };
const odd = { lat: 0, lon: 0 };
const found: CprResult = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };
const latDeg = fc.double({ min: -89.99, max: 89.99, noNaN: true });
const lonDeg = fc.double({ min: -180, max: 180, noNaN: true, maxExcluded: true });

function encode(lat: number, lon: number, surface: boolean): void {
  encodeCpr(lat, lon, false, surface, even);
  encodeCpr(lat, lon, true, surface, odd);
}

/** Half a bin, and half a microdegree of rounding. */
function expectNear(lat: number, lon: number, isOdd: boolean, spanDeg: number): void {
  const zones = 60 - (isOdd ? 1 : 0);
  const lonZones = Math.max(1, NL(found.latitudeMicrodeg / 1e6) - (isOdd ? 1 : 0));
  expect(Math.abs(found.latitudeMicrodeg / 1e6 - lat)).toBeLessThanOrEqual(spanDeg / zones / FIELD / 2 + 6e-7);
  const turn = Math.abs(found.longitudeMicrodeg / 1e6 - lon);
  expect(Math.min(turn, 360 - turn)).toBeLessThanOrEqual(spanDeg / lonZones / FIELD / 2 + 6e-7);
}

describe('CPR', () => {
  test('zone counts agree with the decoder, also next to the transition latitudes', () => {
    fc.assert(fc.property(latDeg, (lat) => longitudeZones(lat) === NL(lat)));
    for (const lat of [0, 10.47, 10.48, 86.5, 87, 87.0001, 89, 90, -87, -10.47047129]) expect(longitudeZones(lat)).toBe(NL(lat));
  });

  test('airborne, from one frame near the position', () => {
    fc.assert(
      fc.property(latDeg, lonDeg, fc.boolean(), (lat, lon, isOdd) => {
        encode(lat, lon, false);
        const code = isOdd ? odd : even;
        expect(cprLocalAirborne(code.lat, code.lon, isOdd, lat * 1e6, lon * 1e6, found)).toBe(true);
        expectNear(lat, lon, isOdd, 360);
      }),
      { numRuns: 2000 },
    );
  });

  test('airborne, from a pair', () => {
    let pairs = 0;
    fc.assert(
      fc.property(latDeg, lonDeg, fc.boolean(), (lat, lon, isOdd) => {
        encode(lat, lon, false);
        // Near a transition latitude even and odd round to different zone counts: such a pair cannot be decoded.
        if (!cprGlobalAirborne(even.lat, even.lon, odd.lat, odd.lon, isOdd, found)) return;
        pairs += 1;
        expectNear(lat, lon, isOdd, 360);
      }),
      { numRuns: 2000 },
    );
    expect(pairs).toBeGreaterThan(1980);
  });

  test('surface, from one frame and from a pair with a reference 20 nm away', () => {
    const nearLatDeg = fc.double({ min: -85, max: 85, noNaN: true });
    fc.assert(
      fc.property(nearLatDeg, lonDeg, fc.boolean(), (lat, lon, isOdd) => {
        encode(lat, lon, true);
        const code = isOdd ? odd : even;
        expect(cprLocalSurface(code.lat, code.lon, isOdd, (lat + 0.3) * 1e6, lon * 1e6, found)).toBe(true);
        expectNear(lat, lon, isOdd, 90);
        if (!cprGlobalSurface(even.lat, even.lon, odd.lat, odd.lon, isOdd, (lat - 0.3) * 1e6, lon * 1e6, found)) return;
        expectNear(lat, lon, isOdd, 90);
      }),
      { numRuns: 2000 },
    );
  });
});
