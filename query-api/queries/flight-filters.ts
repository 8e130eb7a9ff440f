// The filters of a flight search: a comma list matches any of its items; all filters must match (decisions G7).

import { ABSENT } from '../../pipeline/view/columns.ts';
import { plainText } from '../../pipeline/view/listing.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { FlightIndex } from './flight-index.ts';
import { statuses, statusesOf } from './flight-status.ts';
import { shownAltitudeFt } from './list-filters.ts';
import type { ReadModel } from './read-model.ts';
import { listForm, nameList } from './text-forms.ts';

const CODE = '[0-9A-Za-z]{1,8}';

/** Codes of airports, operators or types. Local codes of airports may have hyphens. */
export const codeList = listForm(
  { source: `${CODE}(-${CODE})?`, detail: () => 'expected codes of letters and digits' },
  limits.flightListItemsMax,
);
export const routeList = listForm(
  { source: `${CODE}-${CODE}`, detail: () => 'expected two airports with a hyphen between them, as AMS-LHR' },
  limits.flightListItemsMax,
);
export const statusList = nameList(statuses, `expected one of ${statuses.join(', ')}`, limits.flightListItemsMax);

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

/** The search of a query. */
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
    const items = [...new Set(query[name].split(',').map((item) => item.trim()))].map((item) =>
      name === 'status' ? item : item.toUpperCase(),
    );
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
  const routes = lists('routes')?.map((route) => route.split('-').map(keyOf));
  if (routes !== undefined) pools.push(routes.flatMap(([from, to]) => index.between(from!, to!)));
  const operators = lists('operator')?.map((code) => reference.operator(code)?.icao ?? code);
  if (operators !== undefined) pools.push(operators.flatMap((code) => listing.by('operator').get(code) ?? []));
  const types = lists('type');
  if (types !== null) pools.push(types.flatMap((type) => listing.by('typeDesignator').get(plainText(type)) ?? []));
  const wanted = lists('status');
  if (wanted !== null) tests.push((i) => statusesOf(listing, i).some((status) => wanted.includes(status)));
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
