// Reaches of partitions become receivers, or not; distances from places to them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CoverageRow } from '../../schemas/avro/fold-progress.ts';
import { distanceNm, positionVector } from '../geo/sphere.ts';
import { MeasuredReceivers } from './measured-receivers.ts';

const reach = (receiver: number, latDeg: number, lonDeg: number, more: Partial<CoverageRow> = {}): CoverageRow => ({
  receiver,
  latitudeDecideg: Math.round(latDeg * 10),
  longitudeDecideg: Math.round(lonDeg * 10),
  spreadNm: 60,
  samples: 500,
  ...more,
});

function measured(...lists: readonly (readonly CoverageRow[])[]): MeasuredReceivers {
  const reaches = new MeasuredReceivers();
  for (const [partition, list] of lists.entries()) reaches.take(partition, 1000, list);
  return reaches;
}

describe('a receiver', () => {
  test('is one over all partitions, weighted by samples', () => {
    const reaches = measured([reach(1, 50, 0, { samples: 900 })], [reach(1, 51, 0, { samples: 300 })]);
    expect(reaches.count).toBe(1);
    expect(reaches.around(positionVector(50.25, 0), 0).nearestNm).toBeLessThan(1);
  });

  test('needs 200 samples, in all partitions together', () => {
    expect(measured([reach(1, 50, 8, { samples: 199 })]).count).toBe(0);
    expect(measured([reach(1, 50, 8, { samples: 100 })], [reach(1, 50, 8, { samples: 100 })]).count).toBe(1);
  });

  test('hears what lies together, within a partition and between them', () => {
    expect(measured([reach(1, 50, 8, { spreadNm: 151 })]).count).toBe(0);
    expect(measured([reach(1, 50, 8, { spreadNm: 149 })]).count).toBe(1);
    expect(measured([reach(1, 50, 8)], [reach(1, 40, 8)]).count).toBe(0);
  });

  test('goes when its partitions tell it no more', () => {
    const reaches = measured([reach(1, 50, 8), reach(2, 40, 8)]);
    reaches.take(0, 2000, [reach(2, 40, 8)]);
    expect(reaches.count).toBe(1);
    reaches.take(0, 3000, []);
    expect(reaches.count).toBe(0);
    expect(reaches.around(positionVector(50, 8), 150)).toEqual({ nearestNm: Number.POSITIVE_INFINITY, count: 0 });
  });

  test('goes with a partition that tells nothing for ten minutes', () => {
    const reaches = measured([reach(1, 50, 8)]);
    reaches.take(1, 601_000, []);
    expect(reaches.count).toBe(1);
    reaches.take(1, 601_001, []);
    expect(reaches.count).toBe(0);
  });
});

describe('a place', () => {
  const latitudes = fc.integer({ min: -900, max: 900 }).map((decideg) => decideg / 10);
  const longitudes = fc.integer({ min: -1800, max: 1800 }).map((decideg) => decideg / 10);

  test('has its distance from the nearest receiver, within the grid, anywhere on earth', () => {
    const receivers = fc.array(fc.tuple(latitudes, longitudes), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(receivers, latitudes, longitudes, (places, lat, lon) => {
        const reaches = measured(places.map(([latDeg, lonDeg], i) => reach(i, latDeg, lonDeg)));
        const here = positionVector(lat, lon);
        const nearestNm = Math.min(...places.map(([latDeg, lonDeg]) => distanceNm(here, positionVector(latDeg, lonDeg))));
        expect(reaches.count).toBe(places.length);
        expect(Math.abs(reaches.around(here, 150).nearestNm - nearestNm)).toBeLessThan(11);
      }),
    );
  });

  test('has as many receivers around it as are within the radius', () => {
    const reaches = measured([reach(1, 0, 0), reach(2, 2, 0), reach(3, 0, -2), reach(4, 0, 3), reach(5, -4, 0)]);
    expect([119, 121, 179, 181, 239, 241].map((nm) => reaches.around(positionVector(0, 0), nm).count)).toEqual([1, 3, 3, 4, 4, 5]);
  });

  test('does not tell receivers apart that lie in one cell of the grid', () => {
    const distances = (latDeg: number, lonDeg: number): number[] => {
      const reaches = measured([reach(1, latDeg, lonDeg)]);
      return [49, 49.9, 50, 50.1, 51].map((lat) => reaches.around(positionVector(lat, 8.3), 150).nearestNm);
    };
    expect(distances(50.1, 7.9)).toEqual(distances(49.9, 7.7));
  });
});
