// The board of an airport: arrivals, departures, aircraft on its ground, now or at a moment, and its take-offs and landings of the last day.
import type { MapPage } from '../map/map-page.ts';
import { element } from '../page/parts.ts';
import { dateTime, type Units } from '../page/units.ts';
import { LIST_MAX } from '../page/view.ts';
import { type BoardResponse, boardFacts, boardGroups, type Numbers, numbersFacts } from './board-lines.ts';
import type { Fact } from './facts.ts';
import { codeOf } from './flight.ts';
import { Facts, Lines, madeTable, setHidden, setText } from './lists.ts';
import { openMovements } from './movements.ts';
import type { Panel } from './panel.ts';
import { watch } from './watch.ts';
import { countryName } from './words.ts';

const LIVE_S = 10;
const NUMBERS_S = 60;
/** A moment that changes is requested when it stays for so long. */
const SETTLED_MS = 700;
const CENTRE_ZOOM = 10;

interface Shown {
  readonly code: string;
  readonly board: BoardResponse | null;
  readonly numbers: readonly Fact[];
  readonly problem: string;
  readonly units: Units;
  readonly selected: readonly string[];
}

export function openBoard({ store, map }: MapPage): Panel {
  let [code, problem, stops] = ['', '', [] as (() => void)[]];
  let board: BoardResponse | null = null;
  let numbers: readonly Fact[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const select = (hex: string, { shiftKey, ctrlKey, metaKey }: MouseEvent): void => {
    const others = shiftKey || ctrlKey || metaKey ? store.view.selected.filter((each) => each !== hex) : [];
    store.set({ selected: [...others, hex].slice(-LIST_MAX), follows: false });
  };
  const centre = (): void => {
    if (board !== null) map.moveTo({ lat: board.airport.lat, lon: board.airport.lon, zoom: Math.max(map.camera.zoom, CENTRE_ZOOM) });
  };
  const movements = openMovements(store);
  const shown = openLists(select, [element('button', { type: 'button', onclick: centre }, 'Centre')]);
  shown.element.append(movements.element);

  const update = (): void => {
    const { units, selected } = store.view;
    if (code !== '') shown.update({ code, board, numbers, problem, units, selected });
  };
  const load = (): void => {
    clearTimeout(timer);
    for (const stop of stops) stop();
    stops = [];
    const { atMs, pace } = store.view;
    movements.show(code, atMs);
    if (code === '') return;
    const path = `v2/airport/${code}`;
    const at = atMs === null ? '' : `?at=${new Date(Math.floor(atMs / 1000) * 1000).toISOString()}`;
    numbers = atMs === null ? [] : [['Operators, types', 'counted for the present only']];
    if (pace === 0) problem = 'The board is being requested.';
    const done = (response: BoardResponse): void => {
      if (atMs === null && stops.length === 1)
        stops.push(watch<Numbers>({ path: `${path}/traffic-summary`, everyS: NUMBERS_S, done: addNumbers, failed: () => {} }));
      // A moment that plays goes on.
      if (atMs !== null && pace > 0) timer = setTimeout(load, LIVE_S * 1000);
      [board, problem] = [response, ''];
      update();
    };
    const failed = (text: string): void => {
      problem = board === null ? text : `${text} This is the board of ${dateTime(board.now * 1000)} UTC.`;
      update();
    };
    stops = [watch<BoardResponse>({ path: `${path}${at}`, everyS: atMs === null ? LIVE_S : null, done, failed })];
    update();
  };
  const addNumbers = (response: Numbers): void => {
    numbers = numbersFacts(response);
    update();
  };
  store.listen((view, before) => {
    if (view.airport !== code) {
      [code, board] = [view.airport, null];
      load();
    } else if (code !== '' && (view.pace !== before.pace || (view.atMs !== before.atMs && view.pace === 0))) {
      clearTimeout(timer);
      timer = setTimeout(load, SETTLED_MS);
    } else if (view.units !== before.units || view.selected !== before.selected) update();
  });
  return {
    element: shown.element,
    key: ({ airport }) => airport,
    title: () => (board === null ? code : `Board of ${codeOf(board.airport)}`),
    close: () => store.set({ airport: '' }),
  };
}

/** The elements of a board. */
function openLists(select: (hex: string, event: MouseEvent) => void, buttons: readonly HTMLElement[]) {
  const [name, about, notice, facts] = [element('h2'), element('p', { class: 'quiet' }), element('p', { class: 'notice' }), new Facts()];
  const groups = boardGroups.map(({ title, heads, of }) => {
    const [lines, heading] = [new Lines(select), element('h3')];
    const table = madeTable(title, heads, lines);
    return { title, of, lines, heading, table, all: element('section', {}, heading, table) };
  });
  const all = element(
    ...(['section', { class: 'panel' }, element('div', { class: 'panel-head' }, name, about, notice)] as const),
    ...[element('div', { class: 'row actions' }, ...buttons), facts.list, ...groups.map((group) => group.all)],
  );
  const update = ({ code, board, numbers, problem, units, selected }: Shown): void => {
    const { name: title = code, iata, icao, local, city, country } = board?.airport ?? {};
    setText(name, title);
    setText(
      about,
      [[iata, icao, local].filter((each) => each !== undefined).join(' · '), city, countryName(country)].filter(Boolean).join(', '),
    );
    setText(notice, problem);
    setHidden(notice, problem === '');
    facts.update(code, board === null ? [] : [...boardFacts(board, units), ...numbers]);
    for (const { title, of, lines, heading, table, all } of groups) {
      const found = board === null ? [] : of(board, units);
      lines.update(found.map((line) => ({ ...line, isCurrent: selected.includes(line.key) })));
      setText(heading, `${title}: ${found.length}`);
      setHidden(table, found.length === 0);
      setHidden(all, board === null);
    }
  };
  return { element: all, update };
}
