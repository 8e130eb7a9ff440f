// Plots of altitude, speed and signal of the aircraft in the panel: the last hour, then live. uPlot is loaded when the first plot is shown.
import type { MapPage } from '../map/map-page.ts';
import type { TrackPoint } from '../map/track-points.ts';
import { element, setText } from '../page/parts.ts';
import type { Plot } from '../page/plot.ts';
import { type Quantity, scaled, unitOf } from '../page/units.ts';
import { watch } from '../page/watch.ts';
import { type Section, section } from './panel.ts';
import { Samples, SPAN_S } from './samples.ts';

const HEIGHT = 92;
/** Plots are drawn again at most so often. */
const DRAWN_MS = 500;

const lines: readonly { readonly name: string; readonly title: string; readonly quantity?: Quantity }[] = [
  { name: 'altitude', title: 'Altitude', quantity: 'altitude' },
  { name: 'speed', title: 'Speed', quantity: 'speed' },
  { name: 'signal', title: 'Signal' },
];

/** Makes the plots. They take the newest values from `update`. */
export function openPlots({ store }: MapPage): Section {
  const samples = new Samples();
  const [figures, note] = [element('div'), element('p', { class: 'quiet' })];
  const all = section('Last hour', figures, note);
  all.classList.add('plots');
  let plots: readonly Plot[] | null = null;
  let [hex, stop, drawnMs] = ['', (): void => {}, 0];

  const draw = (): void => {
    drawnMs = performance.now();
    const { units } = store.view;
    for (const [n, { name, quantity }] of lines.entries()) {
      const factor = quantity === undefined ? 1 : scaled(1, quantity, units);
      const rows = samples.rows.map(({ time, [name]: value }) => ({ time, [name]: value == null ? null : value * factor }));
      plots?.[n]?.show(rows, quantity === undefined ? 'dBFS' : unitOf(quantity, units));
    }
  };
  const open = async (): Promise<void> => {
    plots = [];
    const { Plot } = await import('../page/plot.ts');
    plots = lines.map(({ name, title }) => new Plot({ title, unit: '', series: [[name, title]], height: HEIGHT }));
    figures.append(...plots.map((plot) => plot.element));
    draw();
  };
  /** The track up to a moment; null is now. */
  const load = (nowS: number, isPast: boolean): void => {
    stop();
    samples.clear(nowS);
    const path = isPast ? `history?from=${Math.round(nowS - SPAN_S)}&to=${Math.round(nowS)}` : `track?minutes=${SPAN_S / 60}`;
    setText(note, '');
    stop = watch<{ positions: readonly TrackPoint[]; incomplete?: boolean }>({
      ...{ path: `v2/aircraft/${hex}/${path}`, everyS: null },
      done: ({ positions, incomplete = false }) => {
        samples.addTrack(positions);
        if (incomplete) setText(note, 'Older positions are missing: the history is not available.');
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
    update: (aircraft, nowMs) => {
      if (samples.isElsewhere(nowMs / 1000)) load(nowMs / 1000, store.view.atMs !== null);
      samples.add(nowMs / 1000, aircraft);
      if (plots === null) void open();
      else if (performance.now() - drawnMs >= DRAWN_MS) draw();
    },
  };
}
