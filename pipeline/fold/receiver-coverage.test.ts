// Receiver coverage: the measured mean against the mean of the positions; what is written of it, and when.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AvroTypes, avroSchemas } from '../../schemas/avro/index.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topics } from '../../schemas/topics.ts';
import { distanceBetweenM } from '../geo/distance.ts';
import { avroType } from '../log/avro.ts';
import { COVERAGE_INTERVAL_MS, COVERAGE_MS, coverageDue, isSampleDue, receiverHash, sampleCoverage } from './receiver-coverage.ts';
import { R_COVERAGE_SAMPLES, RECEIVER_NUMBERS, ReceiverTable } from './receivers.ts';

const BASE_MS = 1_700_000_000_000;
const HIGH_FT = 38_000;
const DEGREES = 180 / Math.PI;

type Position = readonly [latDeg: number, lonDeg: number, heightFt?: number];

function heard(positions: readonly Position[], everyMs = 1000): ReceiverTable {
  const receivers = new ReceiverTable(null);
  const number = receivers.numberOf('here');
  for (const [i, [lat, lon, heightFt = HIGH_FT]] of positions.entries())
    if (isSampleDue(receivers, number, i * everyMs))
      sampleCoverage(receivers, number, i * everyMs, Math.round(lat * 1e6), Math.round(lon * 1e6), heightFt);
  return receivers;
}

/** What is written at the first tick of the time base. */
const written = (receivers: ReceiverTable) => coverageDue(receivers, BASE_MS - COVERAGE_INTERVAL_MS, BASE_MS, BASE_MS)!;
const coverageOf = (positions: readonly Position[], everyMs = 1000) => written(heard(positions, everyMs))[0]!;

function nmBetween(latDeg1: number, lonDeg1: number, latDeg2: number, lonDeg2: number): number {
  const [a, b, c, d] = [latDeg1, lonDeg1, latDeg2, lonDeg2].map((degrees) => Math.round(degrees * 1e6)) as [number, number, number, number];
  return distanceBetweenM(a, b, c, d) / 1852;
}

/** A position at a distance from another, in any direction, by vectors. */
function offset(latDeg: number, lonDeg: number, nm: number, bearingDeg: number): Position {
  const [lat, lon, way, bearing] = [latDeg / DEGREES, lonDeg / DEGREES, nm / 60 / DEGREES, bearingDeg / DEGREES];
  const sin = Math.sin(lat) * Math.cos(way) + Math.cos(lat) * Math.sin(way) * Math.cos(bearing);
  const east = Math.atan2(Math.sin(bearing) * Math.sin(way) * Math.cos(lat), Math.cos(way) - Math.sin(lat) * sin);
  return [Math.asin(sin) * DEGREES, (((lon + east) * DEGREES + 540) % 360) - 180];
}

describe('the mean', () => {
  test('of positions around a point is that point, also at poles and on the antimeridian, with their spread', () => {
    const points = fc.record({
      lat: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 89.9, 0)),
      lon: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.99, 0)),
      nm: fc.double({ min: 1, max: 250, noNaN: true }),
    });
    fc.assert(
      fc.property(points, ({ lat, lon, nm }) => {
        const around = Array.from({ length: 360 }, (_, i) => offset(lat, lon, nm, i * 37));
        const row = coverageOf(around);
        expect(nmBetween(row.latitudeDecideg / 10, row.longitudeDecideg / 10, lat, lon)).toBeLessThan(6);
        expect(Math.abs(row.spreadNm - nm)).toBeLessThan(2);
        expect(row.samples).toBe(360);
        expect(Math.abs(row.latitudeDecideg)).toBeLessThanOrEqual(900);
        expect(Math.abs(row.longitudeDecideg)).toBeLessThanOrEqual(1800);
      }),
      { numRuns: 200 },
    );
  });

  test('is nearer to low aircraft', () => {
    const positions: Position[] = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? [50, 8, 1500] : [52, 8, HIGH_FT]));
    expect(coverageOf(positions).latitudeDecideg).toBeLessThan(504);
    const alike: Position[] = positions.map(([lat, lon]) => [lat, lon, HIGH_FT]);
    expect(coverageOf(alike).latitudeDecideg).toBeGreaterThan(512);
  });

  test('follows a receiver that moved, and is wide meanwhile', () => {
    const rows = (lat: number, count: number): Position[] => Array.from({ length: count }, () => [lat, 8]);
    const before = rows(50, 20_000);
    expect(coverageOf([...before, ...rows(40, 5000)]).spreadNm).toBeGreaterThan(250);
    const after = coverageOf([...before, ...rows(40, 60_000)]);
    expect(after.latitudeDecideg).toBe(400);
    expect(after.spreadNm).toBeLessThan(60);
  });
});

describe('the written coverage', () => {
  test('comes with the first tick of each ten seconds, also over a gap', () => {
    const receivers = heard([[50, 8]]);
    const due = (beforeMs: number, tickMs: number) => coverageDue(receivers, BASE_MS + beforeMs, BASE_MS + tickMs, BASE_MS) !== null;
    expect(due(9000, 10_000)).toBe(true);
    expect(due(10_000, 11_000)).toBe(false);
    expect(due(18_000, 19_000)).toBe(false);
    expect(due(13_000, 67_000)).toBe(true);
  });

  test('ends ten minutes after the last position', () => {
    const receivers = heard([[50, 8]]);
    expect(coverageDue(receivers, BASE_MS, BASE_MS + COVERAGE_MS, BASE_MS)).toHaveLength(1);
    expect(coverageDue(receivers, BASE_MS, BASE_MS + COVERAGE_MS + 1, BASE_MS)).toEqual([]);
  });

  test('has as many receivers as fit into a record, those with the most samples', () => {
    const receivers = new ReceiverTable(null);
    const count = limits.receiverCoveragesMax + 50;
    for (let i = 0; i < count; i += 1) {
      const number = receivers.numberOf(`receiver ${i}`);
      sampleCoverage(receivers, number, 0, -80_000_000, -170_000_000, HIGH_FT);
      receivers.numbers[number * RECEIVER_NUMBERS + R_COVERAGE_SAMPLES] = 1_000_000_000 + (i % 100);
    }
    const rows = written(receivers);
    expect(rows).toHaveLength(limits.receiverCoveragesMax);
    const left = Array.from({ length: count }, (_, i) => i).filter(
      (i) => !rows.some(({ receiver }) => receiver === receiverHash(`receiver ${i}`)),
    );
    expect(left.every((i) => i % 100 < 5)).toBe(true);
    const progress: AvroTypes['FoldProgress'] = {
      partition: 2047,
      tickMs: BASE_MS,
      frameOffset: 2 ** 50,
      frames: 2 ** 50,
      messages: 2 ** 50,
      positions: 2 ** 50,
      positionsDropped: 2 ** 50,
      aircraft: 65_536,
      rejected: Array.from({ length: 11 }, () => 2 ** 50),
      reaches: rows.map((row) => ({ ...row, spreadNm: 3440 })),
      foldVersion: 1000,
    };
    expect(avroType(avroSchemas.FoldProgress).toBuffer(progress).length).toBeLessThanOrEqual(topics.progress.recordBytesMax);
  });
});
