// The filters of a flight search: a comma list matches any of its items; all filters must match (decisions G7).

import { plainText } from '../../pipeline/view/listing.ts';
import type { Predicate } from '../../pipeline/view/search.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { FlightIndex } from './flight-index.ts';
import { statuses, statusesOf } from './flight-status.ts';
import { type AltitudeQuery, altitudesOf, altitudeTest, every } from './list-filters.ts';
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

export interface FlightQuery extends AltitudeQuery {
  readonly origin?: string;
  readonly destination?: string;
  readonly airports?: string;
  readonly routes?: string;
  readonly operator?: string;
  readonly type?: string;
  readonly status?: string;
}

/** The search of a query: `echo` has its filters as parsed. */
export function flightFilter({ flights, reference }: Pick<ReadModel, 'flights' | 'reference'>, index: FlightIndex, query: FlightQuery) {
  const { listing } = index;
  const echo: Record<string, unknown> = {};
  /** A code without an airport stands for itself: it has no flights. */
  const keyOf = (code: string): string => flights.airports.byCode(code)?.key ?? `?${code}`;
  const at = (which: 'origin' | 'destination', code: string): readonly number[] => index.ends(which).get(keyOf(code)) ?? [];
  /** Flights of one item of each list. */
  const pools: Readonly<Record<string, (item: string) => readonly number[]>> = {
    origin: (code) => at('origin', code),
    destination: (code) => at('destination', code),
    airports: (code) => [...at('origin', code), ...at('destination', code)],
    routes: (route) => index.between(...(route.split('-').map(keyOf) as [string, string])),
    operator: (code) => listing.by('operator').get(reference.operator(code)?.icao ?? code) ?? [],
    type: (type) => listing.by('typeDesignator').get(plainText(type)) ?? [],
  };
  const items = (list: string): string[] => [...new Set(list.split(',').map((item) => item.trim()))];
  const given = Object.entries(pools).flatMap(([name, flightsOf]) => {
    const list = query[name as keyof FlightQuery] as string | undefined;
    if (list === undefined) return [];
    const codes = items(list.toUpperCase());
    echo[name] = codes;
    return [codes.flatMap(flightsOf)];
  });
  const tests: Predicate[] = [];
  if (query.status !== undefined) {
    const wanted = items(query.status);
    echo['status'] = wanted;
    tests.push((i) => statusesOf(listing, i).some((status) => wanted.includes(status)));
  }
  const [lowest, highest] = altitudesOf(query);
  if (lowest > -Infinity) echo['min_altitude'] = lowest;
  if (highest < Infinity) echo['max_altitude'] = highest;
  const altitude = altitudeTest([lowest, highest], listing.columns);
  if (altitude !== null) tests.push(altitude);
  return { echo, ...pooled(given, tests) };
}

/** The smallest pool is scanned, the others are tests. */
function pooled(pools: readonly (readonly number[])[], tests: readonly Predicate[]) {
  const [among, ...others] = [...pools].sort((a, b) => a.length - b.length);
  const all = [
    ...others
      .map((pool) => new Set(pool))
      .map(
        (set): Predicate =>
          (i) =>
            set.has(i),
      ),
    ...tests,
  ];
  const isWanted = every(all);
  return { among: among === undefined ? undefined : [...new Set(among)], ...(isWanted === undefined ? {} : { isWanted }) };
}
