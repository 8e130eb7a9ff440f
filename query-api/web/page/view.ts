// The state of the map, as one object that is also the query of its URL: each member has a row in the table below. A view is made again from its URL.
import { unitSystems } from './units.ts';

export const colourKinds = ['altitude', 'speed', 'source', 'signal'] as const;
export type ColourKind = (typeof colourKinds)[number];
export const labelKinds = ['auto', 'all', 'none'] as const;
export type LabelKind = (typeof labelKinds)[number];

/** How a value is written in the query. `read` gives undefined for a text that is not one. */
interface Form<T> {
  readonly write: (value: T) => string;
  readonly read: (text: string) => T | undefined;
}
interface Row<T> extends Form<T> {
  readonly name: string;
  readonly fallback: T;
}
const row = <T>(name: string, fallback: T, form: Form<T>): Row<T> => ({ name, fallback, ...form });

const decimals = (digits: number, min: number, max: number) => ({
  write: (value: number) => String(Number(value.toFixed(digits))),
  read: (text: string) => (text !== '' && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
});
const flag = {
  write: (value: boolean) => (value ? '1' : '0'),
  read: (text: string) => (text === '1' ? true : text === '0' ? false : undefined),
};
const list: Form<readonly string[]> = {
  write: (value) => value.join(','),
  read: (value) =>
    value
      .split(',')
      .filter((part) => /^[~\w-]{1,32}$/.test(part))
      .slice(0, LIST_MAX),
};
const oneOf = <T extends string>(values: readonly T[]) => ({
  write: (value: T) => value,
  read: (value: string) => values.find((each) => each === value),
});
/** Aircraft of a selection, and layers. */
export const LIST_MAX = 50;

/** Members of the view. */
const rows = {
  lat: row('lat', 30, decimals(4, -85, 85)),
  lon: row('lon', 0, decimals(4, -180, 180)),
  zoom: row('zoom', 2, decimals(2, 0, 20)),
  /** Addresses in hexadecimal. */
  selected: row('aircraft', [], list),
  /** True if only the selected aircraft are shown. */
  isolated: row('only', false, flag),
  follows: row('follow', false, flag),
  /** The moment that is shown, ms since the Unix epoch; null is now. */
  atMs: row<number | null>('at', null, {
    write: (ms) => (ms === null ? '' : new Date(ms).toISOString().replace('.000Z', 'Z')),
    read: (value) => (Number.isNaN(Date.parse(value)) ? undefined : Date.parse(value)),
  }),
  /** Seconds of the past per second; 0 is paused. */
  pace: row('pace', 0, decimals(0, 0, 60)),
  colour: row('colour', 'altitude', oneOf(colourKinds)),
  trackColour: row('track', 'altitude', oneOf(colourKinds)),
  labels: row('labels', 'auto', oneOf(labelKinds)),
  /** Names of layers that are shown. */
  layers: row('layers', ['airports'], list),
  /** Hours before now, or before the moment, whose traffic the layer of density shows. */
  densityHours: row('density', 24, decimals(0, 1, 744)),
  units: row('units', 'aviation', oneOf(unitSystems)),
  table: row('table', false, flag),
  /** Column of the table, with `-` before it for descending. */
  sort: row('sort', '-alt', { write: String, read: String }),
  /** Code of the airport whose board is open; empty for none. */
  airport: row('airport', '', { write: String, read: (code) => (/^\w{0,4}$/.test(code) ? code.toUpperCase() : undefined) }),
};
export type View = { readonly [K in keyof typeof rows]: (typeof rows)[K]['fallback'] } & {
  /** Values of filters by name. */
  readonly filters: Readonly<Record<string, string>>;
};
/** Members of the query that are filters have this prefix. */
const FILTER = 'f.';

/** Errors: none; a member that cannot be read has its default. */
export function readView(query: URLSearchParams): View {
  const view: Record<string, unknown> = { filters: {} };
  for (const [key, { name, fallback, read }] of Object.entries(rows)) {
    const value = query.get(name);
    view[key] = (value === null ? undefined : read(value)) ?? fallback;
  }
  view['filters'] = Object.fromEntries(
    [...query].filter(([name]) => name.startsWith(FILTER)).map(([name, value]) => [name.slice(FILTER.length), value]),
  );
  return view as unknown as View;
}

/** The query of a view; members with their default are left out. */
export function writeView(view: View): string {
  const query = new URLSearchParams();
  for (const [key, { name, fallback, write }] of Object.entries(rows) as [keyof typeof rows, Row<unknown>][]) {
    const value = write(view[key]);
    if (value !== write(fallback)) query.set(name, value);
  }
  for (const [name, value] of Object.entries(view.filters)) if (value !== '') query.set(`${FILTER}${name}`, value);
  // Commas and colons are allowed in a query, and lists and times are easier to read with them.
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

type Listener = (view: View, before: View) => void;

/** The current view, kept in the address of the page. Parts of the page listen to its changes. */
export class ViewStore {
  view: View;
  private readonly listeners: Listener[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.view = readView(new URLSearchParams(location.search));
    addEventListener('popstate', () => this.set(readView(new URLSearchParams(location.search))));
  }

  set(change: Partial<View>): void {
    const before = this.view;
    this.view = { ...before, ...change };
    for (const listener of this.listeners) listener(this.view, before);
    this.write();
  }

  /** Calls the listener now and after each change. */
  listen(listener: Listener): void {
    this.listeners.push(listener);
    listener(this.view, this.view);
  }

  /** Browsers allow some 100 changes of the address in half a minute; a map that follows an aircraft moves all the time. */
  private write(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const query = writeView(this.view);
      history.replaceState(null, '', `${location.pathname}${query === '' ? '' : `?${query}`}`);
    }, ADDRESS_MS);
  }
}
const ADDRESS_MS = 400;
