// Velocity: every field of all four subtypes against plain formulas.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT } from './message.ts';

const bits = (width: number) => fc.integer({ min: 0, max: 2 ** width - 1 });
/** Bits 36-56: source, sign, rate, two unused, sign, difference. */
const tail = (source: number, down: number, rate: number, below: number, delta: number) => [
  ...[source, 1, down, 1, rate, 9, 0, 2],
  ...[below, 1, delta, 7],
];

describe('made up', () => {
  test('subtypes 1 and 2: speed and track of any components', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 2), bits(1), bits(10), bits(1), bits(10), (subtype, west, east, south, north) => {
        const { velocity } = decodeHex(
          squitter([19, 5, subtype, 3, 0, 2, 5, 3, west, 1, east, 10, south, 1, north, 10, ...tail(0, 0, 0, 0, 0)]),
        );
        expect(velocity).toMatchObject({ nacV: 5, baroRateFpm: ABSENT, geomRateFpm: ABSENT, geomDeltaFt: ABSENT, headingCentideg: ABSENT });
        if (east === 0 || north === 0) {
          expect(velocity).toMatchObject({ groundSpeedDeciKt: ABSENT, trackCentideg: ABSENT });
          return;
        }
        const factor = subtype === 2 ? 4 : 1;
        const x = (east - 1) * factor * (west ? -1 : 1);
        const y = (north - 1) * factor * (south ? -1 : 1);
        expect(Math.abs(velocity.groundSpeedDeciKt - 10 * Math.hypot(x, y))).toBeLessThanOrEqual(0.5 + 1e-9);
        if (x === 0 && y === 0) expect(velocity.trackCentideg).toBe(ABSENT);
        else {
          const track = ((Math.atan2(x, y) * 18_000) / Math.PI + 36_000) % 36_000;
          const difference = Math.abs(velocity.trackCentideg - track);
          // Rounded twice: to microdegrees, then to hundredths (direction.ts).
          expect(Math.min(difference, 36_000 - difference)).toBeLessThanOrEqual(0.5 + 1e-4);
          expect(velocity.trackCentideg).toBeLessThan(36_000);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('subtypes 3 and 4: heading and airspeed', () => {
    fc.assert(
      fc.property(fc.constantFrom(3, 4), bits(1), bits(10), bits(1), bits(10), (subtype, valid, heading, isTrue, speed) => {
        const { velocity } = decodeHex(
          squitter([19, 5, subtype, 3, 0, 5, valid, 1, heading, 10, isTrue, 1, speed, 10, ...tail(0, 0, 0, 0, 0)]),
        );
        const speedKt = speed === 0 ? ABSENT : (speed - 1) * (subtype === 4 ? 4 : 1);
        expect(velocity).toMatchObject({ groundSpeedDeciKt: ABSENT, trackCentideg: ABSENT });
        expect(velocity).toMatchObject(isTrue ? { tasKt: speedKt, iasKt: ABSENT } : { iasKt: speedKt, tasKt: ABSENT });
        expect(velocity.headingCentideg).toBe(valid ? Math.round((heading * 36_000) / 1024) : ABSENT);
      }),
      { numRuns: 1000 },
    );
  });

  test('vertical rate and altitude difference: sign, source, absent', () => {
    const of = (...fields: Parameters<typeof tail>) => decodeHex(squitter([19, 5, 1, 3, 0, 27, ...tail(...fields)])).velocity;
    expect(of(1, 0, 1, 0, 1)).toMatchObject({ baroRateFpm: 0, geomRateFpm: ABSENT, geomDeltaFt: 0 });
    expect(of(1, 1, 1, 1, 1)).toMatchObject({ baroRateFpm: 0, geomDeltaFt: 0 });
    expect(of(0, 1, 511, 1, 127)).toMatchObject({ baroRateFpm: ABSENT, geomRateFpm: -32_640, geomDeltaFt: -3150 });
    expect(of(1, 0, 511, 0, 127)).toMatchObject({ baroRateFpm: 32_640, geomDeltaFt: 3150 });
    expect(of(1, 1, 0, 1, 0)).toMatchObject({ baroRateFpm: ABSENT, geomDeltaFt: ABSENT });
  });
});
