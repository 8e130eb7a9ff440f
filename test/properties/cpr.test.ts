// The integer CPR decoder compared with the exact reference over the whole sphere: all fields, all positions, and all edges of zones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COARSE_CPR_SHIFT } from '../../pipeline/decode/coarse-position.ts';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, cprLocalSurface, NL } from '../../pipeline/decode/cpr.ts';
import {
  apart,
  type Bits,
  encode,
  type Fields,
  globalAirborne,
  globalSurface,
  latitudeMicrodeg,
  local,
  longitudeMicrodeg,
  type Position,
  positionOf,
  transitionLatitude,
  zonesAt,
} from './cpr-reference.ts';
import { absolute, compare, divide, floor, multiply, type Rational, rational, subtract } from './rational.ts';

const QUARTER = 90_000_000;
const HALF_TURN = 180_000_000;
const FIELD = 131_072;

/** Grids of the latitudes that a frame can carry: steps of 360 / (60 or 59) / 2^17 degrees, a quarter of that on the surface. */
const GRIDS = [60, 59].flatMap((zones) => [17, 19].map((bits) => rational(360, zones * 2 ** bits)));

const toMicro = (degrees: Rational): number => Number(floor(multiply(degrees, rational(1_000_000))));

/** Edges of longitude zones, of latitude zones and of the four quarters, in microdegrees, rounded down. */
const latitudeEdges = [
  0,
  45_000_000,
  87_000_000,
  QUARTER,
  ...Array.from({ length: 57 }, (_, i) => toMicro(transitionLatitude(i + 3))),
  ...Array.from({ length: 14 }, (_, i) => 6_000_000 * (i + 1)),
  ...Array.from({ length: 14 }, (_, i) => toMicro(rational(360 * (i + 1), 59))),
];
const longitudeEdges = [0, QUARTER, HALF_TURN, ...Array.from({ length: 59 }, (_, i) => toMicro(rational(360, i + 1)))];

const clampLatitude = (value: number): number => Math.max(-QUARTER, Math.min(QUARTER, value));
const wrapLongitude = (value: number): number => ((((value + HALF_TURN) % 360_000_000) + 360_000_000) % 360_000_000) - HALF_TURN;

/** Half the positions anywhere, half within about two airborne steps of an edge. */
const latitude = fc.oneof(
  fc.integer({ min: -QUARTER, max: QUARTER }),
  fc
    .tuple(fc.constantFrom(...latitudeEdges), fc.constantFrom(1, -1), fc.integer({ min: -100, max: 100 }))
    .map(([edge, sign, off]) => clampLatitude(sign * edge + off)),
);
const longitude = fc.oneof(
  fc.integer({ min: -HALF_TURN, max: HALF_TURN - 1 }),
  fc
    .tuple(fc.constantFrom(...longitudeEdges), fc.integer({ min: -58, max: 58 }), fc.integer({ min: -100, max: 100 }))
    .map(([edge, times, off]) => wrapLongitude(edge * times + off)),
);
const field = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: FIELD - 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, FIELD / 2 - 1, FIELD / 2, FIELD / 2 + 1, FIELD - 1) },
);

const out: CprResult = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };

/** Result of the decoder under test in the reference's form. */
function decoded(found: boolean): [number, number] | undefined {
  return found ? [out.latitudeMicrodeg, out.longitudeMicrodeg] : undefined;
}

function rounded(position: Position | undefined): [number, number] | undefined {
  return position && [latitudeMicrodeg(position), longitudeMicrodeg(position)];
}

function ours(even: Fields, odd: Fields, newerOdd: boolean): [number, number] | undefined {
  return decoded(cprGlobalAirborne(even.lat, even.lon, odd.lat, odd.lon, newerOdd, out));
}

function oursSurface(even: Fields, odd: Fields, newerOdd: boolean, lat: number, lon: number): [number, number] | undefined {
  return decoded(cprGlobalSurface(even.lat, even.lon, odd.lat, odd.lon, newerOdd, lat, lon, out));
}

/** The reference's position is within half a bin of the encoded one. */
function isWithinHalfBin(position: Position, sent: Position, newerOdd: boolean, bits: Bits): boolean {
  const i = newerOdd ? 1 : 0;
  const halfBin = (zones: number): Rational => rational(360, zones * 2 ** (bits + 1));
  return (
    compare(absolute(subtract(position.lat, sent.lat)), halfBin(60 - i)) <= 0 &&
    compare(apart(position.lon, sent.lon), halfBin(Math.max(zonesAt(position.lat) - i, 1))) <= 0
  );
}

/** The decoder rounds a longitude to microdegrees before it chooses the quarter of the globe. */
function isBetweenQuarters(position: Position, reference: Position): boolean {
  return compare(absolute(subtract(apart(position.lon, reference.lon), rational(45))), rational(1, 1_000_000)) <= 0;
}

describe('zones', () => {
  test('NL is right on the four grid latitudes on either side of every transition, in all grids, north and south', () => {
    for (let zones = 2; zones <= 59; zones += 1) {
      for (const step of GRIDS) {
        const below = floor(divide(transitionLatitude(zones), step));
        for (let off = -1n; off <= 2n; off += 1n) {
          const lat = multiply(step, rational(below + off));
          const latitudeDeg = Number(lat.top) / Number(lat.bottom);
          expect([latitudeDeg, NL(latitudeDeg)]).toEqual([latitudeDeg, zonesAt(lat)]);
          expect(NL(-latitudeDeg)).toBe(zonesAt(lat));
          // The decoder passes microdegrees divided by a million, which may be another double.
          const micro = Number(lat.top * 1_000_000n) / Number(lat.bottom) / 1e6;
          expect(NL(micro)).toBe(zonesAt(lat));
        }
      }
    }
  });
});

