// Queries in the form of readsb at `/re-api/`: one selecting part, and any filters.
import { type ListedText, plainText } from '../../pipeline/view/listing.ts';
import { inBox, inCircle, type Predicate } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { badValue, cut, QueryError, unknownParameter } from './errors.ts';
import type { ListQuery } from './list-filters.ts';
import { decimal } from './numbers.ts';
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
  parseTexts,
  type Select,
} from './selections.ts';

/** Filters by a bit of `dbFlags`. */
const flagFilters = [
  ['filter_mil', 1],
  ['filter_interesting', 2],
  ['filter_pia', 4],
  ['filter_ladd', 8],
] as const;

const SHOWN_CHARACTERS_MAX = 80;

/** Parameters as written; those without a value are ''. */
export type ReadsbQuery = Readonly<Record<string, string | undefined>>;

export interface ReadsbSelection {
  readonly select: Select;
  /** The altitudes. */
  readonly list: ListQuery;
}

/**
 * The parsed query. `names` are all allowed parameters. Errors: `api.unknown_parameter` for an unknown filter, because ignoring it would
 * return too many aircraft; `api.bad_value`; `api.bad_request` for a query without a known part.
 */
export function readsbSelection(query: ReadsbQuery, names: readonly string[]): ReadsbSelection {
  const unknown = Object.keys(query).find((name) => /^(filter|find)_/.test(name) && !names.includes(name));
  if (unknown !== undefined) throw unknownParameter([cut(unknown, SHOWN_CHARACTERS_MAX)], names);
  const select = selectOf(query);
  const filters = filtersOf(query);
  return {
    list: altitudesOf(query),
    select: (snapshot, isWanted) => select(snapshot, every([...filters(snapshot), ...(isWanted === undefined ? [] : [isWanted])])),
  };
}

function selectOf(query: ReadsbQuery): Select {
  if ('binCraft' in query) throw new QueryError('api.bad_request', { detail: 'the format binCraft is not offered; leave it out for JSON' });
  const { box, circle, closest, find_callsign, find_reg, find_type, find_squawk } = query;
  const find_hex = query['find_hex'] ?? query['hexlist'];
  if (box !== undefined) return boxSelect(box);
  if (circle !== undefined) {
    const around = parseCircle('circle', circle);
    return ({ listing }, isWanted) => inCircle(listing, around, isWanted);
  }
  if (closest !== undefined) {
    const around = parseCircle('closest', closest);
    return ({ listing }, isWanted) => nearest(listing, around, 1, isWanted);
  }
  if (find_hex !== undefined) {
    const keys = parseHexes(find_hex);
    return (snapshot, isWanted) => byHex(snapshot, keys, isWanted);
  }
  if (find_callsign !== undefined) return textSelect('flight', 'find_callsign', find_callsign);
  if (find_reg !== undefined) return textSelect('registration', 'find_reg', find_reg);
  if (find_type !== undefined) return textSelect('typeDesignator', 'find_type', find_type);
  if (find_squawk !== undefined) {
    const codes = parseSquawks(find_squawk);
    return ({ listing }, isWanted) => bySquawk(listing, codes, isWanted);
  }
  if ('all' in query) return everyAircraft;
  if ('all_with_pos' in query) return everyWithPosition;
  throw new QueryError('api.bad_request', {
    detail: 'expected one of all, all_with_pos, box, circle, closest, hexlist, find_hex, find_callsign, find_reg, find_type, find_squawk',
  });
}

function boxSelect(value: string): Select {
  const [southDeg, northDeg, westDeg, eastDeg] = numbers('box', value, 4) as [number, number, number, number];
  checkPosition('box', southDeg, westDeg);
  checkPosition('box', northDeg, eastDeg);
  if (southDeg > northDeg) throw badValue('box', value, 'expected a south that is at most the north');
  return ({ listing }, isWanted) => inBox(listing, { southDeg, northDeg, westDeg, eastDeg }, isWanted);
}

function parseCircle(param: string, value: string) {
  const [latDeg, lonDeg, radiusNm] = numbers(param, value, 3) as [number, number, number];
  checkPosition(param, latDeg, lonDeg);
  if (radiusNm < 0) throw badValue(param, value, 'expected a radius of at least 0');
  return circleOf(latDeg, lonDeg, radiusNm);
}

function textSelect(text: ListedText, param: string, value: string): Select {
  const wanted = parseTexts(param, value);
  return ({ listing }, isWanted) => byText(listing, text, wanted, isWanted);
}

function altitudesOf({ above_alt_baro, below_alt_baro }: ReadsbQuery): ListQuery {
  const altitude = (param: string, value: string | undefined) => (value === undefined ? {} : { [param]: numbers(param, value, 1)[0]! });
  return { ...altitude('above_alt_baro', above_alt_baro), ...altitude('below_alt_baro', below_alt_baro) };
}

/** The filters of the query as tests, built for a snapshot. Errors: `api.bad_value`. */
function filtersOf(query: ReadsbQuery): (snapshot: Snapshot) => Predicate[] {
  const wantedFlags = flagFilters.filter(([name]) => name in query).reduce((sum, [, bit]) => sum | bit, 0);
  const codes = query['filter_squawk'] === undefined ? null : parseSquawks(query['filter_squawk']);
  const types = query['filter_type'] === undefined ? null : parseTexts('filter_type', query['filter_type']);
  const [exact, prefix] = [query['filter_callsign_exact'], query['filter_callsign_prefix']].map((text) =>
    text === undefined ? undefined : plainText(text),
  );
  return ({ listing }) => [
    ...(wantedFlags === 0 ? [] : [(i: number) => ((listing.facts[i]?.dbFlags ?? 0) & wantedFlags) !== 0]),
    ...(codes === null ? [] : [(i: number) => codes.has(listing.columns.squawk[i]!)]),
    ...(types === null ? [] : [(i: number) => types.has(plainText(listing.facts[i]?.typeDesignator ?? ''))]),
    ...(exact === undefined ? [] : [(i: number) => plainText(listing.flights[i] ?? '') === exact]),
    ...(prefix === undefined ? [] : [(i: number) => plainText(listing.flights[i] ?? '').startsWith(prefix)]),
    ...('filter_with_pos' in query ? [(i: number) => listing.hasPosition(i)] : []),
  ];
}

function every(tests: readonly Predicate[]): Predicate | undefined {
  return tests.length === 0 ? undefined : (i) => tests.every((test) => test(i));
}

function checkPosition(param: string, latDeg: number, lonDeg: number): void {
  if (Math.abs(latDeg) > 90) throw badValue(param, String(latDeg), 'expected a latitude from -90 to 90');
  if (Math.abs(lonDeg) > 180) throw badValue(param, String(lonDeg), 'expected a longitude from -180 to 180');
}

/** Numbers of a comma list: latitudes and longitudes, and a radius. Error: `api.bad_value`. */
function numbers(param: string, value: string, count: number): number[] {
  const found = value.split(',').map((item) => decimal(item.trim()));
  if (found.length !== count || found.some(Number.isNaN))
    throw badValue(param, value, count === 1 ? 'expected a number' : `expected ${count} numbers with commas between them`);
  return found;
}
