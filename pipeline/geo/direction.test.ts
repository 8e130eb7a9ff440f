// The integer angles against Math, and their exact corners.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cosine, directionCentideg, directionMicrodeg, sine, UNIT } from './direction.ts';

const RAD = Math.PI / 180;
const runs = { numRuns: 5000 };

describe('sine and cosine', () => {
  test('are the nearest integers, give or take one', () => {
    fc.assert(
      fc.property(fc.integer({ min: -720_000_000, max: 720_000_000 }), (x) => {
        expect(Math.abs(sine(x) - UNIT * Math.sin((x / 1e6) * RAD))).toBeLessThan(1);
        expect(Math.abs(cosine(x) - UNIT * Math.cos((x / 1e6) * RAD))).toBeLessThan(1);
      }),
      runs,
    );
  });

  test('are exact at the quarter turns', () => {
    for (const turn of [-720e6, -360e6, 0, 360e6, 720e6]) {
      expect([0, 90e6, 180e6, 270e6].map((x) => sine(x + turn))).toEqual([0, UNIT, 0, -UNIT]);
      expect([0, 90e6, 180e6, 270e6].map((x) => cosine(x + turn))).toEqual([UNIT, 0, -UNIT, 0]);
    }
  });
});

describe('directions', () => {
  const component = fc.oneof(
    fc.integer({ min: -1023, max: 1023 }),
    fc.integer({ min: -1_300_000_000, max: 1_300_000_000 }),
    fc.integer(),
    fc.constantFrom(-0x8000_0000, 0x7fff_ffff, 0, 1, -1),
  );

  test('are those of Math.atan2, rounded', () => {
    fc.assert(
      fc.property(component, component, (east, north) => {
        fc.pre(east !== 0 || north !== 0);
        const exactDeg = (Math.atan2(east, north) / RAD + 360) % 360;
        const microdeg = directionMicrodeg(east, north);
        expect(Number.isInteger(microdeg) && microdeg >= 0 && microdeg < 360e6).toBe(true);
        const apart = Math.abs(microdeg / 1e6 - exactDeg);
        expect(Math.min(apart, 360 - apart)).toBeLessThan(5.1e-7);
        const centideg = directionCentideg(east, north);
        expect(Number.isInteger(centideg) && centideg >= 0 && centideg < 36_000).toBe(true);
        const apart100 = Math.abs(centideg - 100 * exactDeg);
        expect(Math.min(apart100, 36_000 - apart100)).toBeLessThan(0.5001);
      }),
      runs,
    );
  });

  test('nothing has the direction 0', () => {
    expect(directionCentideg(0, 0)).toBe(0);
  });
});
