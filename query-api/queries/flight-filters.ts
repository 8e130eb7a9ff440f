// The filters of a flight search: a comma list matches any of its items; all filters must match (decisions G7).

import { ABSENT } from '../../pipeline/view/columns.ts';
import { plainText } from '../../pipeline/view/listing.ts';
import { limits } from '../../schemas/limits.ts';
import { badValue } from './errors.ts';
import type { FlightIndex } from './flight-index.ts';
import { type Status, statuses, statusesOf } from './flight-status.ts';
import { shownAltitudeFt } from './list-filters.ts';
import type { ReadModel } from './read-model.ts';

export interface FlightQuery {
  readonly origin?: string;
  readonly destination?: string;
  readonly airports?: string;
  readonly routes?: string;
  readonly operator?: string;
  readonly type?: string;
  readonly status?: string;
  readonly min_altitude?: number;
  readonly max_altitude?: number;
  readonly above_alt_baro?: number;
  readonly below_alt_baro?: number;
}

type Predicate = (i: number) => boolean;

export interface FlightFilter {
  /** The filters as parsed. */
  readonly echo: Readonly<Record<string, unknown>>;
  /** Flights to scan; all when undefined. */
  readonly among: readonly number[] | undefined;
  /** True for selected flights; without it all are. */
  readonly isWanted?: Predicate;
}

/** The search of a query. Errors: `api.bad_value`. */
export function flightFilter(
  { flights, reference }: Pick<ReadModel, 'flights' | 'reference'>,
  index: FlightIndex,
  query: FlightQuery,
): FlightFilter {
  const { listing } = index;
  const echo: Record<string, unknown> = {};
  const tests: Predicate[] = [];
  const pools: (readonly number[])[] = [];
  const lists = (name: 'origin' | 'destination' | 'airports' | 'routes' | 'operator' | 'type' | 'status'): string[] | null => {
    if (query[name] === undefined) return null;
    const items = itemsOf(name, query[name]);
    echo[name] = items;
    return items;
  };
  /** A code without an airport stands for itself: it has no flights. */
  const keyOf = (code: string): string => flights.airports.byCode(code)?.key ?? `?${code}`;
  const at = (which: 'origin' | 'destination', key: string): readonly number[] => index.ends(which).get(key) ?? [];
  for (const which of ['origin', 'destination'] as const) {
    const keys = lists(which)?.map(keyOf);
    if (keys !== undefined) pools.push(keys.flatMap((key) => at(which, key)));
  }
  const airports = lists('airports')?.map(keyOf);
  if (airports !== undefined) pools.push(airports.flatMap((key) => [...at('origin', key), ...at('destination', key)]));
  const routes = lists('routes')?.map((route) => pairOf(route).map(keyOf));
  if (routes !== undefined)
    pools.push(
      routes.flatMap(([from, to]) => {
        const going = new Set(at('destination', to!));
        return at('origin', from!).filter((i) => going.has(i));
      }),
    );
  const operators = lists('operator')?.map((code) => reference.operator(code)?.icao ?? code);
  if (operators !== undefined) pools.push(operators.flatMap((code) => listing.by('operator').get(code) ?? []));
  const types = lists('type');
  if (types !== null) pools.push(types.flatMap((type) => listing.by('typeDesignator').get(plainText(type)) ?? []));
  const wanted = lists('status')?.map(statusOf);
  if (wanted !== undefined) tests.push((i) => statusesOf(listing, i).some((status) => wanted.includes(status)));
  tests.push(...altitudeTests(query, listing.columns, echo));
  return { echo, ...pooled(pools, tests) };
}

/** The smallest pool is scanned, the others are tests. */
function pooled(pools: readonly (readonly number[])[], tests: readonly Predicate[]) {
  const [among, ...others] = [...pools].sort((a, b) => a.length - b.length);
  const sets = others.map((pool) => new Set(pool));
  const all = [
    ...sets.map(
      (set): Predicate =>
        (i) =>
          set.has(i),
    ),
    ...tests,
  ];
  return {
    among: among === undefined ? undefined : [...new Set(among)],
    ...(all.length === 0 ? {} : { isWanted: (i: number) => all.every((test) => test(i)) }),
  };
}

function altitudeTests(query: FlightQuery, columns: FlightIndex['listing']['columns'], echo: Record<string, unknown>): Predicate[] {
  const lowest = greatest(query.min_altitude, query.above_alt_baro);
  const highest = least(query.max_altitude, query.below_alt_baro);
  if (lowest !== undefined) echo['min_altitude'] = lowest;
  if (highest !== undefined) echo['max_altitude'] = highest;
  if (lowest === undefined && highest === undefined) return [];
  return [
    (i) => {
      const altitudeFt = shownAltitudeFt(columns, i);
      return altitudeFt !== ABSENT && altitudeFt >= (lowest ?? altitudeFt) && altitudeFt <= (highest ?? altitudeFt);
    },
  ];
}

function greatest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function itemsOf(param: string, value: string): string[] {
  const items = [...new Set(value.split(',').map((item) => (param === 'status' ? item.trim() : item.trim().toUpperCase())))];
  if (items.length > limits.flightListItemsMax)
    throw badValue(param, value, `expected at most ${limits.flightListItemsMax} values, got ${items.length}`);
  if (items.includes('')) throw badValue(param, value, 'the list has an empty value');
  return items;
}

function pairOf(route: string): [string, string] {
  const [from, to, ...more] = route.split('-');
  if (from === undefined || to === undefined || from === '' || to === '' || more.length > 0)
    throw badValue('routes', route, 'expected two airports with a hyphen between them, as AMS-LHR');
  return [from, to];
}

function statusOf(text: string): Status {
  const status = statuses.find((name) => name === text.toLowerCase());
  if (status === undefined) throw badValue('status', text, `expected one of ${statuses.join(', ')}`);
  return status;
}
