// Plots of altitude, speed and signal of the aircraft in the panel: the last hour, then live. uPlot is loaded when the first plot is shown.
import type uPlot from 'uplot';
import type { MapPage } from '../map/map-page.ts';
import { colours } from '../page/drawing.ts';
import { element } from '../page/parts.ts';
import { clockTime, type Quantity, scaled, shown, type Units } from '../page/units.ts';
import type { Aircraft } from '../sky/picture.ts';
import { setText } from './lists.ts';
import type { Section } from './panel.ts';
import { rangeOf, Samples, SPAN_S, type TrackPoint } from './samples.ts';
import { watch } from './watch.ts';

const HEIGHT = 92;
/** Plots are drawn again at most so often. */
const DRAWN_MS = 500;
/** A plot that has less is not stretched. */
const SPAN_S_MIN = 300;

const series: readonly { readonly title: string; readonly quantity: Quantity | null }[] = [
  { title: 'Altitude', quantity: 'altitude' },
  { title: 'Speed', quantity: 'speed' },
  { title: 'Signal', quantity: null },
];

const textOf = (value: number | null | undefined, quantity: Quantity | null, units: Units): string =>
  quantity === null ? (typeof value === 'number' ? `${value.toFixed(1).replace('-', '−')} dBFS` : '—') : shown(value, quantity, units);
const tick = (value: number): string => String(Math.round(value * 10) / 10).replace(/000$/, 'k');

interface Plot {
  readonly box: HTMLElement;
  readonly caption: HTMLElement;
  chart: uPlot | null;
}

/** Makes the plots. They take the newest values from `update`. */
export function openPlots({ store, onTheme }: MapPage): Section {
  const samples = new Samples();
  const note = element('p', { class: 'quiet' });
  const plots: Plot[] = series.map(() => ({ box: element('div', { class: 'plot' }), caption: element('figcaption'), chart: null }));
  const figures = plots.map(({ box, caption }) => element('figure', {}, caption, box));
  const all = element('section', { class: 'plots' }, element('h3', {}, 'Last hour'), ...figures, note);
  let [hex, stop, drawnMs, isLoading] = ['', (): void => {}, 0, false];

  const draw = (): void => {
    const { units } = store.view;
    const times = samples.list.map(({ time }) => time);
    for (const [n, { caption, chart }] of plots.entries()) {
      const { title, quantity } = series[n]!;
      const scale = (value: number | null): number | null => (value === null || quantity === null ? value : scaled(value, quantity, units));
      chart?.setData([times, samples.list.map(({ values }) => scale(values[n] ?? null))]);
      if (typeof chart?.cursor.idx !== 'number') {
        const range = rangeOf(samples.list, n);
        const spread = range === null ? '' : `, ${textOf(range[0], quantity, units)} to ${textOf(range[1], quantity, units)}`;
        setText(caption, `${title}: ${textOf(samples.list.at(-1)?.values[n], quantity, units)}${spread}`);
      }
    }
  };
  const open = async (): Promise<void> => {
    isLoading = true;
    const { default: UPlot } = await import('uplot');
    for (const [n, plot] of plots.entries())
      plot.chart = new UPlot(
        optionsOf(n, plots, () => store.view.units, samples),
        [[], []],
        plot.box,
      );
    new ResizeObserver(() => {
      const width = plots[0]!.box.clientWidth;
      for (const { chart } of plots) if (width > 0 && chart !== null && chart.width !== width) chart.setSize({ width, height: HEIGHT });
    }).observe(all);
    draw();
  };
  onTheme(() => {
    for (const { chart } of plots) chart?.redraw(false, true);
  });
  /** The track up to a moment; null is now. */
  const load = (nowS: number, isPast: boolean): void => {
    stop();
    samples.clear(nowS);
    const path = isPast ? `history?from=${Math.round(nowS - SPAN_S)}&to=${Math.round(nowS)}` : `track?minutes=${SPAN_S / 60}`;
    setText(note, 'The signal is that since this panel was opened.');
    stop = watch<{ positions: readonly TrackPoint[]; incomplete?: boolean }>({
      ...{ path: `v2/aircraft/${hex}/${path}`, everyS: null },
      done: ({ positions, incomplete = false }) => {
        samples.addTrack(positions);
        if (incomplete)
          setText(note, 'Older positions are missing: the history is not available. The signal is that since this panel was opened.');
        draw();
      },
      failed: (problem) => setText(note, `Only live values: ${problem}`),
    });
  };
  return {
    element: all,
    show: (subject) => {
      if (subject === hex) return;
      hex = subject;
      stop();
      samples.clear(Number.NaN);
    },
    update: (aircraft: Aircraft, nowMs: number) => {
      if (samples.isElsewhere(nowMs / 1000)) load(nowMs / 1000, store.view.atMs !== null);
      samples.add(nowMs / 1000, aircraft);
      if (!isLoading) void open();
      if (performance.now() - drawnMs < DRAWN_MS) return;
      drawnMs = performance.now();
      draw();
    },
  };
}

function optionsOf(n: number, plots: readonly Plot[], units: () => Units, samples: Samples): uPlot.Options {
  const { title, quantity } = series[n]!;
  const { box, caption } = plots[n]!;
  // Asked at each redraw: the colours may be others then.
  const variable = (name: 'line' | 'quiet' | 'accent') => (): string => colours([name])[name];
  const grid = { stroke: variable('line'), width: 1 };
  const axis = { stroke: variable('quiet'), grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  return {
    ...{ width: Math.max(box.clientWidth, 1), height: HEIGHT, legend: { show: false }, padding: [6, 8, 0, 0] },
    cursor: { sync: { key: 'panel' }, drag: { x: false, y: false }, y: false, points: { size: 6 } },
    scales: {
      x: {
        range: () => {
          const [first, last] = [samples.list[0]?.time ?? 0, samples.list.at(-1)?.time ?? 1];
          return [Math.min(Math.max(first, last - SPAN_S), last - SPAN_S_MIN), last];
        },
      },
    },
    axes: [
      { ...axis, size: 20, space: 70, values: (_, splits) => splits.map((seconds) => clockTime(seconds * 1000).slice(0, 5)) },
      { ...axis, size: 40, space: 24, values: (_, splits) => splits.map(tick) },
    ],
    series: [{}, { label: title, stroke: variable('accent'), width: 1.5, points: { show: false } }],
    hooks: {
      setCursor: [
        ({ cursor: { idx }, data: [times] }) => {
          const sample = typeof idx === 'number' ? samples.list[idx] : undefined;
          if (sample === undefined || times[idx!] === undefined) return;
          setText(caption, `${title}: ${textOf(sample.values[n], quantity, units())} at ${clockTime(sample.time * 1000)} UTC`);
        },
      ],
    },
  };
}
