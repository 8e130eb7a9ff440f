// Receivers of simulated traffic are located by their coverage, in folds and in the view. A network under one name is not taken for a
// receiver.
import { expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { receiverHash } from '../../pipeline/fold/receiver-coverage.ts';
import { positionVector } from '../../pipeline/geo/sphere.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import type { CoverageRow } from '../../schemas/avro/fold-progress.ts';

const START_US = 1_700_000_000_000_000;
const AIRCRAFT = 200;
/** Half a diagonal of the view's grid. */
const GRID_NM = 11;

/** Final result of the folds of two partitions. `name`: receiver name for the frames of receiver `i`. */
function measured(seconds: number, name: (receiver: number) => string) {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 1, startUs: START_US });
  const folds = [0, 1].map(() => new PartitionFold({ tickMs: 1000, receiver: null }));
  const reported: CoverageRow[][] = [[], []];
  const outcome = createFrameOutcome();
  traffic.advance(START_US + seconds * 1e6, ({ bytes, at, byteLength, timeUs, signal, flags, receiver }, aircraft) => {
    const partition = aircraft % 2;
    const fold = folds[partition]!;
    fold.advance(timeUs, ({ progress }) => {
      if (progress.reaches !== null) reported[partition] = progress.reaches;
    });
    fold.applyFrame({ bytes, at, byteLength, timeUs, signal, flags }, fold.receiverNumber(name(receiver)), outcome);
  });
  return { stations: traffic.receivers, reported };
}

/** The view of both partitions, of all receivers or of one. */
function viewOf(reported: readonly CoverageRow[][], only?: string): MeasuredReceivers {
  const view = new MeasuredReceivers();
  for (const [partition, coverages] of reported.entries())
    view.take(partition, 0, only === undefined ? coverages : coverages.filter(({ receiver }) => receiver === receiverHash(only)));
  return view;
}

test('a receiver is located at its traffic, within 30 nm, and its neighbourhood is covered', () => {
  const { stations, reported } = measured(400, (receiver) => `receiver ${receiver}`);
  const view = viewOf(reported);
  expect(view.count).toBe(stations.length);
  for (const [i, { airport, latDeg, lonDeg }] of stations.entries()) {
    const station = positionVector(latDeg, lonDeg);
    expect(viewOf(reported, `receiver ${i}`).around(station, 0).nearestNm, airport).toBeLessThan(30 + GRID_NM);
    expect(view.around(station, 150).count, airport).toBeGreaterThan(0);
  }
});

test('many receivers under one name are not located', () => {
  const { reported } = measured(120, () => 'network');
  expect(reported.map((coverages) => coverages.length)).toEqual([1, 1]);
  expect(reported[0]![0]!.samples).toBeGreaterThan(100);
  expect(viewOf(reported).count).toBe(0);
});
