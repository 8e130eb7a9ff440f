// Plots of a feeder: lines over the span, and the range by direction. Each says in words what it shows.
import { compass } from '../page/compass.ts';
import { drawn } from '../page/drawing.ts';
import { number } from '../page/numbers.ts';
import { element } from '../page/parts.ts';

const WIDTH = 480;
const HEIGHT = 100;

export interface Point {
  readonly time: number;
  readonly messages_per_second: number;
  readonly aircraft: number;
  readonly signal_dbfs?: number;
  readonly range_nm: number;
}
export interface FeederHistory {
  readonly from: number;
  readonly to: number;
  readonly step_seconds: number;
  /** In 16 directions, north first, clockwise. */
  readonly ranges_nm: readonly number[];
  readonly points: readonly Point[];
}

/** All plots of a history. */
export const plotsOf = (history: FeederHistory): HTMLElement[] => [
  graph(history, 'Messages', 'a second', (point) => point.messages_per_second),
  graph(history, 'Aircraft', 'at a time', (point) => point.aircraft),
  graph(history, 'Signal', 'dBFS', (point) => point.signal_dbfs),
  graph(history, 'Range', 'nm', (point) => point.range_nm || undefined),
  compass(history.ranges_nm),
];

/** A line over the span. Where a step is missing, the line is, too. */
function graph(
  { from, to, step_seconds: step, points }: FeederHistory,
  name: string,
  unit: string,
  pick: (point: Point) => number | undefined,
): HTMLElement {
  const known = points.flatMap((point) => {
    const value = pick(point);
    return value === undefined ? [] : [{ at: point.time, value }];
  });
  const values = known.map(({ value }) => value);
  const [low, high] = values.length === 0 ? [0, 1] : [Math.min(0, ...values), Math.max(...values)];
  // Levels in dBFS are below zero: their plot begins at the lowest.
  const floor = high < 0 ? Math.min(...values) - 1 : low;
  const scale = Math.max(high - floor, 1e-9);
  const xy = ({ at, value }: { at: number; value: number }) =>
    `${(((at - from) / (to - from)) * WIDTH).toFixed(1)},${(HEIGHT * (1 - (0.92 * (value - floor)) / scale) - 2).toFixed(1)}`;
  const isJoined = (i: number) => i > 0 && known[i]!.at - known[i - 1]!.at <= 1.5 * step;
  const line = known.map((point, i) => `${isJoined(i) ? 'L' : 'M'}${xy(point)}h0.1`).join('');
  const words =
    values.length === 0 ? 'nothing heard' : `${number(Math.min(...values))} to ${number(high)} ${unit}, last ${number(values.at(-1)!)}`;
  const drawing = drawn(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', class: 'graph', 'aria-label': `${name}: ${words}` },
    ...[0.25, 0.5, 0.75].map((part) => drawn('path', { class: 'ring', d: `M0 ${part * HEIGHT}h${WIDTH}` })),
    drawn('path', { class: 'line', d: line }),
  );
  return element('figure', {}, element('h3', {}, name), drawing, element('figcaption', {}, words));
}
