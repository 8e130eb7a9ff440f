// Geographic searches against brute force: the formula for every aircraft, also at poles and across the antimeridian.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { LiveTable } from '../aircraft/table.ts';
import { EARTH_RADIUS_NM } from '../geo/earth.ts';
import { all, inBox, inCircle, listedInCircle, nearestInCircle } from './search.ts';
import { type Snapshot, SnapshotBuilder } from './snapshot.ts';

interface Point {
  readonly lat: number;
  readonly lon: number;
}

const RADIANS = Math.PI / 180;

/** Haversine: a different formula than that of the searches. */
function haversineNm(a: Point, b: Point): number {
  const sinLat = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const sinLon = Math.sin(((b.lon - a.lon) * RADIANS) / 2);
  const h = sinLat * sinLat + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * sinLon * sinLon;
  return 2 * EARTH_RADIUS_NM * Math.asin(Math.min(1, Math.sqrt(h)));
}

function bearingDeg(a: Point, b: Point): number {
  const dLon = (b.lon - a.lon) * RADIANS;
  const y = Math.sin(dLon) * Math.cos(b.lat * RADIANS);
  const x = Math.cos(a.lat * RADIANS) * Math.sin(b.lat * RADIANS) - Math.sin(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * Math.cos(dLon);
  return (((Math.atan2(y, x) / RADIANS) % 360) + 360) % 360;
}

const microdeg = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 1e6, max: max * 1e6 }).map((value) => value / 1e6);
/** Whole degrees and extremes: cells and borders are there. */
const latitudes = fc.oneof(microdeg(-90, 90), fc.integer({ min: -90, max: 90 }), fc.constantFrom(-90, 90, 0, 89.999_999, -89.999_999));
const longitudes = fc.oneof(
  microdeg(-180, 180),
  fc.integer({ min: -180, max: 180 }),
  fc.constantFrom(-180, 180, 0, 179.999_999, -179.999_999),
);
const points = fc.record({ lat: latitudes, lon: longitudes });
const near = ({ lat, lon }: Point, spread: number): fc.Arbitrary<Point> =>
  fc
    .record({ dLat: fc.double({ min: -spread, max: spread, noNaN: true }), dLon: fc.double({ min: -spread, max: spread, noNaN: true }) })
    .map(({ dLat, dLon }) => ({
      lat: Math.max(-90, Math.min(90, Math.round((lat + dLat) * 1e6) / 1e6)),
      lon: Math.max(-180, Math.min(180, Math.round((lon + dLon) * 1e6) / 1e6)),
    }));
const scenes = fc
  .record({ centre: points, spread: fc.constantFrom(0.01, 1, 20) })
  .chain(({ centre, spread }) =>
    fc.record({ centre: fc.constant(centre), aircraft: fc.array(fc.oneof(near(centre, spread), points), { maxLength: 60 }) }),
  );

function snapshotOf(aircraft: readonly Point[]): Snapshot {
  const table = new LiveTable();
  aircraft.forEach(({ lat, lon }, i) => {
    table.applyState({ ...fullState(i), latitudeMicrodeg: Math.round(lat * 1e6), longitudeMicrodeg: Math.round(lon * 1e6) });
  });
  // A listed aircraft without a position: no search may find it.
  table.applyState({ ...fullState(9999), positionValid: false });
  return new SnapshotBuilder(table, () => NOW_MS, 'test').build(NOW_MS, 0);
}

/** Maps numbers of a listing to the aircraft: a listing is in the order of positions. */
function aircraftOf({ listing }: Snapshot): number[] {
  const numbers = new Map(Array.from({ length: 61 }, (_, i) => [Number.parseInt(fullState(i).hex, 16), i]));
  return Array.from({ length: listing.count }, (_, i) => numbers.get(listing.columns.key[i]!) ?? -1);
}

