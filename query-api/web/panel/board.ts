// The board of an airport: arrivals, departures, aircraft on its ground, now or at a moment, and its take-offs and landings of the last day.
import type { MapPage } from '../map/map-page.ts';
import { type Fact, Facts, Lines } from '../page/lists.ts';
import { button, element, setHidden, setText } from '../page/parts.ts';
import { dateTime } from '../page/units.ts';
import { LIST_MAX } from '../page/view.ts';
import { watch } from '../page/watch.ts';
import { type BoardResponse, boardFacts, boardGroups, type Numbers, numbersFacts } from './board-lines.ts';
import { codeOf } from './flight.ts';
import { openMovements } from './movements.ts';
import { onSubject, openHead, type Panel } from './panel.ts';
import { countryName } from './words.ts';

const LIVE_S = 10;
const NUMBERS_S = 60;
const CENTRE_ZOOM = 10;

export function openBoard({ store, map, on }: MapPage): Panel {
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
  const [head, facts, movements] = [openHead(button('Centre', centre)), new Facts(), openMovements(store)];
  const groups = boardGroups.map(({ title, flights, columns }) => {
    const heads = columns.map(([each]) => each);
    const [lines, heading] = [new Lines(title, heads, select), element('h3')];
    return { title, flights, columns, lines, heading, element: element('section', {}, heading, lines.table) };
  });

  const update = (): void => {
    const { units, selected } = store.view;
    const { name = code, iata, icao, local, city, country } = board?.airport ?? {};
    const codes = [iata, icao, local].filter((each) => each !== undefined).join(' · ');
    head.update({ name, about: [codes, city, countryName(country)].filter(Boolean).join(', '), urgent: '', notice: problem });
    facts.update(code, board === null ? [] : [...boardFacts(board, units), ...numbers]);
    for (const { title, flights, columns, lines, heading, element: group } of groups) {
      setHidden(group, board === null);
      if (board === null) continue;
      const nowMs = board.now * 1000;
      const found = flights(board).map((flight) => ({
        key: flight.hex,
        cells: columns.map(([, text]) => text(flight, units, nowMs)),
        isCurrent: selected.includes(flight.hex),
      }));
      lines.update(found);
      setText(heading, `${title}: ${found.length}`);
      setHidden(lines.table, found.length === 0);
    }
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
    const add = (response: Numbers): void => {
      numbers = numbersFacts(response);
    };
    const done = (response: BoardResponse): void => {
      if (atMs === null && stops.length === 1)
        stops.push(watch<Numbers>({ path: `${path}/traffic-summary`, everyS: NUMBERS_S, done: add }));
      // A moment that plays moves on.
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
  const key: Panel['key'] = ({ airport }) => airport;
  onSubject(store, key, (subject) => {
    if (subject !== code) [code, board] = [subject, null];
    load();
  });
  // A picture follows each change of units and of the selection.
  on('details', () => {
    if (code !== '') update();
  });
  const elements = [...head.elements, facts.list, ...groups.map((group) => group.element), movements.element];
  return {
    ...{ element: element('section', { class: 'panel' }, ...elements), key },
    title: () => (board === null ? code : `Board of ${codeOf(board.airport)}`),
    close: () => store.set({ airport: '' }),
  };
}
