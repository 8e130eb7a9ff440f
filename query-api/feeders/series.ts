// Plots of a feeder from its history: points in time, and the greatest range in each direction.
import { FEEDER_DIRECTIONS } from '../../schemas/avro/feeder-record.ts';
import { FEEDER_ROW_MS, type FeederHistoryRow } from '../../schemas/feeder-history.ts';

const DAY_MS = 86_400_000;

/** Spans of the plots: how long, and how far apart points are. */
export const spans = {
  day: { ms: DAY_MS, stepMs: FEEDER_ROW_MS },
  week: { ms: 7 * DAY_MS, stepMs: 6 * FEEDER_ROW_MS },
} as const;
export type SpanName = keyof typeof spans;

/** The time in a step in which the feeder was heard. */
export interface Point {
  /** Start of the step, ms since the Unix epoch. */
  readonly timeMs: number;
  readonly framesPerS: number;
  /** The most in one minute. */
  readonly aircraft: number;
  /** dBFS; null without any. */
  readonly signalDb: number | null;
  /** The greatest of all directions; 0 without any. */
  readonly rangeNm: number;
}

/** Rows, the oldest first, as points; steps without a row have none. */
export function pointsOf(rows: readonly FeederHistoryRow[], stepMs: number): Point[] {
  const steps = new Map<number, FeederHistoryRow[]>();
  for (const row of rows) {
    const timeMs = row.timeMs - (row.timeMs % stepMs);
    const step = steps.get(timeMs);
    if (step === undefined) steps.set(timeMs, [row]);
    else step.push(row);
  }
  return [...steps].map(([timeMs, step]) => ({ timeMs, ...pointOf(step) }));
}

function pointOf(rows: readonly FeederHistoryRow[]): Omit<Point, 'timeMs'> {
  const sum = (number: (row: FeederHistoryRow) => number): number => rows.reduce((total, row) => total + number(row), 0);
  const heard = rows.filter(({ signalDecidb }) => signalDecidb !== null);
  const weight = heard.reduce((total, { frames }) => total + frames, 0);
  const signal = heard.reduce((total, { signalDecidb, frames }) => total + signalDecidb! * frames, 0);
  return {
    framesPerS: (sum(({ frames }) => frames) * 1000) / (rows.length * FEEDER_ROW_MS),
    aircraft: Math.max(...rows.map(({ aircraft }) => aircraft)),
    signalDb: weight === 0 ? null : signal / weight / 10,
    rangeNm: Math.max(...rows.flatMap(({ rangeNm }) => rangeNm)),
  };
}

/** The greatest range in each direction, north first, clockwise; 0 without any. */
export function greatestRanges(rows: readonly FeederHistoryRow[]): number[] {
  return Array.from({ length: FEEDER_DIRECTIONS }, (_, i) => rows.reduce((most, { rangeNm }) => Math.max(most, rangeNm[i] ?? 0), 0));
}
