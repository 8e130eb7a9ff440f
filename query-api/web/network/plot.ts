// A plot over time with uPlot, in the colours of the look, with a name, a legend and its last values in words.
import uPlot from 'uplot';
import { colours } from '../page/drawing.ts';
import { number } from '../page/numbers.ts';
import { element } from '../page/parts.ts';
import type { Samples } from './history.ts';

const HEIGHT = 220;
const DAY_S = 86_400;
const SERIES = ['series-1', 'series-2', 'series-3', 'series-4'] as const;

export interface PlotSpec {
  readonly title: string;
  readonly unit: string;
  /** Names of values, and what they are called. */
  readonly series: readonly (readonly [value: string, name: string])[];
  /** Two of the series that are edges of a band in the colour of the first. */
  readonly band?: readonly [low: string, high: string];
  /** The axis begins at zero. */
  readonly fromZero: boolean;
}

const two = (value: number): string => String(value).padStart(2, '0');
/** A time of the axis, UTC: days where they begin, else hours and minutes. */
const axisTime = (s: number): string => {
  const at = new Date(s * 1000);
  if (s % DAY_S === 0) return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
};
const compact = (value: number): string => value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
/** Date and time of a sample, UTC. */
export const sampleTime = (s: number): string => `${new Date(s * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The newest value that is known; null for none. */
const last = (values: readonly (number | null)[] | undefined): number | null => values?.findLast((value) => value !== null) ?? null;

/** Draws a plot into a figure. Call `destroy` of what it returns before the next one. */
export function drawPlot(figure: HTMLElement, spec: PlotSpec, { times, values }: Samples): uPlot | null {
  const { title, unit, series, band, fromZero } = spec;
  const words = series.map(([value, name]) => [name, last(values[value])] as const).filter(([, value]) => value !== null);
  const text = words.length === 0 ? 'no data' : words.map(([name, value]) => `${name} ${number(value!)}`).join(', ');
  const canvas = element('div', { class: 'plot', role: 'img', 'aria-label': `${title}, ${unit}. Last: ${text}.` });
  figure.replaceChildren(element('figcaption', { class: 'between' }, element('h2', {}, title), element('span', {}, unit)), canvas);
  if (words.length === 0) {
    canvas.append(element('p', { class: 'quiet' }, 'Nothing is kept of this time.'));
    return null;
  }
  const look = colours([...SERIES, 'quiet', 'line', 'ink', 'surface']);
  const lines: uPlot.Series[] = series.map(([value, label], i) => ({
    ...{ label, width: band?.includes(value) ? 0.75 : 1.75, points: { show: false } },
    stroke: look[band === undefined ? SERIES[i % SERIES.length]! : SERIES[0]],
    value: (_plot: uPlot, each: number | null) => (each === null ? '–' : number(each)),
  }));
  const edges = band?.map((name) => 1 + series.findIndex(([value]) => value === name)).reverse() as [number, number] | undefined;
  const axis = { stroke: look.quiet, grid: { stroke: look.line, width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  const options: uPlot.Options = {
    ...{ width: canvas.clientWidth, height: HEIGHT, tzDate: (s) => uPlot.tzDate(new Date(s * 1000), 'Etc/UTC') },
    series: [{ value: (_plot, value) => (value === null ? '–' : sampleTime(value)) }, ...lines],
    bands: edges === undefined ? [] : [{ series: edges, fill: translucent(look[SERIES[0]]) }],
    axes: [
      { ...axis, values: (_plot, splits) => splits.map(axisTime), space: 64, size: 32 },
      { ...axis, values: (_plot, splits) => splits.map(compact), size: 52 },
    ],
    scales: { x: { time: true }, y: { range: (_plot, low, high) => rangeOf(low, high, fromZero) } },
    cursor: { y: false, sync: { key: 'network' }, points: { size: 7 }, drag: { x: false, y: false } },
    legend: { live: true },
  };
  const none = new Array<null>(times.length).fill(null);
  return new uPlot(options, [[...times], ...series.map(([name]) => [...(values[name] ?? none)])], canvas);
}

function rangeOf(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = Math.max(high - (fromZero ? 0 : low), 1) * 0.1;
  return [fromZero ? 0 : low - room, high + room];
}

const translucent = (rgb: string): string => rgb.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.18)');
