// The state of the map, as one object that is also the query of its URL: each member has a row in the table below. A view is made again from its URL.
import { type Units, unitSystems } from './units.ts';

export interface View {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
  /** Addresses in hexadecimal. */
  readonly selected: readonly string[];
  /** True if only the selected aircraft are shown. */
  readonly isolated: boolean;
  readonly follows: boolean;
  /** The moment that is shown, ms since the Unix epoch; null is now. */
  readonly atMs: number | null;
  /** Seconds of the past per second; 0 is paused. */
  readonly pace: number;
  /** Values of filters by name. */
  readonly filters: Readonly<Record<string, string>>;
  readonly colour: ColourKind;
  readonly trackColour: ColourKind;
  readonly labels: LabelKind;
  /** Names of layers that are shown. */
  readonly layers: readonly string[];
  /** Hours before now, or before the moment, whose traffic the layer of density shows. */
  readonly densityHours: number;
  readonly units: Units;
  readonly table: boolean;
  /** Column of the table, with `-` before it for descending. */
  readonly sort: string;
  /** Code of the airport whose board is open; empty for none. */
  readonly airport: string;
}

export const colourKinds = ['altitude', 'speed', 'source', 'signal'] as const;
export type ColourKind = (typeof colourKinds)[number];
export const labelKinds = ['auto', 'all', 'none'] as const;
export type LabelKind = (typeof labelKinds)[number];

/** How a member is written in the query. `read` gives undefined for a text that is not one. */
interface Row<T> {
  readonly name: string;
  readonly default: T;
  readonly write: (value: T) => string;
  readonly read: (text: string) => T | undefined;
}

const decimals = (digits: number, min: number, max: number) => ({
  write: (value: number) => String(Number(value.toFixed(digits))),
  read: (text: string) => (text !== '' && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
});
const flag = {
  write: (value: boolean) => (value ? '1' : '0'),
  read: (text: string) => (text === '1' ? true : text === '0' ? false : undefined),
};
const text = { write: (value: string) => value, read: (value: string) => value };
const list = {
  write: (value: readonly string[]) => value.join(','),
  read: (value: string) =>
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

const rows: { readonly [K in Exclude<keyof View, 'filters'>]: Row<View[K]> } = {
  lat: { name: 'lat', default: 30, ...decimals(4, -85, 85) },
  lon: { name: 'lon', default: 0, ...decimals(4, -180, 180) },
  zoom: { name: 'zoom', default: 2, ...decimals(2, 0, 20) },
  selected: { name: 'aircraft', default: [], ...list },
  isolated: { name: 'only', default: false, ...flag },
  follows: { name: 'follow', default: false, ...flag },
  atMs: {
    ...{ name: 'at', default: null },
    write: (ms) => (ms === null ? '' : new Date(ms).toISOString().replace('.000Z', 'Z')),
    read: (value) => (Number.isNaN(Date.parse(value)) ? undefined : Date.parse(value)),
  },
  pace: { name: 'pace', default: 0, ...decimals(0, 0, 60) },
  colour: { name: 'colour', default: 'altitude', ...oneOf(colourKinds) },
  trackColour: { name: 'track', default: 'altitude', ...oneOf(colourKinds) },
  labels: { name: 'labels', default: 'auto', ...oneOf(labelKinds) },
  layers: { name: 'layers', default: ['airports'], ...list },
  densityHours: { name: 'density', default: 24, ...decimals(0, 1, 744) },
  units: { name: 'units', default: 'aviation', ...oneOf(unitSystems) },
  table: { name: 'table', default: false, ...flag },
  sort: { name: 'sort', default: '-alt', ...text },
  airport: { name: 'airport', default: '', write: String, read: (code) => (/^\w{0,4}$/.test(code) ? code.toUpperCase() : undefined) },
};
/** Members of the query that are filters have this prefix. */
const FILTER = 'f.';

/** Errors: none; a member that cannot be read has its default. */
export function readView(query: URLSearchParams): View {
  const view: Record<string, unknown> = { filters: {} };
  for (const [key, { name, default: fallback, read }] of Object.entries(rows)) {
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
  const member = <K extends keyof typeof rows>(key: K): void => {
    const { name, default: fallback, write } = rows[key] as Row<View[K]>;
    const value = write(view[key]);
    if (value !== write(fallback)) query.set(name, value);
  };
  for (const key of Object.keys(rows) as (keyof typeof rows)[]) member(key);
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
