// Thinning: what always stays, and that the shape of a flight survives.
import { array as arrayOf, assert, constant, double, integer, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsOf, type TestPosition } from '../../test/support/positions.ts';
import { LEG } from './points.ts';
import { thinned } from './thin.ts';

const START_MS = 1_700_000_000_000;

const wildTrack = arrayOf(
  record({
    afterMs: integer({ min: 1, max: 600_000 }),
    lat: double({ min: -90, max: 90, noNaN: true }),
    lon: double({ min: -180, max: 180, noNaN: true }),
    altitudeFt: oneof(constant(null), integer({ min: -1000, max: 60_000 })),
    isLeg: integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 200 },
).map((rows) => {
  let timeMs = START_MS;
  const positions = rows.map(({ afterMs, isLeg: _, ...position }): TestPosition => {
    timeMs += afterMs;
    return { ...position, timeMs };
  });
  return pointsOf(
    positions,
    rows.map(({ isLeg }) => (isLeg ? LEG : 0)),
  );
});

/** A position in 5 s. */
const track = (length: number, positionAt: (n: number) => Partial<TestPosition>) =>
  pointsOf(Array.from({ length }, (_, n) => ({ timeMs: START_MS + n * 5000, ...positionAt(n) })));

describe('thinned', () => {
  it('keeps as many as allowed, in order, with the first, the last and starts of legs; one is the last', () => {
    assert(
      property(wildTrack, integer({ min: 1, max: 60 }), (points, countMax) => {
        const numbers = [...thinned(points, countMax)];
        expect(numbers.length).toBe(Math.min(points.count, countMax));
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(numbers[0]).toBe(countMax === 1 ? points.count - 1 : 0);
        expect(numbers.at(-1)).toBe(points.count - 1);
        const inside = Array.from({ length: points.count }, (_, i) => i).slice(1, -1);
        const legs = inside.filter((i) => points.hasFlag(i, LEG)).slice(-Math.max(0, countMax - 2) || points.count);
        if (countMax > 2) expect(numbers).toEqual(expect.arrayContaining(legs));
      }),
    );
  });

  it('keeps where the track turns and where the climb changes', () => {
    const at = (min: number, max: number) => integer({ min, max });
    assert(
      property(at(20, 180), at(200, 380), at(5, 20), (turnAt, levelAt, countMax) => {
        // East, then north from `turnAt` on; climbing until `levelAt`.
        const points = track(400, (n) => ({
          ...{ lat: 50 + Math.max(0, n - turnAt) * 0.01, lon: 5 + Math.min(n, turnAt) * 0.015, altitudeFt: 50 * Math.min(n, levelAt) },
        }));
        expect([...thinned(points, countMax)]).toEqual(expect.arrayContaining([turnAt, levelAt]));
      }),
    );
  });

  it('keeps steady flight evenly', () => {
    const numbers = [
      ...thinned(
        track(1000, (n) => ({ lon: 5 + n * 0.01 })),
        101,
      ),
    ];
    const steps = numbers.slice(1).map((number, i) => number - numbers[i]!);
    expect(Math.max(...steps)).toBeLessThanOrEqual(20);
  });

  it('a turn across the antimeridian is a turn, and the meridian itself is none', () => {
    const lonOf = (n: number): number => ((((179 + n * 0.01 + 180) % 360) + 360) % 360) - 180;
    const points = track(300, (n) => ({ lat: 10 + Math.max(0, n - 200) * 0.01, lon: lonOf(Math.min(n, 200)) }));
    expect([...thinned(points, 3)]).toEqual([0, 200, 299]);
  });
});
