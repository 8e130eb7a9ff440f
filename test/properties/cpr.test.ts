// The integer CPR decoder compared with the exact reference over the whole sphere: all fields, all positions, and all edges of zones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COARSE_CPR_SHIFT } from '../../pipeline/decode/coarse-position.ts';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, cprLocalSurface, NL } from '../../pipeline/decode/cpr.ts';
import * as exact from './cpr-reference.ts';
import { type Bits, compare, encode, type Fields, type Position, positionOf, type Rational, rational, subtract } from './cpr-reference.ts';

const QUARTER = 90_000_000;
const HALF_TURN = 180_000_000;
const FIELD = 131_072;

/** Grids of the latitudes that a frame can carry: steps of 360 / (60 or 59) / 2^17 degrees, a quarter of that on the surface. */
const GRIDS = [60, 59].flatMap((zones) => [17, 19].map((bits) => rational(360, zones * 2 ** bits)));

const toMicro = (degrees: Rational): number => Number(exact.floor(exact.multiply(degrees, rational(1_000_000))));

/** Edges of longitude zones, of latitude zones and of the four quarters, in microdegrees, rounded down. */
const latitudeEdges = [
  0,
  45_000_000,
  87_000_000,
  QUARTER,
  ...Array.from({ length: 57 }, (_, i) => toMicro(exact.transitionLatitude(i + 3))),
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
  return position && [exact.latitudeMicrodeg(position), exact.longitudeMicrodeg(position)];
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
    compare(exact.absolute(subtract(position.lat, sent.lat)), halfBin(60 - i)) <= 0 &&
    compare(exact.apart(position.lon, sent.lon), halfBin(Math.max(exact.zonesAt(position.lat) - i, 1))) <= 0
  );
}

/** The decoder rounds a longitude to microdegrees before it chooses the quarter of the globe. */
function isBetweenQuarters(position: Position, reference: Position): boolean {
  return compare(exact.absolute(subtract(exact.apart(position.lon, reference.lon), rational(45))), rational(1, 1_000_000)) <= 0;
}

describe('zones', () => {
  test('NL is right on the four grid latitudes on either side of every transition, in all grids, north and south', () => {
    for (let zones = 2; zones <= 59; zones += 1) {
      for (const step of GRIDS) {
        const below = exact.floor(exact.divide(exact.transitionLatitude(zones), step));
        for (let off = -1n; off <= 2n; off += 1n) {
          const lat = exact.multiply(step, rational(below + off));
          const latitudeDeg = Number(lat.top) / Number(lat.bottom);
          expect([latitudeDeg, NL(latitudeDeg)]).toEqual([latitudeDeg, exact.zonesAt(lat)]);
          expect(NL(-latitudeDeg)).toBe(exact.zonesAt(lat));
          // The decoder passes microdegrees divided by a million, which may be another double.
          const micro = Number(lat.top * 1_000_000n) / Number(lat.bottom) / 1e6;
          expect(NL(micro)).toBe(exact.zonesAt(lat));
        }
      }
    }
  });
});

const positions = fc.tuple(latitude, longitude);
const anyFields: fc.Arbitrary<Fields> = fc.record({ lat: field, lon: field });
const off = (micro: number) => fc.tuple(fc.integer({ min: -micro, max: micro }), fc.integer({ min: -micro, max: micro }));

/** Two frames with any fields and a reference position anywhere, or the frames of a position and a reference position near it. */
const pairs = (bits: Bits, rangeMicro: number) =>
  fc.record({
    newerOdd: fc.boolean(),
    frames: fc.oneof(
      fc.tuple(anyFields, anyFields, positions).map(([even, odd, reference]) => ({ even, odd, reference, sent: null })),
      fc.tuple(positions, off(rangeMicro)).map(([[lat, lon], [north, east]]) => {
        const sent = positionOf(lat, lon);
        const reference: [number, number] = [clampLatitude(lat + north), wrapLongitude(lon + east)];
        return { even: encode(sent, false, bits), odd: encode(sent, true, bits), reference, sent };
      }),
    ),
  });

/** The decoder equals the reference to the microdegree, or refuses with it; a position that was sent is restored within half a bin. */
function expectEqual(found: [number, number] | undefined, expected: Position | undefined, sent: Position | null, odd: boolean, bits: Bits) {
  expect(found).toEqual(rounded(expected));
  if (expected && sent) expect(isWithinHalfBin(expected, sent, odd, bits)).toBe(true);
}

test('global airborne: any four fields, and every position; pairs that straddle a zone edge are refused', () => {
  let refused = 0;
  fc.assert(
    fc.property(pairs(17, 0), ({ newerOdd, frames: { even, odd, sent } }) => {
      const expected = exact.globalAirborne(even, odd, newerOdd);
      expectEqual(ours(even, odd, newerOdd), expected, sent, newerOdd, 17);
      if (expected === undefined && sent !== null) refused += 1;
    }),
    { numRuns: 20_000 },
  );
  expect(refused).toBeGreaterThan(10);
});

test('coarse fields of 12 bits, moved up by five, are fields of 17 bits: alone and in pairs, within half a bin', () => {
  const fine = ({ lat, lon }: Fields): Fields => ({ lat: lat << COARSE_CPR_SHIFT, lon: lon << COARSE_CPR_SHIFT });
  fc.assert(
    fc.property(positions, fc.boolean(), ([lat, lon], newerOdd) => {
      const sent = positionOf(lat, lon);
      const [even, odd] = [encode(sent, false, 12), encode(sent, true, 12)];
      expectEqual(ours(fine(even), fine(odd), newerOdd), exact.globalAirborne(even, odd, newerOdd, 12), sent, newerOdd, 12);
      const alone = newerOdd ? odd : even;
      const { lat: fineLat, lon: fineLon } = fine(alone);
      const near = exact.local(alone, newerOdd, 12, sent);
      expect(decoded(cprLocalAirborne(fineLat, fineLon, newerOdd, lat, lon, out))).toEqual(rounded(near));
    }),
    { numRuns: 3000 },
  );
});

test('global surface: any fields and reference position, and every position from one within 44°, in all four quarters', () => {
  fc.assert(
    fc.property(pairs(19, 44_000_000), ({ newerOdd, frames: { even, odd, reference, sent } }) => {
      const expected = exact.globalSurface(even, odd, newerOdd, positionOf(...reference));
      fc.pre(expected === undefined || sent !== null || !isBetweenQuarters(expected, positionOf(...reference)));
      expectEqual(oursSurface(even, odd, newerOdd, ...reference), expected, sent, newerOdd, 19);
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ['airborne', cprLocalAirborne, 17, 2_900_000],
  ['surface', cprLocalSurface, 19, 700_000],
] as const)(
  'local %s: any fields and reference position, and every position from one within half a zone',
  (_, decodeLocal, bits, rangeMicro) => {
    fc.assert(
      fc.property(pairs(bits, rangeMicro), ({ newerOdd, frames: { even, odd, reference, sent } }) => {
        const { lat, lon } = newerOdd ? odd : even;
        const expected = exact.local({ lat, lon }, newerOdd, bits, positionOf(...reference));
        expectEqual(decoded(decodeLocal(lat, lon, newerOdd, ...reference, out)), expected, sent, newerOdd, bits);
      }),
      { numRuns: 10_000 },
    );
  },
);
