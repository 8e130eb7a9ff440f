// One field that finds everything: aircraft of the sky that is shown, at once, then what the service finds: routes, airports, operators, types. Cities are found
// in the names of the base map.
import type { MapPage } from '../map/map-page.ts';
import { icon } from '../page/icons.ts';
import { element } from '../page/parts.ts';
import { watch } from '../page/watch.ts';
import { nameOf, routeOf } from '../sky/columns.ts';
import type { Aircraft } from '../sky/picture.ts';

/** After the last key, before the service is asked. */
const ASK_MS = 250;
const RESULTS_MAX = 12;
/** Only results with a position have them. */
const ZOOMS: Readonly<Record<string, number>> = { aircraft: 9, airport: 11, city: 9, position: 9 };

interface Result {
  /** A kind of the service, or `city`. */
  readonly kind: string;
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly lat?: number;
  readonly lon?: number;
}

/** The field and its list of results. */
export class SearchField {
  readonly element: HTMLElement;
  private readonly page: MapPage;
  private readonly input: HTMLInputElement;
  private readonly list: HTMLElement;
  private query = '';
  private local: readonly Result[] = [];
  private remote: readonly Result[] = [];
  private chosen = -1;
  private stop = (): void => {};

  constructor(page: MapPage) {
    this.page = page;
    this.input = element('input', {
      ...{ id: 'search', type: 'search', autocomplete: 'off', spellcheck: 'false', role: 'combobox', 'aria-label': 'Search' },
      ...{ 'aria-expanded': 'false', 'aria-controls': 'results', 'aria-autocomplete': 'list' },
      placeholder: 'Flight, airport, city',
    });
    this.list = element('ul', { id: 'results', class: 'floating', role: 'listbox', 'aria-label': 'Results', hidden: true });
    this.element = element('div', { class: 'search floating', role: 'search' }, icon('search'), this.input, this.list);
    this.input.addEventListener('input', () => this.search());
    this.input.addEventListener('keydown', (event) => this.press(event));
    page.on('found', ({ query, aircraft, cities }) => {
      if (query !== this.query) return;
      const towns = cities.map(({ name, lat, lon }) => ({ kind: 'city', key: `${name} ${lat} ${lon}`, label: name, detail: '', lat, lon }));
      this.local = [...coordinatesIn(query), ...aircraft.map(resultOf), ...towns];
      this.show();
    });
  }

  /** Those of the map, then those of the service that the map does not have. */
  private results(): Result[] {
    const known = new Set(this.local.map(({ key }) => key));
    return [...this.local, ...this.remote.filter(({ key }) => !known.has(key))].slice(0, RESULTS_MAX);
  }

  private show(): void {
    const results = this.results();
    this.chosen = Math.min(this.chosen, results.length - 1);
    const isEmpty = results.length === 0 && this.query !== '';
    this.list.replaceChildren(
      ...results.map((result, i) => this.option(result, i)),
      ...(isEmpty ? [element('li', { class: 'quiet' }, 'Nothing found')] : []),
    );
    this.list.hidden = this.query === '';
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
    if (this.chosen >= 0) this.input.setAttribute('aria-activedescendant', `result-${this.chosen}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  private option(result: Result, i: number): HTMLElement {
    return element(
      'li',
      { id: `result-${i}`, role: 'option', 'aria-selected': String(i === this.chosen), onclick: () => this.choose(result) },
      element('span', { class: 'quiet' }, result.kind),
      element('b', {}, result.label),
      element('span', { class: 'cut quiet' }, result.detail),
    );
  }

  private choose(result: Result): void {
    open(this.page, result);
    this.clear();
  }

  private clear(): void {
    this.input.value = '';
    this.search();
    this.input.blur();
  }

  private search(): void {
    this.stop();
    const query = this.input.value.trim();
    [this.query, this.remote, this.chosen] = [query, [], query === '' ? -1 : 0];
    if (query === '') {
      this.local = [];
      this.show();
      return;
    }
    this.page.post({ kind: 'find', query });
    let stop = (): void => {};
    // Without the service the aircraft of the map are still searched.
    const timer = setTimeout(() => {
      stop = watch<{ results: readonly Result[] }>({
        ...{ path: `v2/search?q=${encodeURIComponent(query)}`, everyS: null },
        done: ({ results }) => {
          this.remote = results;
          this.show();
        },
      });
    }, ASK_MS);
    this.stop = () => {
      clearTimeout(timer);
      stop();
    };
  }

  private press(event: KeyboardEvent): void {
    const results = this.results();
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = results[this.chosen];
    if (step !== 0 && results.length > 0) {
      this.chosen = (this.chosen + step + results.length) % results.length;
      this.show();
    } else if (event.key === 'Enter' && chosen !== undefined) this.choose(chosen);
    else if (event.key === 'Escape') this.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** `52.3, 4.8`: latitude and longitude. */
function coordinatesIn(query: string): Result[] {
  const [lat = Number.NaN, lon = Number.NaN, ...more] = query.split(/[\s,]+/).map(Number);
  if (!(Math.abs(lat) <= 85 && Math.abs(lon) <= 180) || more.length > 0) return [];
  return [{ kind: 'position', key: query, label: `${lat}, ${lon}`, detail: '', lat, lon }];
}

const resultOf = (aircraft: Aircraft): Result => ({
  ...{ kind: 'aircraft', key: aircraft.hex, label: nameOf(aircraft) },
  detail: [aircraft['r'], aircraft['t'], routeOf(aircraft)].filter((text) => text !== undefined).join(', '),
  ...(typeof aircraft['lat'] === 'number' && typeof aircraft['lon'] === 'number' ? { lat: aircraft['lat'], lon: aircraft['lon'] } : {}),
});

/** Shows what was found: an aircraft or airport itself, flights of an operator, of a type or on a route as a filter. */
function open({ store, map }: MapPage, { kind, key, lat, lon }: Result): void {
  const { filters } = store.view;
  if (kind === 'aircraft') store.set({ selected: [key], follows: false });
  else if (kind === 'airport') store.set({ airport: key, selected: [] });
  else if (['operator', 'type', 'route'].includes(kind)) store.set({ filters: { ...filters, [kind]: key.replace('/', ',') } });
  const zoom = ZOOMS[kind];
  if (zoom !== undefined && lat !== undefined && lon !== undefined) map.moveTo({ lat, lon, zoom: Math.max(map.camera.zoom, zoom) });
}
