// The table: the same aircraft as the map, with its filters, sorted by the worker, which sends the rows that are visible. It is the map for people who do not
// see it, and the page where WebGL2 is missing.
import type { MapPage } from '../map/map-page.ts';
import { arrange } from '../page/lists.ts';
import { button, byId, element, setText } from '../page/parts.ts';
import { type Column, columns } from '../sky/columns.ts';
import type { Aircraft } from '../sky/picture.ts';

const ROW_PIXELS = 36;
/** Rows that are made beyond those that are visible. */
const MORE = 8;

export function openTable({ store, map, post, on }: MapPage): void {
  const slot = byId('table');
  const heads = columns.map((column) => {
    const { name, title } = column;
    const sort = (): void => store.set({ sort: store.view.sort === name ? `-${name}` : name });
    return element('th', { scope: 'col', ...attributesOf(column) }, button(title, sort));
  });
  const body = element('tbody');
  const [above, below] = [element('tr', { 'aria-hidden': 'true' }), element('tr', { 'aria-hidden': 'true' })];
  const table = element('table', { 'aria-rowcount': -1 }, element('thead', {}, element('tr', {}, ...heads)), body);
  const scroller = element('div', { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'Rows' }, table);
  const caption = element('p', { class: 'hidden', role: 'status' });
  slot.append(element('h2', { class: 'hidden' }, 'Aircraft'), caption, scroller);
  const ask = (): void => {
    const count = store.view.table ? Math.ceil(scroller.clientHeight / ROW_PIXELS) + 2 * MORE : 0;
    post({ kind: 'table', sort: store.view.sort, from: Math.max(0, Math.floor(scroller.scrollTop / ROW_PIXELS) - MORE), count });
  };
  /** Rows stay the same elements while their aircraft are shown: a click that lasts from one picture to the next must not be lost. */
  let made = new Map<string, HTMLTableRowElement>();
  let aircraft: readonly Aircraft[] = [];
  on('details', ({ rows, rowCount, rowFrom }) => {
    if (!store.view.table) return;
    const { units, selected } = store.view;
    aircraft = rows;
    made = new Map(rows.map(({ hex }) => [hex, made.get(hex) ?? newRow(hex)]));
    for (const [n, each] of rows.entries()) {
      const row = made.get(each.hex)!;
      for (const [i, { value, text }] of columns.entries())
        setText(i === 0 ? row.querySelector('button')! : row.cells[i]!, text?.(each, units) ?? String(value(each) ?? '—'));
      row.ariaRowIndex = String(rowFrom + n + 2);
      row.ariaSelected = String(selected.includes(each.hex));
    }
    above.style.setProperty('height', `${rowFrom * ROW_PIXELS}px`);
    below.style.setProperty('height', `${(rowCount - rowFrom - rows.length) * ROW_PIXELS}px`);
    arrange(body, [above, ...made.values(), below]);
    table.setAttribute('aria-rowcount', String(rowCount + 1));
  });
  body.addEventListener('click', ({ target }) => {
    const found = aircraft.find(({ hex }) => hex === (target as HTMLElement).closest('tr')?.dataset['hex']);
    if (found === undefined) return;
    store.set({ selected: [found.hex], follows: false });
    const { lat, lon } = found;
    if (typeof lat === 'number' && typeof lon === 'number') map.moveTo({ lat, lon, zoom: map.camera.zoom });
  });
  scroller.addEventListener('scroll', ask);
  addEventListener('resize', ask);
  on('picture', ({ counts }) => {
    const [all, shown] = [counts.aircraft, counts.shown].map((count) => count.toLocaleString('en'));
    setText(caption, shown === all ? `${all} aircraft` : `${shown} of ${all} aircraft`);
  });
  store.listen(({ table: isShown, sort }, before) => {
    slot.hidden = !isShown;
    for (const head of heads)
      head.ariaSort = sort.replace('-', '') !== head.dataset['name'] ? 'none' : sort.startsWith('-') ? 'descending' : 'ascending';
    if (isShown !== before.table || sort !== before.sort || store.view === before) ask();
  });
}

/** The first cell opens the aircraft: a button, for the keyboard. */
function newRow(hex: string): HTMLTableRowElement {
  const opens = element('button', { type: 'button', class: 'line', 'data-hex': hex });
  return element('tr', { 'data-hex': hex }, ...columns.map((column, i) => element('td', attributesOf(column), i === 0 ? opens : '')));
}

const attributesOf = ({ name, from, isNumber = false }: Column) => ({
  class: `${from === undefined ? '' : `from-${from}`} ${isNumber ? 'number' : ''}`.trim(),
  'data-name': name,
});
