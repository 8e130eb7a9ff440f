// The top left corner: search, filters, the table, and what is shown in numbers.

import type { MapPage } from '../map/map-page.ts';
import { icon } from '../page/icons.ts';
import { byId, element } from '../page/parts.ts';
import { shownSpan } from '../page/units.ts';
import { openFilters } from './filters.ts';
import { SearchField } from './search.ts';

export function openFind(page: MapPage): void {
  const { store } = page;
  const { form, chips } = openFilters(page);
  const filterButton = element(
    'button',
    { type: 'button', 'aria-label': 'Filters', 'aria-expanded': 'false', 'aria-controls': 'filters' },
    icon('filter'),
  );
  filterButton.addEventListener('click', () => {
    form.hidden = !form.hidden;
    filterButton.setAttribute('aria-expanded', String(!form.hidden));
  });
  const tableButton = element(
    'button',
    { id: 'table-button', type: 'button', 'aria-label': 'Table', 'aria-pressed': 'false' },
    icon('table'),
  );
  tableButton.addEventListener('click', () => store.set({ table: !store.view.table }));
  store.listen(({ table }) => tableButton.setAttribute('aria-pressed', String(table)));
  const counts = element('p', { id: 'counts', class: 'quiet' }, 'Loading …');
  byId('find').append(element('div', { class: 'bar' }, new SearchField(page).element, filterButton, tableButton), counts, chips, form);
  countAircraft(page, counts);
}

/** What is shown, how old it is, and what is wrong: one line. */
function countAircraft({ on, store, map }: MapPage, line: HTMLElement): void {
  let text = 'Loading …';
  let problem = '';
  let isLive = true;
  let intervalS = 0;
  let newestMs = 0;
  const show = (): void => {
    const ageS = (map.nowMs() - newestMs) / 1000;
    const isShown = store.view.atMs === null && newestMs > 0;
    const age = isShown && ageS > (isLive ? STALE_S + intervalS : UNCONNECTED_S) ? `${shownSpan(ageS)} old` : '';
    const isSlow = isShown && isLive && intervalS >= SLOW_S && problem === '';
    const next = isSlow && age === '' ? `next picture in ${shownSpan(Math.max(1, Math.ceil(intervalS - ageS)))}` : '';
    const all = [text, age, next, problem].filter((part) => part !== '').join(' · ');
    if (line.textContent !== all) line.textContent = all;
    line.classList.toggle('problem', age !== '' || problem !== '');
  };
  on('picture', ({ counts, nowMs }) => {
    // Before the first frame there is nothing to count.
    if (nowMs === 0) return;
    newestMs = nowMs;
    const number = (value: number): string => value.toLocaleString('en');
    text = `${counts.shown === counts.aircraft ? '' : `${number(counts.shown)} of `}${number(counts.aircraft)} aircraft, ${number(counts.located)} with a position`;
    show();
  });
  on('status', (status) => {
    problem = status.problem;
    isLive = status.state === 'live';
    intervalS = (status.intervalMs ?? 0) / 1000;
    if (newestMs === 0 && problem !== '') text = '';
    show();
  });
  setInterval(show, 1000);
}
/** Behind the interval of pictures. */
const STALE_S = 15;
/** An interval from which the next picture is announced: where pages count as all else, it is that of their tier. */
const SLOW_S = 5;
const UNCONNECTED_S = 3;