describe('a circle', () => {
  it('contains exactly the aircraft nearer than its radius, ascending, with their distance and direction', () => {
    fc.assert(
      fc.property(
        scenes,
        fc.oneof(fc.constantFrom(0, 0.5, 5, 60, 250), fc.double({ min: 0, max: 11_000, noNaN: true })),
        ({ centre, aircraft }, radiusNm) => {
          const snapshot = snapshotOf(aircraft);
          const found = inCircle(snapshot.listing, { latDeg: centre.lat, lonDeg: centre.lon, radiusNm });
          const distances = aircraft.map((point) => haversineNm(centre, point));
          const names = aircraftOf(snapshot);
          const numbers = [...found.indices.subarray(0, found.count)];
          const got = new Set(numbers.map((i) => names[i]));
          expect(got.size).toBe(found.count);
          distances.forEach((distance, i) => {
            // The two formulas differ by some 10 µm, and near the antipode by a metre.
            if (Math.abs(distance - radiusNm) > (distance > 10_700 ? 1e-3 : 1e-7)) expect(got.has(i)).toBe(distance < radiusNm);
          });
          for (let n = 0; n < found.count; n += 1) {
            const i = names[found.indices[n]!]!;
            expect(Math.abs(found.distancesNm![n]! - distances[i]!)).toBeLessThan(distances[i]! > 10_700 ? 1e-3 : 2e-6);
            if (n > 0) expect(found.distancesNm![n]!).toBeGreaterThanOrEqual(found.distancesNm![n - 1]!);
            if (distances[i]! < 0.01 || distances[i]! > 10_700 || Math.abs(centre.lat) > 89.9) continue;
            const turn = Math.abs(found.bearingsDeg![n]! - bearingDeg(centre, aircraft[i]!));
            expect(Math.min(turn, 360 - turn)).toBeLessThan(0.01);
          }
          const listed = listedInCircle(snapshot.listing, { latDeg: centre.lat, lonDeg: centre.lon, radiusNm });
          expect([...listed.indices.subarray(0, listed.count)]).toEqual(numbers.sort((a, b) => a - b));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('has the same nearest aircraft whether all are sorted or not, also of many at one distance', () => {
    // Some positions several times, and some that differ by less than a distance is rounded to.
    const crowds = scenes.chain(({ centre, aircraft }) =>
      fc.record({
        centre: fc.constant(centre),
        aircraft: fc.array(fc.oneof(fc.constantFrom(centre, ...aircraft), near(centre, 0.000_002)), { maxLength: 60 }),
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(scenes, crowds),
        fc.double({ min: 0, max: 11_000, noNaN: true }),
        fc.integer({ min: 1, max: 60 }),
        (scene, radiusNm, countMax) => {
          const { listing } = snapshotOf(scene.aircraft);
          const circle = { latDeg: scene.centre.lat, lonDeg: scene.centre.lon, radiusNm };
          const all = inCircle(listing, circle);
          const shown = Math.min(all.count, countMax);
          const expected = { indices: all.indices.slice(0, shown), distancesNm: all.distancesNm!.slice(0, shown) };
          const { selection, total } = nearestInCircle(listing, circle, countMax);
          expect(total).toBe(all.count);
          expect(selection.count).toBe(shown);
          expect(selection.indices.slice(0, shown)).toEqual(expected.indices);
          expect(selection.distancesNm!.slice(0, shown)).toEqual(expected.distancesNm);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('sorts aircraft at one distance by address, and calls the predicate first', () => {
    const table = new LiveTable();
    for (let i = 9; i >= 5; i -= 1) table.applyState({ ...fullState(i), latitudeMicrodeg: 10e6, longitudeMicrodeg: 20e6 });
    const { listing } = new SnapshotBuilder(table, () => NOW_MS, 'test').build(NOW_MS, 0);
    const circle = { latDeg: 10.5, lonDeg: 20, radiusNm: 100 };
    expect([...inCircle(listing, circle).indices.subarray(0, 5)].map((i) => listing.columns.key[i])).toEqual(
      [5, 6, 7, 8, 9].map((i) => Number.parseInt(fullState(i).hex, 16)),
    );
    expect(inCircle(listing, circle, (i) => listing.columns.key[i] === Number.parseInt(fullState(7).hex, 16)).count).toBe(1);
  });
});

describe('a box', () => {
  it('contains exactly the aircraft in it, including its borders, in the order of the listing', () => {
    const boxes = fc.record({ a: latitudes, b: latitudes, westDeg: longitudes, eastDeg: longitudes });
    fc.assert(
      fc.property(fc.array(points, { maxLength: 60 }), boxes, (aircraft, { a, b, westDeg, eastDeg }) => {
        const southDeg = Math.min(a, b);
        const northDeg = Math.max(a, b);
        const snapshot = snapshotOf(aircraft);
        const found = inBox(snapshot.listing, { southDeg, westDeg, northDeg, eastDeg });
        const spans = (lon: number): boolean => (westDeg <= eastDeg ? lon >= westDeg && lon <= eastDeg : lon >= westDeg || lon <= eastDeg);
        // 180 east and 180 west are one meridian.
        const isIn = ({ lat, lon }: Point): boolean =>
          lat >= southDeg && lat <= northDeg && (spans(lon) || (Math.abs(lon) === 180 && spans(-lon)));
        const numbers = [...found.indices.subarray(0, found.count)];
        expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
        const names = aircraftOf(snapshot);
        const got = numbers.map((i) => names[i]!).sort((one, other) => one - other);
        expect(got).toEqual(aircraft.flatMap((point, i) => (isIn(point) ? [i] : [])));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a selection', () => {
  it('is written as the objects of the whole body, with distance and direction added', () => {
    const aircraft = Array.from({ length: 40 }, (_, i) => ({ lat: 50 + i / 10, lon: 8 - i / 7 }));
    const snapshot = snapshotOf(aircraft);
    const whole = (JSON.parse(snapshot.body('native').toString()) as { ac: Record<string, unknown>[] }).ac;
    const found = inCircle(snapshot.listing, { latDeg: 50, lonDeg: 8, radiusNm: 150 });
    expect(found.count).toBeGreaterThan(5);
    const composed = snapshot.compose('native', found, '[', ']');
    const objects = JSON.parse(composed.bytes.toString('latin1')) as Record<string, unknown>[];
    objects.forEach((object, n) => {
      const { dst, dir, ...plain } = object;
      expect(plain).toEqual(whole[found.indices[n]!]);
      expect(dst).toBeCloseTo(found.distancesNm![n]!, 3);
      expect(dir).toBeCloseTo(found.bearingsDeg![n]!, 1);
    });
    composed.release();
    const some = all(snapshot.listing, (i) => i % 3 === 0);
    const thirds = whole.filter((_, i) => i % 3 === 0);
    // Slots first, then buffers, then slots again; each response keeps its bytes until its release.
    const held = Array.from({ length: 20 }, (_, n) => snapshot.compose('native', some, `{"n":${n},"ac":[`, ']}'));
    held.forEach(({ bytes }, n) => {
      expect(JSON.parse(bytes.toString('latin1'))).toEqual({ n, ac: thirds });
    });
    for (const { release } of held) release();
    const none = snapshot.compose('readsb', { count: 0, indices: new Int32Array(0) }, '[', ']');
    expect(none.bytes.toString()).toBe('[]');
    none.release();
  });
});
