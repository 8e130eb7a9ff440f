// CPR against an exact BigInt reading of DO-260B §A.1.7 over random fields, and encode → decode over the whole sphere.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, cprLocalSurface, NL } from './cpr.ts';

const runs = { numRuns: 5000 };
const field = fc.oneof(fc.integer({ min: 0, max: 131_071 }), fc.constantFrom(0, 1, 65_535, 65_536, 131_071));
const latMicro = fc.oneof(
  fc.integer({ min: -90_000_000, max: 90_000_000 }),
  fc.constantFrom(-90_000_000, -87_000_000, -45_000_000, 0, 45_000_000, 87_000_000, 90_000_000),
);
const lonMicro = fc.oneof(
  fc.integer({ min: -180_000_000, max: 179_999_999 }),
  fc.constantFrom(-180_000_000, -135_000_000, 0, 135_000_000, 179_999_999),
);

function fresh(): CprResult {
  return { latitudeMicrodeg: 1, longitudeMicrodeg: 2 };
}

// --- the reference -----------------------------------------------------------------------------------------------------------------

/** §A.1.7.2 d. */
function transitionLatitude(zones: number): number {
  return (Math.acos(Math.sqrt((1 - Math.cos(Math.PI / 30)) / (1 - Math.cos((2 * Math.PI) / zones)))) * 180) / Math.PI;
}

function referenceNL(latitude: number): number {
  const absolute = Math.abs(latitude);
  if (absolute > 87) return 1;
  if (absolute === 87) return 2;
  let zones = 59;
  while (zones > 2 && absolute >= transitionLatitude(zones)) zones -= 1;
  return zones;
}

const F = 131_072n;
const floorDivide = (a: bigint, b: bigint) => (a >= 0n ? a / b : -((-a + b - 1n) / b));
const modulo = (a: bigint, b: bigint) => ((a % b) + b) % b;
/** Nearest whole number to a / b, half upwards. */
const round = (a: bigint, b: bigint) => floorDivide(2n * a + b, 2n * b);

type Pair = [evenLat: number, evenLon: number, oddLat: number, oddLon: number];

/** Longitude numerators over count * 2^17, and the count. */
function referenceLongitude([, evenLon, , oddLon]: Pair, odd: boolean, zones: bigint, span: bigint): [bigint, bigint] {
  const m = floorDivide(2n * (BigInt(evenLon) * (zones - 1n) - BigInt(oddLon) * zones) + F, 2n * F);
  const own = zones - (odd ? 1n : 0n);
  const count = own > 1n ? own : 1n;
  return [span * (modulo(m, count) * F + BigInt(odd ? oddLon : evenLon)), count * F];
}

function referenceGlobalAirborne(pair: Pair, odd: boolean): [number, number] | undefined {
  const span = 360_000_000n;
  const j = floorDivide(2n * (59n * BigInt(pair[0]) - 60n * BigInt(pair[2])) + F, 2n * F);
  const [even, other] = (
    [
      [60n, pair[0]],
      [59n, pair[2]],
    ] as const
  ).map(([zones, lat]): [bigint, bigint] => {
    const top = span * (modulo(j, zones) * F + BigInt(lat));
    const bottom = zones * F;
    return [top >= 270_000_000n * bottom ? top - span * bottom : top, bottom];
  }) as [[bigint, bigint], [bigint, bigint]];
  for (const [top, bottom] of [even, other]) if (top > 90_000_000n * bottom || top < -90_000_000n * bottom) return undefined;
  const zones = referenceNL(Number(even[0]) / Number(even[1]) / 1e6);
  if (zones !== referenceNL(Number(other[0]) / Number(other[1]) / 1e6)) return undefined;
  const latitude = Number(round(...(odd ? other : even)));
  const longitude = Number(round(...referenceLongitude(pair, odd, BigInt(zones), span)));
  return [latitude, longitude >= 180_000_000 ? longitude - 360_000_000 : longitude];
}

function referenceLocal(
  lat: number,
  lon: number,
  odd: boolean,
  refLat: number,
  refLon: number,
  span: bigint,
): [number, number] | undefined {
  const coordinate = (value: number, zones: bigint, reference: number): [bigint, bigint] => {
    const width = span * F; // a zone is width / (zones * F) microdegrees
    const offset = modulo(BigInt(reference) * zones * F, width);
    const zone =
      floorDivide(BigInt(reference) * zones * F, width) + floorDivide(width + 2n * offset - 2n * BigInt(value) * span, 2n * width);
    return [span * (zone * F + BigInt(value)), zones * F];
  };
  const [top, bottom] = coordinate(lat, odd ? 59n : 60n, refLat);
  if (top > 90_000_000n * bottom || top < -90_000_000n * bottom) return undefined;
  const zones = BigInt(referenceNL(Number(top) / Number(bottom) / 1e6) - (odd ? 1 : 0));
  const longitude = Number(round(...coordinate(lon, zones > 1n ? zones : 1n, refLon)));
  return [Number(round(top, bottom)), ((((longitude + 180_000_000) % 360_000_000) + 360_000_000) % 360_000_000) - 180_000_000];
}

