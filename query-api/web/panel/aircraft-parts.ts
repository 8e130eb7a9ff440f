// Parts of the panel of an aircraft: its buttons, the list of a selection of several, links to the API, and names of operators.

import type { MapPage } from '../map/map-page.ts';
import { element, serviceUrl } from '../page/parts.ts';
import { shownAltitude } from '../page/units.ts';
import { type View, writeView } from '../page/view.ts';
import { nameOf } from '../sky/columns.ts';
import type { Aircraft } from '../sky/picture.ts';
import { altitudeOf } from '../sky/values.ts';
import { pointOf, textOf } from './facts.ts';
import { type Line, Lines, madeTable, setHidden, setText } from './lists.ts';
import { watch } from './watch.ts';

const CENTRE_ZOOM_MIN = 7;
const COPIED_MS = 2000;

/** Buttons of a panel: `isPressed` of those that switch. */
export function openActions({ store, map }: MapPage, aircraft: () => Aircraft | undefined): HTMLElement {
  const toggle = (title: string, hint: string, member: 'follows' | 'isolated'): HTMLButtonElement => {
    const onclick = (): void => store.set({ [member]: !store.view[member] });
    const button = element('button', { type: 'button', title: hint, onclick }, title);
    store.listen((view) => button.setAttribute('aria-pressed', String(view[member])));
    return button;
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
  const copy = element('button', { type: 'button', onclick: () => void copyLink(store.view, copy, link) }, 'Copy link');
  return element(
    'div',
    { class: 'actions' },
    element('button', { type: 'button', onclick: centre }, 'Centre'),
    toggle('Follow', 'Keeps the aircraft in the middle until the map is dragged', 'follows'),
    toggle('Isolate', 'Shows only the selected aircraft', 'isolated'),
    ...[copy, element('button', { type: 'button', onclick: deselect }, 'Deselect'), link],
  );
}

/** Copies the address of the view. Browsers allow it over https and on localhost only: otherwise the address is shown, selected. */
async function copyLink(view: View, button: HTMLElement, link: HTMLInputElement): Promise<void> {
  const address = new URL(`?${writeView(view)}`, location.href).href;
  try {
    await navigator.clipboard.writeText(address);
    setText(button, 'Copied');
    setTimeout(() => setText(button, 'Copy link'), COPIED_MS);
  } catch {
    link.hidden = false;
    link.value = address;
    link.focus();
    link.select();
  }
}

/** All selected aircraft, by name, if there are several. One is opened by moving it to the end of the selection. */
export function openChosen({ store }: MapPage) {
  const others = (hex: string): string[] => store.view.selected.filter((each) => each !== hex);
  const lines = new Lines(
    (hex) => store.set({ selected: [...others(hex), hex] }),
    (hex) => store.set({ selected: others(hex) }),
  );
  const all = element('div', { class: 'chosen' }, madeTable('Selected aircraft', ['Aircraft', 'Type', 'Altitude', ''], lines));
  return {
    element: all,
    update: (known: readonly Aircraft[]): void => {
      const { selected, units } = store.view;
      setHidden(all, selected.length < 2);
      if (selected.length < 2) return;
      const line = (hex: string): Line => {
        const aircraft = known.find((each) => each.hex === hex);
        const altitude = aircraft === undefined ? 'not heard' : shownAltitude(altitudeOf(aircraft), units);
        const cells = [aircraft === undefined ? hex : nameOf(aircraft), textOf(aircraft?.['t']) ?? '—', altitude];
        return { key: hex, cells, isCurrent: hex === selected.at(-1) };
      };
      lines.update(selected.map(line).sort((a, b) => (a.cells[0]! < b.cells[0]! ? -1 : 1)));
    },
  };
}

/** Links to the responses of the API. */
export function openLinks() {
  const list = element('ul', { class: 'links' });
  const raw = 'Raw messages are in the log, not in the API: the operator prints them with ';
  const all = element(
    ...(['section', {}, element('h3', {}, 'Data'), list] as const),
    element('p', { class: 'quiet' }, raw, element('code', {}, 'squitter tail frames --csv'), '.'),
  );
  return {
    element: all,
    show: (hex: string, atMs: number | null): void => {
      const at = atMs === null ? '' : `?at=${new Date(atMs).toISOString()}`;
      const to = Math.round((atMs ?? 0) / 1000);
      const links = [
        [`v2/hex/${hex}${at}`, 'All values as JSON'],
        ...(atMs === null
          ? [
              [`v2/flight/${hex}`, 'Flight'],
              [`v2/aircraft/${hex}/track`, 'Track'],
            ]
          : [[`v2/aircraft/${hex}/history?from=${to - 3600}&to=${to}`, 'Track']]),
        [`v2/aircraft/${hex}/flights`, 'Past flights'],
        ['docs', 'The API'],
      ] as const;
      list.replaceChildren(...links.map(([path, title]) => element('li', {}, element('a', { href: serviceUrl(path!).href }, title!))));
    },
  };
}

/** Name of an aircraft's operator, by the first letters of its call sign; it is requested once. */
export function openOperators(): (aircraft: Aircraft) => string | undefined {
  const names = new Map<string, string | undefined>();
  return ({ flight, r }) => {
    const code = /^([A-Z]{3})\d/.exec(textOf(flight) ?? '')?.[1];
    if (code === undefined || textOf(r)?.replace('-', '') === textOf(flight)) return undefined;
    if (!names.has(code)) {
      names.set(code, code);
      watch<{ operator: { name?: string } }>({
        ...{ path: `v2/operator/${code}/flights?limit=1&fields=hex`, everyS: null },
        done: ({ operator: { name } }) => names.set(code, name === undefined ? code : `${name} (${code})`),
        failed: () => {},
      });
    }
    return names.get(code);
  };
}
