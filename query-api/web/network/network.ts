// The page of the network: what it hears now, and plots over time. The span is in the address: ?span=24h.
import type uPlot from 'uplot';
import { compass } from '../page/compass.ts';
import { number } from '../page/numbers.ts';
import { byId, element, getJson } from '../page/parts.ts';
import { loadCoverage } from './coverage.ts';
import { loadHistory, type Samples, SPANS, type SpanName } from './history.ts';
import { drawPlot, type PlotSpec, sampleTime } from './plot.ts';

const LIVE_MS = 5000;
const HISTORY_MS = 60_000;
const TABLE_ROWS = 12;

const plots: readonly PlotSpec[] = [
  {
    ...{ title: 'Aircraft', unit: 'at a time', fromZero: true },
    series: [
      ['aircraft', 'all'],
      ['with_position', 'with a position'],
    ],
  },
  { title: 'Messages', unit: 'a second', series: [['messages_per_second', 'messages']], fromZero: true },
  {
    ...{ title: 'Signal', unit: 'dBFS', fromZero: false },
    series: [
      ['median', 'median'],
      ['p10', '10 % below'],
      ['p90', '90 % below'],
    ],
    band: ['p10', 'p90'],
  },
  {
    ...{ title: 'Sources', unit: 'aircraft by kind of source', fromZero: true },
    series: [
      ['adsb_icao', 'ADS-B'],
      ['mlat', 'MLAT'],
      ['tisb', 'TIS-B'],
      ['adsr', 'ADS-R'],
    ],
  },
];

interface Count {
  readonly code?: string;
  /** Of types. */
  readonly t?: string;
  readonly name?: string;
  readonly count: number;
}
/** `/v2/stats/live`. */
interface Live {
  readonly aircraft_total: number;
  readonly with_position: number;
  readonly airborne: number;
  readonly ground: number;
  readonly messages_per_second?: number;
  readonly types: readonly Count[];
  readonly operators: readonly Count[];
  readonly airports: readonly Count[];
  readonly countries: readonly Count[];
}

const isSpan = (name: string | null): name is SpanName => name !== null && Object.hasOwn(SPANS, name);
const chosenSpan = (): SpanName => {
  const given = new URLSearchParams(location.search).get('span');
  return isSpan(given) ? given : '24h';
};

function showProblem(error: unknown): void {
  byId('problem').hidden = error === null;
  byId('problem').textContent = error instanceof Error ? error.message : '';
}

async function showLive(): Promise<void> {
  const [live, signal, { simulated = false }] = await Promise.all([
    getJson<Live>('v2/stats/live'),
    getJson<{ median?: number }>('v2/signal'),
    getJson<{ simulated?: boolean }>('v2/stats'),
  ]);
  byId('simulated').hidden = !simulated;
  const facts: readonly (readonly [string, string])[] = [
    ['Aircraft', number(live.aircraft_total)],
    ['With a position', number(live.with_position)],
    ['In the air', number(live.airborne)],
    ['On the ground', number(live.ground)],
    ['Messages a second', live.messages_per_second === undefined ? '–' : number(live.messages_per_second)],
    ['Signal, median', signal.median === undefined ? '–' : `${number(signal.median)} dBFS`],
  ];
  byId('live').replaceChildren(...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
  for (const id of ['types', 'operators', 'airports', 'countries'] as const)
    byId(id).replaceChildren(...live[id].map((each) => rankRow(each, live[id][0]!.count)));
}

/** A row with a bar: as long as its part of the greatest count. */
function rankRow({ code, t = code, name = '', count }: Count, most: number): HTMLElement {
  const bar = element('span', { class: 'bar' });
  bar.style.setProperty('--part', `${(100 * count) / most}%`);
  const words = element('span', { class: 'cut', title: name }, element('b', {}, t ?? ''), ` ${name}`);
  return element('li', {}, words, bar, element('span', { class: 'number' }, number(count)));
}

/** The last values of all plots. */
function showTable({ times, values }: Samples): void {
  const columns = plots.flatMap(({ title, series }) => series.map(([value, name]) => ({ value, name: `${title}, ${name}` })));
  const head = element('tr', {}, ...['Time', ...columns.map(({ name }) => name)].map((name) => element('th', { scope: 'col' }, name)));
  const known = times.map((_, i) => i).filter((i) => columns.some(({ value }) => values[value]?.[i] != null));
  const rows = known
    .slice(-TABLE_ROWS)
    .reverse()
    .map((i) => {
      const cells = columns.map(({ value }) =>
        element('td', { class: 'number' }, values[value]?.[i] == null ? '–' : number(values[value][i])),
      );
      return element('tr', {}, element('td', {}, sampleTime(times[i]!)), ...cells);
    });
  byId('values').replaceChildren(element('thead', {}, head), element('tbody', {}, ...rows));
}

/** Runs now and again, while the page is visible. */
function repeat(task: () => Promise<void>, everyMs: number): void {
  const run = async (): Promise<void> => {
    if (document.visibilityState === 'visible') await task().then(() => showProblem(null), showProblem);
    setTimeout(run, everyMs);
  };
  void run();
}

/** Plots of the span in the address. */
class History {
  private samples: Samples | null = null;
  private drawn: (uPlot | null)[] = [];
  private readonly figures = plots.map(() => byId('plots').appendChild(element('figure', { class: 'card' })));

  constructor() {
    for (const [name, { name: words }] of Object.entries(SPANS)) {
      const onclick = (event: Event): void => {
        event.preventDefault();
        history.pushState(null, '', `?span=${name}`);
        this.change();
      };
      byId('spans').append(element('a', { class: 'button', href: `?span=${name}`, 'data-span': name, onclick }, words));
    }
    addEventListener('popstate', () => this.change());
    document.addEventListener('theme', () => this.draw());
    new ResizeObserver(() => this.fit()).observe(byId('plots'));
  }

  async load(): Promise<void> {
    const span = chosenSpan();
    for (const link of byId('spans').querySelectorAll('a')) {
      if (link.dataset['span'] === span) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    const loaded = await loadHistory(span);
    if (span !== chosenSpan()) return;
    this.samples = loaded;
    byId('no-history').hidden = loaded.isKept;
    this.draw();
  }

  private change(): void {
    void this.load().catch(showProblem);
  }

  private draw(): void {
    const { samples } = this;
    if (samples === null) return;
    for (const plot of this.drawn) plot?.destroy();
    this.drawn = plots.map((spec, i) => drawPlot(this.figures[i]!, spec, samples));
    showTable(samples);
  }

  private fit(): void {
    for (const [i, plot] of this.drawn.entries()) {
      const width = this.figures[i]!.querySelector('.plot')?.clientWidth ?? 0;
      if (plot !== null && width > 0 && width !== plot.width) plot.setSize({ width, height: plot.height });
    }
  }
}

async function showCoverage(): Promise<void> {
  const ranges = await loadCoverage();
  byId('coverage').hidden = ranges === null;
  if (ranges !== null) byId('coverage').replaceChildren(compass(ranges));
}

function start(): void {
  const past = new History();
  repeat(showLive, LIVE_MS);
  repeat(() => past.load(), HISTORY_MS);
  repeat(showCoverage, HISTORY_MS);
}

start();
