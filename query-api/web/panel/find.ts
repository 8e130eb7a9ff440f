// The top left corner: search, filters, the table, and what is shown in numbers.
import type { MapPage } from '../map/map-page.ts';
import { icon } from '../page/icons.ts';
import { button, byId, element, setText } from '../page/parts.ts';
import { shownSpan } from '../page/units.ts';
import { openFilters } from './filters.ts';
import { SearchField } from './search.ts';

/** Behind the interval of pictures. */
const STALE_S = 15;
/** An interval from which the next picture is announced: where pages count as all else, it is that of their tier. */
const SLOW_S = 5;
const UNCONNECTED_S = 3;

export function openFind(page: MapPage): void {
  const { store } = page;
  const { form, chips } = openFilters(page);
  const toggleFilters = (): void => {
    form.hidden = !form.hidden;
    filters.ariaExpanded = String(!form.hidden);
  };
  const filters = button(icon('filter'), toggleFilters, {
    class: 'icon floating',
    'aria-label': 'Filters',
    'aria-expanded': 'false',
    'aria-controls': 'filters',
  });
  const table = button(icon('table'), () => store.set({ table: !store.view.table }), {
    id: 'table-button',
    class: 'icon floating',
    'aria-label': 'Table',
  });
  store.listen((view) => table.setAttribute('aria-pressed', String(view.table)));
  const counts = element('p', { id: 'counts', class: 'chip' });
  byId('find').append(element('div', { class: 'row' }, new SearchField(page).element, filters, table), counts, chips, form);
  countAircraft(page, counts);
}

/** One line: the data shown, their age, and the problem. */
function countAircraft({ on, store, map }: MapPage, line: HTMLElement): void {
  let [text, problem, isLive, intervalS, newestMs] = ['Loading …', '', true, 0, 0];
  const show = (): void => {
    const ageS = (map.nowMs() - newestMs) / 1000;
    const isShown = store.view.atMs === null && newestMs > 0;
    const age = isShown && ageS > (isLive ? STALE_S + intervalS : UNCONNECTED_S) ? `${shownSpan(ageS)} old` : '';
    const isSlow = isShown && isLive && intervalS >= SLOW_S && problem === '' && age === '';
    const next = isSlow ? `next picture in ${shownSpan(Math.max(1, Math.ceil(intervalS - ageS)))}` : '';
    setText(line, [text, age, next, problem].filter((part) => part !== '').join(' · '));
    line.classList.toggle('problem', age !== '' || problem !== '');
  };
  on('picture', ({ counts, nowMs }) => {
    // Before the first frame there is nothing to count.
    if (nowMs === 0) return;
    newestMs = nowMs;
    const [aircraft, located, shown] = [counts.aircraft, counts.located, counts.shown].map((count) => count.toLocaleString('en'));
    text = `${shown === aircraft ? '' : `${shown} of `}${aircraft} aircraft, ${located} with a position`;
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
