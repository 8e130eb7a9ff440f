// A plot over time with uPlot, in the colours of the look. Its caption says least, greatest and last value, or the value under the pointer; several series have
// a legend for that.
import uPlot from 'uplot';
import { colours } from './drawing.ts';
import { element, setText } from './parts.ts';
import { clockTime, dateTime, number } from './units.ts';

/** Values by name at a time, Unix s. An unknown value is a gap of its line. */
export type Row = Readonly<Record<string, number | null | undefined>> & { readonly time: number };

export interface PlotSpec {
  readonly title: string;
  readonly unit: string;
  /** Names of values, and what they are called. */
  readonly series: readonly (readonly [value: string, name: string])[];
  /** The second and the third of the series are edges of a band in the colour of the first. */
  readonly hasBand?: boolean;
  /** The axis begins at zero. */
  readonly fromZero?: boolean;
  /** CSS pixels. */
  readonly height: number;
}

const SERIES = ['series-1', 'series-2', 'series-3', 'series-4'] as const;
const DAY_S = 86_400;
/** A plot that has less is not stretched. */
const SPAN_S_MIN = 300;

/** All steps of a span, in s, with the rows that are known. */
export function stepsOf(fromS: number, toS: number, stepS: number, known: readonly Row[]): Row[] {
  const rows = new Map(known.map((row) => [Math.round((row.time - fromS) / stepS), row]));
  return Array.from({ length: Math.ceil((toS - fromS) / stepS) }, (_, i) => rows.get(i) ?? { time: fromS + i * stepS });
}

/** A time of the axis, UTC: days where they begin, else hours and minutes. */
function axisTime(s: number): string {
  if (s % DAY_S !== 0) return clockTime(1000 * s).slice(0, 5);
  return new Date(1000 * s).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
const compact = (value: number): string => value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });

export class Plot {
  readonly element: HTMLElement;
  private readonly spec: PlotSpec;
  private readonly words = element('span');
  private readonly box = element('div', { class: 'plot', role: 'img' });
  private rows: readonly Row[] = [];
  private unit: string;
  private chart: uPlot | null = null;

  constructor(spec: PlotSpec) {
    this.spec = spec;
    this.unit = spec.unit;
    const caption = element('figcaption', { class: 'between' }, element('b', {}, spec.title), this.words);
    this.element = element('figure', {}, caption, this.box);
    // A canvas has the colours that it was made with.
    document.addEventListener('theme', () => {
      this.chart?.destroy();
      this.chart = null;
      this.show(this.rows, this.unit);
    });
    new ResizeObserver(() => this.chart?.setSize({ width: Math.max(this.box.clientWidth, 1), height: spec.height })).observe(this.box);
  }

  /** Ascending; the unit may be another than before. */
  show(rows: readonly Row[], unit = this.spec.unit): void {
    [this.rows, this.unit] = [rows, unit];
    const known = this.spec.series.flatMap(([value, name]) => this.rangeOf(value, name) ?? []);
    this.box.ariaLabel = `${this.spec.title}: ${known.join('; ') || 'no data'}`;
    const data = [rows.map(({ time }) => time), ...this.spec.series.map(([name]) => rows.map((row) => row[name] ?? null))];
    if (known.length > 0) this.chart ??= new uPlot(this.options(), undefined, this.box);
    this.chart?.setData(data as uPlot.AlignedData);
    this.showValue(this.chart?.cursor.idx);
  }

  /** `100 to 300 a second, last 200`, with its name where it is one of several. */
  private rangeOf(value: string, name: string): string | null {
    const values = this.rows.flatMap((row) => row[value] ?? []);
    if (values.length === 0) return null;
    const [least, greatest, last] = [Math.min(...values), Math.max(...values), values.at(-1)!].map(number);
    return `${this.spec.series.length === 1 ? '' : `${name} `}${least} to ${greatest} ${this.unit}, last ${last}`;
  }

  private showValue(at: number | null | undefined): void {
    const { series } = this.spec;
    const row = typeof at === 'number' ? this.rows[at] : undefined;
    const value = row?.[series[0]![0]];
    if (series.length > 1) setText(this.words, this.unit);
    else if (row === undefined) setText(this.words, this.rangeOf(...series[0]!) ?? 'no data');
    else setText(this.words, `${value == null ? '–' : `${number(value)} ${this.unit}`} at ${dateTime(1000 * row.time)} UTC`);
  }

  private options(): uPlot.Options {
    const { series, hasBand = false, height } = this.spec;
    const paints = colours([...SERIES, 'quiet', 'line']);
    const axis = {
      stroke: paints.quiet,
      grid: { stroke: paints.line, width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    const lines: uPlot.Series[] = series.map(([_, label], i) => ({
      ...{ label, width: hasBand && i > 0 ? 0.75 : 1.75, points: { show: false } },
      stroke: paints[hasBand ? SERIES[0] : SERIES[i % SERIES.length]!],
      value: (_plot, value: number | null) => (value === null ? '–' : number(value)),
    }));
    return {
      ...{ width: Math.max(this.box.clientWidth, 1), height, padding: [6, 8, 0, 0] },
      tzDate: (s) => uPlot.tzDate(new Date(1000 * s), 'Etc/UTC'),
      series: [{ value: (_plot, value) => (value === null ? '–' : `${dateTime(1000 * value)} UTC`) }, ...lines],
      bands: hasBand ? [{ series: [3, 2], fill: paints['series-1'].replace(/^rgb\((.*)\)$/, 'rgba($1, 0.18)') }] : [],
      axes: [
        { ...axis, values: (_plot, splits) => splits.map(axisTime), space: 64, size: 24 },
        { ...axis, values: (_plot, splits) => splits.map(compact), space: 24, size: 44 },
      ],
      scales: {
        x: { time: true, range: (_plot, first, last) => (last === null ? [0, 1] : [Math.min(first, last - SPAN_S_MIN), last]) },
        y: { range: (_plot, low, high) => this.roomFor(low, high) },
      },
      cursor: { y: false, sync: { key: 'plots' }, points: { size: 7 }, drag: { x: false, y: false } },
      legend: { show: series.length > 1 },
      hooks: { setCursor: [({ cursor: { idx } }) => this.showValue(idx)] },
    };
  }

  private roomFor(low: number | null, high: number | null): [number, number] {
    if (low === null || high === null) return [0, 1];
    const from = this.spec.fromZero ? 0 : low;
    const room = Math.max(high - from, 1) * 0.1;
    return [this.spec.fromZero ? 0 : low - room, high + room];
  }
}
