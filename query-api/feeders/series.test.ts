// Points of plots from rows of history: sums, means and the greatest of a step.
import { expect, it } from 'vitest';
import type { FeederHistoryRow } from '../../schemas/feeder-history.ts';
import { greatestRanges, pointsOf, spans } from './series.ts';

const START_MS = Date.UTC(2026, 0, 5);
const row = (minute: number, frames: number, own: Partial<FeederHistoryRow> = {}): FeederHistoryRow => ({
  ...{ timeMs: START_MS + minute * 60_000, frames, positions: 1, disagreements: 0, aircraft: 3, signalDecidb: -100 },
  ...{ rangeNm: new Array<number>(16).fill(0), ...own },
});
const east = new Array<number>(16).fill(10).with(4, 90);

it('has a point for each row of a day, and none where nothing was heard', () => {
  expect(pointsOf([row(0, 3000), row(10, 600, { signalDecidb: null, rangeNm: east })], spans.day.stepMs)).toEqual([
    { timeMs: START_MS, framesPerS: 10, aircraft: 3, signalDb: -10, rangeNm: 0 },
    { timeMs: START_MS + 600_000, framesPerS: 2, aircraft: 3, signalDb: null, rangeNm: 90 },
  ]);
});

it('puts half an hour of a week together', () => {
  const rows = [row(0, 3000), row(25, 9000, { signalDecidb: -60, aircraft: 8, rangeNm: east }), row(30, 300)];
  expect(pointsOf(rows, spans.week.stepMs)).toEqual([
    { timeMs: START_MS, framesPerS: 20, aircraft: 8, signalDb: -7, rangeNm: 90 },
    { timeMs: START_MS + 1_800_000, framesPerS: 1, aircraft: 3, signalDb: -10, rangeNm: 0 },
  ]);
  expect(greatestRanges(rows)).toEqual(east);
  expect(greatestRanges([])).toEqual(new Array(16).fill(0));
});
