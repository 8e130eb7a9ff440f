// Parts of the panel of an aircraft: its buttons, the list of a selection of several, links to the API, and names of operators.
import type { MapPage } from '../map/map-page.ts';
import { Lines } from '../page/lists.ts';
import { button, element, serviceUrl, setHidden, setText } from '../page/parts.ts';
import { shownAltitude } from '../page/units.ts';
import { writeView } from '../page/view.ts';
import { watch } from '../page/watch.ts';
import { nameOf } from '../sky/columns.ts';
import type { Aircraft } from '../sky/picture.ts';
import { altitudeOf, textOf } from '../sky/values.ts';
import { pointOf } from './facts.ts';
import { type Section, section } from './panel.ts';

const CENTRE_ZOOM_MIN = 7;
const COPIED_MS = 2000;

export function openActions({ store, map }: MapPage, aircraft: () => Aircraft | undefined): HTMLElement[] {
  const toggle = (text: string, title: string, member: 'follows' | 'isolated'): HTMLElement => {
    const made = button(text, () => store.set({ [member]: !store.view[member] }), { title });
    store.listen((view) => made.setAttribute('aria-pressed', String(view[member])));
    return made;
  };
  const centre = (): void => {
    const shown = aircraft();
    const point = shown === undefined ? null : pointOf(shown);
    if (point !== null) map.moveTo({ ...point, zoom: Math.max(map.camera.zoom, CENTRE_ZOOM_MIN) });
  };
  const deselect = (): void => {
    const selected = store.view.selected.slice(0, -1);
    store.set({ selected, follows: false, isolated: store.view.isolated && selected.length > 0 });
  };
  const link = element('input', { type: 'text', readonly: true, hidden: true, class: 'link', 'aria-label': 'Address of this view' });
  /** Browsers copy over https and on localhost only: otherwise the address is shown, selected. */
  const copy = async (): Promise<void> => {
    const address = new URL(`?${writeView(store.view)}`, location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      setText(copies, 'Copied');
      setTimeout(() => setText(copies, 'Copy link'), COPIED_MS);
    } catch {
      link.hidden = false;
      link.value = address;
      link.select();
    }
  };
  const copies = button('Copy link', copy);
  return [
    button('Centre', centre),
    toggle('Follow', 'Keeps the aircraft in the middle until the map is dragged', 'follows'),
    toggle('Isolate', 'Shows only the selected aircraft', 'isolated'),
    copies,
    button('Deselect', deselect),
    link,
  ];
}

/** All selected aircraft, by name, if there are several. One is opened by moving it to the end of the selection. */
export function openChosen({ store }: MapPage) {
  const others = (hex: string): string[] => store.view.selected.filter((each) => each !== hex);
  const lines = new Lines(
    ...(['Selected aircraft', ['Aircraft', 'Type', 'Altitude', '']] as const),
    (hex) => store.set({ selected: [...others(hex), hex] }),
    (hex) => store.set({ selected: others(hex) }),
  );
  const all = element('div', { class: 'chosen' }, lines.table);
  return {
    element: all,
    update: (known: readonly Aircraft[]): void => {
      const { selected, units } = store.view;
      setHidden(all, selected.length < 2);
      const found = selected.map((hex) => {
        const aircraft = known.find((each) => each.hex === hex);
        const altitude = aircraft === undefined ? 'not heard' : shownAltitude(altitudeOf(aircraft), units);
        const cells = [aircraft === undefined ? hex : nameOf(aircraft), textOf(aircraft?.['t']) ?? '—', altitude];
        return { key: hex, cells, isCurrent: hex === selected.at(-1) };
      });
      lines.update(found.sort((a, b) => (a.cells[0]! < b.cells[0]! ? -1 : 1)));
    },
  };
}

/** Links to the responses of the API. */
export function openLinks(): Section {
  const list = element('ul', { class: 'links row' });
  const raw = 'Raw messages are in the log, not in the API: the operator prints them with ';
  const note = element('p', { class: 'quiet' }, raw, element('code', {}, 'squitter tail frames --csv'), '.');
  return {
    element: section('Data', list, note),
    show: (hex, atMs) => {
      const to = Math.round((atMs ?? 0) / 1000);
      const links = {
        'All values as JSON': `v2/hex/${hex}${atMs === null ? '' : `?at=${new Date(atMs).toISOString()}`}`,
        ...(atMs === null && { Flight: `v2/flight/${hex}` }),
        Track: `v2/aircraft/${hex}/${atMs === null ? 'track' : `history?from=${to - 3600}&to=${to}`}`,
        'Past flights': `v2/aircraft/${hex}/flights`,
        'The API': 'docs',
      };
      list.replaceChildren(
        ...Object.entries(links).map(([title, path]) => element('li', {}, element('a', { href: serviceUrl(path).href }, title))),
      );
    },
  };
}

/** Name of an aircraft's operator, by the first letters of its call sign; it is requested once. */
export function openOperators(): (aircraft: Aircraft) => string | undefined {
  const names = new Map<string, string>();
  return ({ flight, r }) => {
    const code = /^([A-Z]{3})\d/.exec(textOf(flight) ?? '')?.[1];
    if (code === undefined || textOf(r)?.replace('-', '') === textOf(flight)) return undefined;
    if (!names.has(code)) {
      names.set(code, code);
      watch<{ operator: { name?: string } }>({
        ...{ path: `v2/operator/${code}/flights?limit=1&fields=hex`, everyS: null },
        done: ({ operator: { name } }) => names.set(code, name === undefined ? code : `${name} (${code})`),
      });
    }
    return names.get(code);
  };
}
