// The page of the network: what it hears now, and plots over time. The span is in the address: ?span=24h.

import { compass } from '../page/compass.ts';
import { Facts } from '../page/lists.ts';
import { byId, element, setHidden, setNotice } from '../page/parts.ts';
import { Plot, type PlotSpec, type Row, stepsOf } from '../page/plot.ts';
import { dateTime, number } from '../page/units.ts';
import { watch } from '../page/watch.ts';
import { distanceAndBearing } from '../sky/mercator.ts';

const LIVE_S = 5;
const HISTORY_S = 60;
const TABLE_ROWS = 12;
const HEIGHT = 220;
/** Sectors of the range by direction. */
const SECTORS = 36;

/** Spans by their names in the address, and steps of which a plot has room for, s. */
const SPANS: Readonly<Record<string, { readonly name: string; readonly seconds: number; readonly step: number }>> = {
  '1h': { name: '1 h', seconds: 3600, step: 10 },
  '6h': { name: '6 h', seconds: 6 * 3600, step: 60 },
  '24h': { name: '24 h', seconds: 24 * 3600, step: 300 },
  '7d': { name: '7 d', seconds: 7 * 86_400, step: 900 },
  '30d': { name: '30 d', seconds: 30 * 86_400, step: 3600 },
};
const specs: readonly PlotSpec[] = [
  {
    ...{ title: 'Aircraft', unit: 'at a time', fromZero: true, height: HEIGHT },
    series: [
      ['aircraft', 'all'],
      ['with_position', 'with a position'],
    ],
  },
  { title: 'Messages', unit: 'a second', series: [['messages_per_second', 'messages']], fromZero: true, height: HEIGHT },
  {
    ...{ title: 'Signal', unit: 'dBFS', hasBand: true, height: HEIGHT },
    series: [
      ['median', 'median'],
      ['p10', '10 % below'],
      ['p90', '90 % below'],
    ],
  },
  {
    ...{ title: 'Sources', unit: 'aircraft', fromZero: true, height: HEIGHT },
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
  /** Names of types. */
  readonly t?: string;
  readonly name?: string;
  readonly count: number;
}
/** `/v2/stats/live`. */
interface Live extends Readonly<Record<'types' | 'operators' | 'airports' | 'countries', readonly Count[]>> {
  readonly aircraft_total: number;
  readonly with_position: number;
  readonly airborne: number;
  readonly ground: number;
  readonly messages_per_second?: number;
}
/** `/v2/stats/history`: means of steps. Members that are not known are absent. */
interface StatisticsHistory {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly kept: { readonly history?: number };
  readonly history: readonly {
    /** Start, Unix s. */
    readonly t: number;
    readonly sources?: Readonly<Record<string, number>>;
    readonly signal: Readonly<Record<string, number>>;
  }[];
}
interface Outline {
  readonly actualRange?: { readonly last24h: { readonly points: readonly (readonly [lat: number, lon: number, altitudeFt: number])[] } };
}

const failed = (problem: string): void => setNotice(byId('problem'), problem);

const shown = (value: number | undefined, unit = ''): string => (value === undefined ? '—' : number(value) + unit);

function openNow(): void {
  const facts = new Facts(byId('live'));
  let median: number | undefined;
  const show = (live?: Live): void =>
    facts.update('', [
      ['Aircraft', shown(live?.aircraft_total)],
      ['With a position', shown(live?.with_position)],
      ['In the air', shown(live?.airborne)],
      ['On the ground', shown(live?.ground)],
      ['Messages a second', shown(live?.messages_per_second)],
      ['Signal, median', shown(live && median, ' dBFS')],
    ]);
  show();
  watch<Live>({
    ...{ path: 'v2/stats/live', everyS: LIVE_S },
    // Numbers of before are not those of now.
    failed: (problem) => {
      failed(problem);
      show();
    },
    done: (live) => {
      failed('');
      show(live);
      for (const id of ['types', 'operators', 'airports', 'countries'] as const)
        byId(id).replaceChildren(...live[id].map((each) => rankRow(each, live[id][0]!.count)));
    },
  });
  watch<{ median?: number }>({
    ...{ path: 'v2/signal', everyS: LIVE_S },
    done: (signal) => {
      median = signal.median;
    },
  });
}

/** A row with a bar: as long as its part of the greatest count. */
function rankRow({ code, t = code, name = '', count }: Count, most: number): HTMLElement {
  const bar = element('span', { class: 'bar' });
  bar.style.setProperty('--part', `${(100 * count) / most}%`);
  const words = element('span', { class: 'cut', title: name }, element('b', {}, t ?? ''), ` ${name}`);
  return element('li', {}, words, bar, element('span', { class: 'number' }, number(count)));
}

/** Plots of the span in the address, and their last values. */
function openHistory(): void {
  const plots = specs.map((spec) => new Plot(spec));
  for (const plot of plots) plot.element.classList.add('card');
  byId('plots').append(...plots.map((plot) => plot.element));
  const choose = (event: Event): void => {
    event.preventDefault();
    history.pushState(null, '', (event.target as HTMLAnchorElement).href);
    load();
  };
  const links = Object.entries(SPANS).map(([span, { name }]) =>
    element('a', { class: 'button', href: `?span=${span}`, 'data-span': span, onclick: choose }, name),
  );
  byId('spans').append(...links);
  let stop = (): void => {};
  const load = (): void => {
    const given = new URLSearchParams(location.search).get('span') ?? '';
    const span = given in SPANS ? given : '24h';
    for (const link of links) link.ariaCurrent = link.dataset['span'] === span ? 'true' : null;
    const { seconds, step } = SPANS[span]!;
    stop();
    stop = watch<StatisticsHistory>({
      path: () => {
        const to = Math.floor(Date.now() / 1000);
        return `v2/stats/history?from=${to - seconds}&to=${to}&step=${step}`;
      },
      ...{ everyS: HISTORY_S, failed },
      done: ({ from, to, kept, history }) => {
        // Samples come before the first position is known, which is looked up once a minute.
        byId('no-history').hidden = kept.history !== undefined || history.length > 0;
        const known = history.map(({ t, sources, signal, ...counts }) => ({ time: t, ...counts, ...sources, ...signal }));
        const rows = stepsOf(from, to, step, known);
        for (const plot of plots) plot.show(rows);
        showTable(rows);
      },
    });
  };
  addEventListener('popstate', load);
  load();
}

/** The last values of all plots. */
function showTable(rows: readonly Row[]): void {
  const columns = specs.flatMap(({ title, series }) => series.map(([value, name]) => [value, `${title}, ${name}`] as const));
  const heads = ['Time', ...columns.map(([, name]) => name)].map((name) => element('th', { scope: 'col' }, name));
  const cell = (value: number | null | undefined) => element('td', { class: 'number' }, value == null ? '–' : number(value));
  const known = rows.filter((row) => columns.some(([value]) => row[value] != null)).slice(-TABLE_ROWS);
  const lines = known.reverse().map((row) => {
    const time = element('td', {}, `${dateTime(1000 * row.time)} UTC`);
    return element('tr', {}, time, ...columns.map(([value]) => cell(row[value])));
  });
  byId('values').replaceChildren(element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...lines));
}

