// Coverage of partitions becomes receivers, or not; distances of positions from them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CoverageRow } from '../../schemas/avro/fold-progress.ts';
import { distanceNm, positionVector } from '../geo/sphere.ts';
import { MeasuredReceivers } from './measured-receivers.ts';

const row = (receiver: number, latDeg: number, lonDeg: number, more: Partial<CoverageRow> = {}): CoverageRow => ({
  receiver,
  latitudeDecideg: Math.round(latDeg * 10),
  longitudeDecideg: Math.round(lonDeg * 10),
  spreadNm: 60,
  samples: 500,
  ...more,
});

function measured(...lists: readonly (readonly CoverageRow[])[]): MeasuredReceivers {
  const receivers = new MeasuredReceivers();
  for (const [partition, list] of lists.entries()) receivers.replace(partition, 1000, list);
  return receivers;
}

describe('a receiver', () => {
  test('is one over all partitions, weighted by samples', () => {
    const receivers = measured([row(1, 50, 0, { samples: 900 })], [row(1, 51, 0, { samples: 300 })]);
    expect(receivers.count).toBe(1);
    expect(receivers.around(positionVector(50.25, 0), 0).nearestNm).toBeLessThan(1);
  });

  test.each([
    ['fewer than 200 samples', [[row(1, 50, 8, { samples: 199 })]], 0],
    ['200 samples of all partitions', [[row(1, 50, 8, { samples: 100 })], [row(1, 50, 8, { samples: 100 })]], 1],
    ['a wide spread in a partition', [[row(1, 50, 8, { spreadNm: 151 })]], 0],
    ['a spread of one receiver', [[row(1, 50, 8, { spreadNm: 149 })]], 1],
    ['a wide spread between partitions', [[row(1, 50, 8)], [row(1, 40, 8)]], 0],
  ])('with %s', (_, lists, count) => {
    expect(measured(...lists).count).toBe(count);
  });

  test('disappears when its partitions do not write it any more', () => {
    const receivers = measured([row(1, 50, 8), row(2, 40, 8)]);
    receivers.replace(0, 2000, [row(2, 40, 8)]);
    expect(receivers.count).toBe(1);
    receivers.replace(0, 3000, []);
    expect(receivers.count).toBe(0);
    expect(receivers.around(positionVector(50, 8), 150)).toEqual({ nearestNm: Number.POSITIVE_INFINITY, count: 0 });
  });

  test('disappears with a partition that writes nothing for ten minutes', () => {
    const receivers = measured([row(1, 50, 8)]);
    receivers.replace(1, 601_000, []);
    expect(receivers.count).toBe(1);
    receivers.replace(1, 601_001, []);
    expect(receivers.count).toBe(0);
  });
});

describe('a position', () => {
  const latitudes = fc.integer({ min: -900, max: 900 }).map((decideg) => decideg / 10);
  const longitudes = fc.integer({ min: -1800, max: 1800 }).map((decideg) => decideg / 10);

  test('has its distance from the nearest receiver, within the grid, anywhere on earth', () => {
    const receivers = fc.array(fc.tuple(latitudes, longitudes), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(receivers, latitudes, longitudes, (positions, lat, lon) => {
        const receivers = measured(positions.map(([latDeg, lonDeg], i) => row(i, latDeg, lonDeg)));
        const here = positionVector(lat, lon);
        const nearestNm = Math.min(...positions.map(([latDeg, lonDeg]) => distanceNm(here, positionVector(latDeg, lonDeg))));
        expect(receivers.count).toBe(positions.length);
        expect(Math.abs(receivers.around(here, 150).nearestNm - nearestNm)).toBeLessThan(11);
      }),
    );
  });

  test('has as many receivers around it as are within the radius', () => {
    const receivers = measured([row(1, 0, 0), row(2, 2, 0), row(3, 0, -2), row(4, 0, 3), row(5, -4, 0)]);
    expect([119, 121, 179, 181, 239, 241].map((nm) => receivers.around(positionVector(0, 0), nm).count)).toEqual([1, 3, 3, 4, 4, 5]);
  });
});
