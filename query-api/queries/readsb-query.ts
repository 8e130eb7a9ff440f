// Queries in the form of readsb at `/re-api/`: one selecting part, and any filters.
import { type ListedText, plainText } from '../../pipeline/view/listing.ts';
import { inBox, inCircle, type Predicate } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { badValue } from './errors.ts';
import { listItems } from './list-filters.ts';
import {
  byHex,
  bySquawk,
  byText,
  circleOf,
  everyAircraft,
  everyWithPosition,
  nearest,
  parseHexes,
  parseSquawks,
  type Select,
} from './selections.ts';
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

/** The aircraft of a query: its selecting part, or else all, that its filters accept. Error: `api.bad_value`. */
export function readsbSelect(query: ReadsbQuery): Select {
  const select = selectOf(query);
  const filters = filtersOf(query);
  return (snapshot, isWanted) => select(snapshot, every([...filters(snapshot), ...(isWanted === undefined ? [] : [isWanted])]));
}

function selectOf(query: ReadsbQuery): Select {
  const { box, circle, closest, find_callsign, find_reg, find_type, find_squawk } = query;
  const find_hex = query['find_hex'] ?? query['hexlist'];
  if (box !== undefined) return boxSelect(box);
  if (circle !== undefined) {
    const around = parseCircle(circle);
    return ({ listing }, isWanted) => inCircle(listing, around, isWanted);
  }
  if (closest !== undefined) {
    const around = parseCircle(closest);
    return ({ listing }, isWanted) => nearest(listing, around, 1, isWanted);
  }
  if (find_hex !== undefined) {
    const keys = parseHexes(find_hex);
    return (snapshot, isWanted) => byHex(snapshot, keys, isWanted);
  }
  if (find_callsign !== undefined) return textSelect('flight', find_callsign);
  if (find_reg !== undefined) return textSelect('registration', find_reg);
  if (find_type !== undefined) return textSelect('typeDesignator', find_type);
  if (find_squawk !== undefined) {
    const codes = parseSquawks(find_squawk);
    return ({ listing }, isWanted) => bySquawk(listing, codes, isWanted);
  }
  return 'all_with_pos' in query ? everyWithPosition : everyAircraft;
}

function boxSelect(value: string): Select {
  const [southDeg, northDeg, westDeg, eastDeg] = numbers(value) as [number, number, number, number];
  if (southDeg > northDeg) throw badValue('box', value, 'expected a south that is at most the north');
  return ({ listing }, isWanted) => inBox(listing, { southDeg, northDeg, westDeg, eastDeg }, isWanted);
}

function parseCircle(value: string) {
  const [latDeg, lonDeg, radiusNm] = numbers(value) as [number, number, number];
  return circleOf(latDeg, lonDeg, radiusNm);
}

function textSelect(text: ListedText, value: string): Select {
  const wanted = listItems(value);
  return ({ listing }, isWanted) => byText(listing, text, wanted, isWanted);
}

/** The filters of the query as tests, built for a snapshot. */
function filtersOf(query: ReadsbQuery): (snapshot: Snapshot) => Predicate[] {
  const wantedFlags = flagFilters.filter(([name]) => name in query).reduce((sum, [, bit]) => sum | bit, 0);
  const codes = query['filter_squawk'] === undefined ? null : parseSquawks(query['filter_squawk']);
  const [types, exact, prefixes] = ['filter_type', 'filter_callsign_exact', 'filter_callsign_prefix'].map((name) => {
    const list = query[name];
    return list === undefined ? undefined : listItems(list);
  });
  const callsign = ({ flights }: Snapshot['listing'], i: number): string => plainText(flights[i] ?? '');
  return ({ listing }) => [
    ...(wantedFlags === 0 ? [] : [(i: number) => ((listing.facts[i]?.dbFlags ?? 0) & wantedFlags) !== 0]),
    ...(codes === null ? [] : [(i: number) => codes.has(listing.columns.squawk[i]!)]),
    ...(types === undefined ? [] : [(i: number) => types.has(plainText(listing.facts[i]?.typeDesignator ?? ''))]),
    ...(exact === undefined ? [] : [(i: number) => exact.has(callsign(listing, i))]),
    ...(prefixes === undefined ? [] : [(i: number) => [...prefixes].some((prefix) => callsign(listing, i).startsWith(prefix))]),
    ...('filter_with_pos' in query ? [(i: number) => listing.hasPosition(i)] : []),
  ];
}

function every(tests: readonly Predicate[]): Predicate | undefined {
  return tests.length === 0 ? undefined : (i) => tests.every((test) => test(i));
}

function numbers(value: string): number[] {
  return value.split(',').map((item) => Number(item));
}