/** Where a receiver hears aircraft, if its operator shows its position: the greatest range of the last 24 hours in each direction. */
function openCoverage(): void {
  watch<{ lat?: number; lon?: number }>({
    ...{ path: 'data/receiver.json', everyS: null },
    done: ({ lat, lon }) => {
      if (lat === undefined || lon === undefined) return;
      watch<Outline>({
        ...{ path: 'data/outline.json', everyS: HISTORY_S },
        done: ({ actualRange }) => {
          const ranges = new Array<number>(SECTORS).fill(0);
          for (const [pointLat, pointLon] of actualRange?.last24h.points ?? []) {
            const { distanceNm, bearing } = distanceAndBearing({ lat, lon }, { lat: pointLat, lon: pointLon });
            const sector = Math.floor((SECTORS * bearing) / 360) % SECTORS;
            ranges[sector] = Math.max(ranges[sector]!, distanceNm);
          }
          byId('coverage').hidden = false;
          byId('coverage').replaceChildren(compass(ranges));
        },
      });
    },
  });
}

watch<{ simulated?: boolean }>({
  ...{ path: 'v2/stats', everyS: HISTORY_S },
  done: ({ simulated }) => setHidden(byId('simulated'), simulated !== true),
});
openNow();
openHistory();
openCoverage();
