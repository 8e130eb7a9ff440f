// Query parameters of every aircraft list: filters, limit, members; and the table of filters, which readsb's view shares.

import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { operatorCode, plainText } from '../../pipeline/view/listing.ts';
import type { Predicate } from '../../pipeline/view/search.ts';
import { memberFields } from '../../schemas/aircraft-fields.ts';
import { sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { nativeType } from '../../schemas/native-members.ts';
import { anyList, nameList, squawkList, type TextForm } from './text-forms.ts';

/** Altitudes under both of their names. */
export interface AltitudeQuery {
  readonly min_altitude?: number;
  readonly max_altitude?: number;
  readonly above_alt_baro?: number;
  readonly below_alt_baro?: number;
}

/** Values of these parameters after validation by the schema below. */
export interface ListQuery extends AltitudeQuery {
  readonly type?: string | undefined;
  readonly squawk?: string | undefined;
  readonly callsign?: string | undefined;
  readonly operator?: string;
  readonly military?: boolean;
  readonly source?: string;
  readonly limit?: number;
  readonly fields?: string;
}

const list = (form: TextForm, what: string, example: string) => ({
  ...form,
  description: `${what}; a comma list means any of them`,
  examples: [example],
});
const altitude = (description: string, example: number) => ({
  type: 'number',
  minimum: -2000,
  maximum: 200_000,
  description,
  examples: [example],
});

/** Kinds of source, and the native types that stand for several. */
const sourceNames = [...new Set<string>(sourceKinds.flatMap((kind) => [nativeType(kind) ?? kind, kind]))];

/** The parameters as properties of a route's query schema. */
export const listQueryProperties = {
  min_altitude: altitude('ft, barometric; on the ground counts as 0', 10_000),
  max_altitude: altitude('ft, barometric; on the ground counts as 0', 40_000),
  above_alt_baro: altitude('the same as min_altitude, under the name of readsb', 10_000),
  below_alt_baro: altitude('the same as max_altitude, under the name of readsb', 40_000),
  type: list(anyList, 'ICAO type designator', 'B738'),
  squawk: list(squawkList, 'four octal digits', '1000'),
  callsign: list(anyList, 'first characters of the call sign', 'KLM'),
  operator: list(anyList, 'ICAO or IATA code of the operator; its flights are those whose call sign begins with its ICAO code', 'KLM'),
  military: { type: 'boolean', description: 'true: only military aircraft, false: only others', examples: [false] },
  source: list(
    nameList(sourceNames, `expected one of ${sourceNames.join(', ')}`),
    'where the data come from: a value of `source`, or one of adsb_icao, adsr, tisb, mlat for all of its kind',
    'adsb_icao',
  ),
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: 'maximum number of aircraft; `truncated` is true when there are more',
    examples: [100],
  },
  fields: {
    ...nameList(
      memberFields.map(({ member }) => member),
      'expected a member of aircraft records',
    ),
    description: 'members of each aircraft that are wanted; hex is always there',
    examples: ['hex,flight,lat,lon,alt_baro'],
  },
} as const;

/** Filters of lists in every view. */
export interface Filters extends Omit<ListQuery, 'limit' | 'fields'> {
  /** A list of complete call signs. */
  readonly callsigns?: string | undefined;
  /** Bits of `dbFlags`, of which an aircraft has any. */
  readonly flags?: number | undefined;
  readonly hasPosition?: true | undefined;
}

type Test<Value> = (value: Value, listing: Listing, reference: Pick<Reference, 'operator'>) => Predicate;

/** One test for each filter. */
const tests = {
  type: (value, { facts }) => isIn(listItems(value), (i) => plainText(facts[i]?.typeDesignator ?? '')),
  squawk: (value, { columns }) => isIn(new Set(value.split(',').map(Number)), (i) => columns.squawk[i]!),
  callsign: (value, { flights }) => {
    const prefixes = [...listItems(value)];
    return (i) => prefixes.some((prefix) => plainText(flights[i] ?? '').startsWith(prefix));
  },
  callsigns: (value, { flights }) => isIn(listItems(value), (i) => plainText(flights[i] ?? '')),
  operator: (value, { flights }, reference) => {
    const codes = new Set([...listItems(value)].map((code) => reference.operator(code)?.icao ?? code));
    return isIn(codes, (i) => operatorCode(flights[i]!) ?? '');
  },
  military:
    (value, { facts }) =>
    (i) =>
      ((facts[i]?.dbFlags ?? 0) & 1) === Number(value),
  flags:
    (bits, { facts }) =>
    (i) =>
      ((facts[i]?.dbFlags ?? 0) & bits) !== 0,
  hasPosition: (_, listing) => (i) => listing.hasPosition(i),
  source: (value, { columns }) => {
    const isWanted = sourcesWanted(value);
    return (i) => isWanted[columns.source[i]!] === true;
  },
} satisfies { [Name in Exclude<keyof Filters, keyof AltitudeQuery>]: Test<NonNullable<Filters[Name]>> };

const isIn =
  <Value>(wanted: ReadonlySet<Value>, keyOf: (i: number) => Value): Predicate =>
  (i) =>
    wanted.has(keyOf(i));

/** The test of a query for each aircraft; undefined when it accepts all. Operators need reference data. */
export function listPredicate(query: Filters, listing: Listing, reference: Pick<Reference, 'operator'>): Predicate | undefined {
  const given = (Object.entries(tests) as [keyof typeof tests, Test<unknown>][])
    .filter(([name]) => query[name] !== undefined)
    .map(([name, test]) => test(query[name], listing, reference));
  const altitude = altitudeTest(altitudesOf(query), listing.columns);
  return every(altitude === null ? given : [altitude, ...given]);
}

/** True if all tests are; undefined without any. */
export function every(all: readonly Predicate[]): Predicate | undefined {
  return all.length < 2 ? all[0] : (i) => all.every((test) => test(i));
}

/** Items of a comma list, in the form for comparison. */
export function listItems(value: string): Set<string> {
  return new Set(
    value
      .split(',')
      .map(plainText)
      .filter((item) => item !== ''),
  );
}

/** The lowest and the highest altitude of a query, infinite where it has none. */
export function altitudesOf(query: AltitudeQuery): readonly [lowest: number, highest: number] {
  const { min_altitude = -Infinity, above_alt_baro = -Infinity, max_altitude = Infinity, below_alt_baro = Infinity } = query;
  return [Math.max(min_altitude, above_alt_baro), Math.min(max_altitude, below_alt_baro)];
}

/** Null for all altitudes. */
export function altitudeTest([lowest, highest]: readonly [number, number], columns: Listing['columns']): Predicate | null {
  if (lowest === -Infinity && highest === Infinity) return null;
  return (i) => {
    const altitudeFt = shownAltitudeFt(columns, i);
    return altitudeFt !== ABSENT && altitudeFt >= lowest && altitudeFt <= highest;
  };
}

/** Barometric altitude; 0 on the ground, ABSENT when unknown. */
export function shownAltitudeFt(columns: Listing['columns'], i: number): number {
  return columns.onGround[i] === 1 ? 0 : columns.altitudeBaroFt[i]!;
}

/** For each kind of source, whether a value of `source` names it. */
export function sourcesWanted(value: string): readonly boolean[] {
  const wanted = new Set(value.split(',').map((name) => name.trim()));
  return sourceKinds.map((kind) => wanted.has(kind) || wanted.has(nativeType(kind) ?? kind));
}
