// Queries in the form of readsb at `/re-api/`: one selecting part, and any filters.
import type { Circle } from '../../pipeline/view/search.ts';
import { badValue } from './errors.ts';
import { every, listPredicate } from './list-filters.ts';
import { around, byHex, bySquawk, byText, circleOf, everyAircraft, type Select, within } from './selections.ts';
import { textForm } from './text-forms.ts';

/** Filters by a bit of `dbFlags`. */
const flagFilters = [
  ['filter_mil', 1],
  ['filter_interesting', 2],
  ['filter_pia', 4],
  ['filter_ladd', 8],
] as const;

/** Numbers as readsb writes them: with a decimal point, and a sign whose `+` a query string decodes to a blank. */
const LATITUDE = String.raw`[ +-]?(90(\.0*)?|[0-8]?[0-9](\.[0-9]*)?|\.[0-9]+)`;
const LONGITUDE = String.raw`[ +-]?(180(\.0*)?|(1[0-7])?[0-9](\.[0-9]*)?|[0-9]{2}(\.[0-9]*)?|\.[0-9]+)`;
const RADIUS = String.raw`[ +]?([0-9]{1,6}(\.[0-9]*)?|\.[0-9]+)`;

export const boxForm = textForm(
  [LATITUDE, LATITUDE, LONGITUDE, LONGITUDE].join(' *, *'),
  'expected 4 numbers with commas between them: two latitudes from -90 to 90, two longitudes from -180 to 180',
);
export const circleForm = textForm(
  [LATITUDE, LONGITUDE, RADIUS].join(' *, *'),
  'expected 3 numbers with commas between them: a latitude from -90 to 90, a longitude from -180 to 180, a radius of at least 0',
);

/** Parameters in their forms, without the altitudes; those without a value are ''. */
export type ReadsbQuery = Readonly<Record<string, string | undefined>>;

/** Selecting parts of a query; the first one counts. */
const selecting: readonly (readonly [name: string, select: (value: string) => Select])[] = [
  ['box', boxSelect],
  ['circle', (value) => around(parseCircle(value))],
  ['closest', (value) => around(parseCircle(value), 1)],
  ['find_hex', byHex],
  ['hexlist', byHex],
  ['find_callsign', (value) => byText('flight', value)],
  ['find_reg', (value) => byText('registration', value)],
  ['find_type', (value) => byText('typeDesignator', value)],
  ['find_squawk', bySquawk],
];

/** The aircraft of a query: its selecting part, or else all, that its filters accept. Error: `api.bad_value`. */
export function readsbSelect(query: ReadsbQuery): Select {
  const [name, selectBy] = selecting.find(([each]) => query[each] !== undefined) ?? [];
  const select = selectBy === undefined ? everyAircraft : selectBy(query[name!]!);
  const filters = {
    ...{ type: query['filter_type'], squawk: query['filter_squawk'] },
    ...{ callsign: query['filter_callsign_prefix'], callsigns: query['filter_callsign_exact'] },
    flags: flagFilters.filter(([flag]) => flag in query).reduce((sum, [, bit]) => sum | bit, 0) || undefined,
    hasPosition: 'filter_with_pos' in query || (name === undefined && 'all_with_pos' in query) ? (true as const) : undefined,
  };
  return (snapshot, isWanted) => {
    const accepts = listPredicate(filters, snapshot.listing, { operator: () => undefined });
    return select(snapshot, every([accepts, isWanted].filter((test) => test !== undefined)));
  };
}

function boxSelect(value: string): Select {
  const [southDeg, northDeg, westDeg, eastDeg] = numbers(value) as [number, number, number, number];
  if (southDeg > northDeg) throw badValue('box', value, 'expected a south that is at most the north');
  return within({ southDeg, northDeg, westDeg, eastDeg });
}

function parseCircle(value: string): Circle {
  const [latDeg, lonDeg, radiusNm] = numbers(value) as [number, number, number];
  return circleOf(latDeg, lonDeg, radiusNm);
}

const numbers = (value: string): number[] => value.split(',').map(Number);