describe('global airborne', () => {
  test('equals the reference to the microdegree, or is refused with it, for any four fields', () => {
    let resolved = 0;
    fc.assert(
      fc.property(field, field, field, field, fc.boolean(), (evenLat, evenLon, oddLat, oddLon, newerOdd) => {
        const even = { lat: evenLat, lon: evenLon };
        const odd = { lat: oddLat, lon: oddLon };
        const expected = rounded(globalAirborne(even, odd, newerOdd));
        expect(ours(even, odd, newerOdd)).toEqual(expected);
        if (expected) resolved += 1;
      }),
      { numRuns: 10_000 },
    );
    expect(resolved).toBeGreaterThan(100);
  });

  test('restores every position within half a bin, and refuses pairs that straddle a zone edge', () => {
    let refused = 0;
    fc.assert(
      fc.property(latitude, longitude, fc.boolean(), (lat, lon, newerOdd) => {
        const sent = positionOf(lat, lon);
        const even = encode(sent, false, 17);
        const odd = encode(sent, true, 17);
        const position = globalAirborne(even, odd, newerOdd);
        expect(ours(even, odd, newerOdd)).toEqual(rounded(position));
        if (position) expect(isWithinHalfBin(position, sent, newerOdd, 17)).toBe(true);
        else refused += 1;
      }),
      { numRuns: 10_000 },
    );
    expect(refused).toBeGreaterThan(10);
  });
});

test('coarse fields of 12 bits, moved up by five, are fields of 17 bits: alone and in pairs, within half a bin', () => {
  const fine = ({ lat, lon }: Fields): Fields => ({ lat: lat << COARSE_CPR_SHIFT, lon: lon << COARSE_CPR_SHIFT });
  fc.assert(
    fc.property(latitude, longitude, fc.boolean(), (lat, lon, newerOdd) => {
      const sent = positionOf(lat, lon);
      const even = encode(sent, false, 12);
      const odd = encode(sent, true, 12);
      const position = globalAirborne(even, odd, newerOdd, 12);
      expect(ours(fine(even), fine(odd), newerOdd)).toEqual(rounded(position));
      if (position) expect(isWithinHalfBin(position, sent, newerOdd, 12)).toBe(true);
      const alone = newerOdd ? odd : even;
      const { lat: fineLat, lon: fineLon } = fine(alone);
      const near = local(alone, newerOdd, 12, sent);
      expect(decoded(cprLocalAirborne(fineLat, fineLon, newerOdd, lat, lon, out))).toEqual(rounded(near));
    }),
    { numRuns: 3000 },
  );
});

describe('global surface', () => {
  test('equals the reference for any fields and any reference position', () => {
    fc.assert(
      fc.property(field, field, field, field, fc.boolean(), latitude, longitude, (evenLat, evenLon, oddLat, oddLon, newerOdd, lat, lon) => {
        const even = { lat: evenLat, lon: evenLon };
        const odd = { lat: oddLat, lon: oddLon };
        const position = globalSurface(even, odd, newerOdd, positionOf(lat, lon));
        fc.pre(position === undefined || !isBetweenQuarters(position, positionOf(lat, lon)));
        expect(oursSurface(even, odd, newerOdd, lat, lon)).toEqual(rounded(position));
      }),
      { numRuns: 5000 },
    );
  });

  test('restores every position from a reference within 44°, in all four quarters of both hemispheres', () => {
    const off = fc.integer({ min: -44_000_000, max: 44_000_000 });
    fc.assert(
      fc.property(latitude, longitude, off, off, fc.boolean(), (lat, lon, north, east, newerOdd) => {
        const sent = positionOf(lat, lon);
        const even = encode(sent, false, 19);
        const odd = encode(sent, true, 19);
        const referenceLat = clampLatitude(lat + north);
        const referenceLon = wrapLongitude(lon + east);
        const position = globalSurface(even, odd, newerOdd, positionOf(referenceLat, referenceLon));
        expect(oursSurface(even, odd, newerOdd, referenceLat, referenceLon)).toEqual(rounded(position));
        if (position) expect(isWithinHalfBin(position, sent, newerOdd, 19)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});

describe.each([
  ['airborne', cprLocalAirborne, 17, 2_900_000],
  ['surface', cprLocalSurface, 19, 700_000],
] as const)('local %s', (_, decodeLocal, bits, rangeMicro) => {
  test('equals the reference for any fields and any reference position', () => {
    fc.assert(
      fc.property(field, field, fc.boolean(), latitude, longitude, (fieldLat, fieldLon, odd, lat, lon) => {
        const expected = rounded(local({ lat: fieldLat, lon: fieldLon }, odd, bits, positionOf(lat, lon)));
        expect(decoded(decodeLocal(fieldLat, fieldLon, odd, lat, lon, out))).toEqual(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test('restores every position, also across the antimeridian and near the poles, from a reference within half a zone', () => {
    const off = fc.integer({ min: -rangeMicro, max: rangeMicro });
    fc.assert(
      fc.property(latitude, longitude, off, off, fc.boolean(), (lat, lon, north, east, odd) => {
        const sent = positionOf(lat, lon);
        const { lat: fieldLat, lon: fieldLon } = encode(sent, odd, bits);
        const referenceLat = clampLatitude(lat + north);
        const referenceLon = wrapLongitude(lon + east);
        const position = local({ lat: fieldLat, lon: fieldLon }, odd, bits, positionOf(referenceLat, referenceLon));
        expect(decoded(decodeLocal(fieldLat, fieldLon, odd, referenceLat, referenceLon, out))).toEqual(rounded(position));
        if (position) expect(isWithinHalfBin(position, sent, odd, bits)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