/** §A.1.7.3, §A.1.7.4: the two fields of a place in microdegrees, exact but for NL. */
function encode(latitude: number, longitude: number, odd: boolean, span: bigint): [number, number] {
  const zonesLat = odd ? 59n : 60n;
  const width = span * 2n;
  const lat = floorDivide(2n * modulo(BigInt(latitude) * zonesLat, span) * F + span, width);
  const top = span * (floorDivide(BigInt(latitude) * zonesLat, span) * F + lat);
  const zones = referenceNL(Number(top) / Number(zonesLat * F) / 1e6) - (odd ? 1 : 0);
  const lon = floorDivide(2n * modulo(BigInt(longitude) * BigInt(Math.max(zones, 1)), span) * F + span, width);
  return [Number(modulo(lat, F)), Number(modulo(lon, F))];
}

function encodePair(latitude: number, longitude: number, span: bigint): Pair {
  return [...encode(latitude, longitude, false, span), ...encode(latitude, longitude, true, span)];
}

// --- the tests ---------------------------------------------------------------------------------------------------------------------

describe('NL', () => {
  test('changes at the latitudes of the formula, to 1e-8', () => {
    for (let zones = 59; zones >= 3; zones -= 1) {
      const latitude = transitionLatitude(zones);
      for (const sign of [1, -1]) {
        expect(NL(sign * (latitude - 1e-8))).toBe(zones);
        expect(NL(sign * (latitude + 1e-8))).toBe(zones - 1);
      }
    }
  });

  test('equator 59, 87° 2, beyond 1', () => {
    expect([NL(0), NL(87), NL(-87), NL(87.000001), NL(90), NL(-90), NL(Number.NaN)]).toEqual([59, 2, 2, 1, 1, 1, 1]);
  });

  test('agrees with the formula at every latitude that an even or odd frame can say', () => {
    for (const zones of [60, 59]) {
      for (let step = 0; step <= (zones / 4) * 131_072; step += 97) {
        const latitude = (360 * step) / (zones * 131_072);
        if (NL(latitude) !== referenceNL(latitude)) expect([latitude, NL(latitude)]).toEqual([latitude, referenceNL(latitude)]);
      }
    }
  });
});

describe('global airborne', () => {
  test('equals the exact reference on any four fields', () => {
    let resolved = 0;
    fc.assert(
      fc.property(field, field, field, field, fc.boolean(), (...[a, b, c, d, odd]) => {
        const out = fresh();
        const expected = referenceGlobalAirborne([a, b, c, d], odd);
        expect(cprGlobalAirborne(a, b, c, d, odd, out)).toBe(expected !== undefined);
        expect([out.latitudeMicrodeg, out.longitudeMicrodeg]).toEqual(expected ?? [1, 2]);
        if (expected) resolved += 1;
      }),
      runs,
    );
    expect(resolved).toBeGreaterThan(100);
  });

  test('finds every place on earth again, within half a step', () => {
    fc.assert(
      fc.property(latMicro, lonMicro, fc.boolean(), (latitude, longitude, odd) => {
        const out = fresh();
        const found = cprGlobalAirborne(...encodePair(latitude, longitude, 360_000_000n), odd, out);
        // Between the even and the odd rounding of one latitude NL may change: then, and only then, there is no answer.
        if (!found) expect(NL(latitude / 1e6 - 5e-5)).not.toBe(NL(latitude / 1e6 + 5e-5));
        else expectNear(out, latitude, longitude, odd, 360);
      }),
      runs,
    );
  });

  test('frames from different longitude zones give nothing', () => {
    const [evenLat, evenLon] = encode(10_450_000, 20_000_000, false, 360_000_000n);
    const [oddLat, oddLon] = encode(10_490_000, 20_000_000, true, 360_000_000n);
    const out = fresh();
    expect(cprGlobalAirborne(evenLat, evenLon, oddLat, oddLon, true, out)).toBe(false);
    expect(out).toEqual(fresh());
  });

  test('a pair from the air over Amsterdam, 2008 (8d40621d58c382d690c8ac2863a7, 8d40621d58c386435cc412692ad6)', () => {
    const out = fresh();
    expect(cprGlobalAirborne(93_000, 51_372, 74_158, 50_194, false, out)).toBe(true);
    expect(out).toEqual({ latitudeMicrodeg: 52_257_202, longitudeMicrodeg: 3_919_373 });
  });
});

