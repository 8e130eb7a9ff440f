// The table: the same aircraft as the map, with its filters, sorted by the worker, which sends the rows that are visible. It is the map for people who do not
// see it, and the page where WebGL2 is missing.

import type { MapPage } from '../map/map-page.ts';
import { byId, element } from '../page/parts.ts';
import { columns } from '../sky/columns.ts';
import type { Aircraft, Details } from '../sky/picture.ts';
import { setText } from './lists.ts';

const ROW_PIXELS = 36;
/** Rows that are made beyond those that are visible. */
const MORE = 8;

export function openTable({ store, map, say, on }: MapPage): void {
  const slot = byId('table');
  const head = element('tr');
  const body = element('tbody');
  const [above, below] = [element('tr', { 'aria-hidden': 'true' }), element('tr', { 'aria-hidden': 'true' })];
  const table = element('table', { 'aria-rowcount': -1 }, element('thead', {}, head), body);
  const scroller = element('div', { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'Rows' }, table);
  const caption = element('p', { class: 'hidden', role: 'status' });
  slot.append(element('h2', { class: 'hidden' }, 'Aircraft'), caption, scroller);
  for (const { name, title, from, isNumber } of columns) {
    const sort = (): void => store.set({ sort: store.view.sort === name ? `-${name}` : name });
    head.append(
      element(
        'th',
        { scope: 'col', class: classOf(from, isNumber), 'data-name': name },
        element('button', { type: 'button', onclick: sort }, title),
      ),
    );
  }
  let details: Details | null = null;
  const ask = (): void => {
    const count = store.view.table ? Math.ceil(scroller.clientHeight / ROW_PIXELS) + 2 * MORE : 0;
    say({ kind: 'table', sort: store.view.sort, from: Math.max(0, Math.floor(scroller.scrollTop / ROW_PIXELS) - MORE), count });
  };
  /** Rows stay the same elements while their aircraft are shown: a click that lasts from one picture to the next must not be lost. */
  let made = new Map<string, HTMLTableRowElement>();
  const rowOf = (aircraft: Aircraft, index: number): HTMLTableRowElement => {
    const { units, selected } = store.view;
    const row = made.get(aircraft.hex) ?? newRow(aircraft.hex);
    for (const [i, { value, text }] of columns.entries()) {
      const cell = row.cells[i]!;
      setText(cell.firstElementChild ?? cell, text?.(aircraft, units) ?? String(value(aircraft) ?? '—'));
    }
    row.ariaRowIndex = String(index + 2);
    row.ariaSelected = String(selected.includes(aircraft.hex));
    return row;
  };
  const show = (): void => {
    if (details === null || !store.view.table) return;
    const { rows, rowCount, rowFrom } = details;
    above.style.setProperty('height', `${rowFrom * ROW_PIXELS}px`);
    below.style.setProperty('height', `${(rowCount - rowFrom - rows.length) * ROW_PIXELS}px`);
    const shown = rows.map((aircraft, i) => rowOf(aircraft, rowFrom + i));
    made = new Map(shown.map((row) => [row.dataset['hex']!, row]));
    const wanted = [above, ...shown, below];
    // Rows that stay where they are keep the focus and the pointer.
    if (wanted.length !== body.children.length || wanted.some((row, i) => row !== body.children[i])) {
      const focused = document.activeElement as HTMLElement | null;
      body.replaceChildren(...wanted);
      if (focused !== null && body.contains(focused)) focused.focus({ preventScroll: true });
    }
    table.setAttribute('aria-rowcount', String(rowCount + 1));
  };
  body.addEventListener('click', ({ target }) => {
    const hex = (target as HTMLElement).closest<HTMLElement>('tr[data-hex]')?.dataset['hex'];
    const aircraft = details?.rows.find((each) => each.hex === hex);
    if (hex === undefined || aircraft === undefined) return;
    store.set({ selected: [hex], follows: false });
    const [lat, lon] = [aircraft['lat'], aircraft['lon']];
    if (typeof lat === 'number' && typeof lon === 'number') map.moveTo({ lat, lon, zoom: map.camera.zoom });
  });
  scroller.addEventListener('scroll', ask);
  addEventListener('resize', ask);
  on('details', (message) => {
    details = message;
    show();
  });
  on('picture', ({ counts }) => {
    const all = counts.aircraft.toLocaleString('en');
    const text = counts.shown === counts.aircraft ? `${all} aircraft` : `${counts.shown.toLocaleString('en')} of ${all} aircraft`;
    // A screen reader says it again only when it changed.
    if (caption.textContent !== text) caption.textContent = text;
  });
  store.listen((view, before) => {
    slot.hidden = !view.table;
    for (const cell of head.children) {
      const name = (cell as HTMLElement).dataset['name'];
      const isSorted = view.sort.replace('-', '') === name;
      cell.setAttribute('aria-sort', isSorted ? (view.sort.startsWith('-') ? 'descending' : 'ascending') : 'none');
    }
    if (view.table !== before.table || view.sort !== before.sort || view === before) ask();
    if (view.units !== before.units || view.selected !== before.selected) show();
  });
}

function newRow(hex: string): HTMLTableRowElement {
  const cells = columns.map(({ name, from, isNumber }, i) => {
    // The first cell opens the aircraft: a button, for the keyboard.
    const button = i === 0 ? [element('button', { type: 'button', class: 'line', 'data-hex': hex })] : [];
    return element('td', { class: classOf(from, isNumber), 'data-name': name }, ...button);
  });
  return element('tr', { 'data-hex': hex }, ...cells);
}

const classOf = (from: string | undefined, isNumber: boolean | undefined): string =>
  [from === undefined ? '' : `from-${from}`, isNumber === true ? 'number' : ''].filter((name) => name !== '').join(' ');