describe('global surface', () => {
  test('finds every place again from a reference within 40°', () => {
    fc.assert(
      fc.property(
        latMicro,
        lonMicro,
        fc.boolean(),
        fc.integer({ min: -40_000_000, max: 40_000_000 }),
        fc.integer({ min: -40_000_000, max: 40_000_000 }),
        (latitude, longitude, odd, north, east) => {
          const referenceLat = Math.max(-90_000_000, Math.min(90_000_000, latitude + north));
          const referenceLon = ((longitude + east + 540_000_000) % 360_000_000) - 180_000_000;
          const out = fresh();
          const pair = encodePair(latitude, longitude, 90_000_000n);
          if (!cprGlobalSurface(...pair, odd, referenceLat, referenceLon, out)) {
            // At the pole itself one of the two may fall on the far side of it: 0 and 90 are the same field.
            const zones = [NL(latitude / 1e6 - 2e-5), NL(latitude / 1e6 + 2e-5)];
            expect(zones[0] !== zones[1] || Math.abs(latitude) > 89_999_900).toBe(true);
          } else if (Math.abs(latitude) <= 89_999_900) expectNear(out, latitude, longitude, odd, 90);
        },
      ),
      runs,
    );
  });

  test('the reference chooses among eight places', () => {
    const pair = encodePair(52_300_000, 4_760_000, 90_000_000n);
    const out = fresh();
    const places = new Set<string>();
    for (const lat of [50_000_000, -40_000_000]) {
      for (const lon of [0, 90_000_000, 179_000_000, -90_000_000]) {
        expect(cprGlobalSurface(...pair, true, lat, lon, out)).toBe(true);
        places.add(`${Math.round(out.latitudeMicrodeg / 1e4)},${Math.round(out.longitudeMicrodeg / 1e4)}`);
      }
    }
    // South of the equator the same field lies at another latitude, with other zones: 4.76° becomes 5.58°.
    const north = ['5230,-17524', '5230,-8524', '5230,476', '5230,9476'];
    const south = ['-3770,-17442', '-3770,-8442', '-3770,558', '-3770,9558'];
    expect([...places].sort()).toEqual([...south, ...north].sort());
  });
});

describe('local', () => {
  test('equals the exact reference on any fields and place, airborne and surface', () => {
    fc.assert(
      fc.property(field, field, fc.boolean(), latMicro, lonMicro, (lat, lon, odd, refLat, refLon) => {
        for (const [decode, span] of [
          [cprLocalAirborne, 360_000_000n],
          [cprLocalSurface, 90_000_000n],
        ] as const) {
          const out = fresh();
          const expected = referenceLocal(lat, lon, odd, refLat, refLon, span);
          expect(decode(lat, lon, odd, refLat, refLon, out)).toBe(expected !== undefined);
          expect([out.latitudeMicrodeg, out.longitudeMicrodeg]).toEqual(expected ?? [1, 2]);
        }
      }),
      runs,
    );
  });

  test('finds a place again from a reference within 0.7° (airborne 2.9°)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -85_000_000, max: 85_000_000 }),
        lonMicro,
        fc.boolean(),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (latitude, longitude, odd, north, east) => {
          for (const [decode, span, reach] of [
            [cprLocalAirborne, 360_000_000n, 2.9e6],
            [cprLocalSurface, 90_000_000n, 0.7e6],
          ] as const) {
            const referenceLat = latitude + Math.round(north * reach);
            const referenceLon = ((longitude + Math.round(east * reach) + 540_000_000) % 360_000_000) - 180_000_000;
            const out = fresh();
            expect(decode(...encode(latitude, longitude, odd, span), odd, referenceLat, referenceLon, out)).toBe(true);
            expectNear(out, latitude, longitude, odd, Number(span / 1_000_000n));
          }
        },
      ),
      runs,
    );
  });

  test('a candidate beyond the pole is refused', () => {
    const out = fresh();
    expect(cprLocalAirborne(20_000, 0, false, 89_000_000, 0, out)).toBe(false);
    expect(out).toEqual(fresh());
  });
});

/** Within half a step of the field (plus half a microdegree of rounding), longitudes compared around the circle. */
function expectNear(out: CprResult, latitude: number, longitude: number, odd: boolean, spanDeg: number): void {
  const zones = Math.max(NL(out.latitudeMicrodeg / 1e6) - (odd ? 1 : 0), 1);
  expect(Math.abs(out.latitudeMicrodeg - latitude)).toBeLessThanOrEqual((spanDeg * 1e6) / (odd ? 59 : 60) / 262_144 + 0.51);
  const east = Math.abs(out.longitudeMicrodeg - longitude) % 360_000_000;
  expect(Math.min(east, 360_000_000 - east)).toBeLessThanOrEqual((spanDeg * 1e6) / zones / 262_144 + 0.51);
  expect(out.longitudeMicrodeg).toBeGreaterThanOrEqual(-180_000_000);
  expect(out.longitudeMicrodeg).toBeLessThan(180_000_000);
}
