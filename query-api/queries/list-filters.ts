// Query parameters of every aircraft list: selection, limit, members.

import type { Reference } from '../../pipeline/reference/reference.ts';
import { ABSENT } from '../../pipeline/view/columns.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { operatorCode, plainText } from '../../pipeline/view/listing.ts';
import type { Predicate } from '../../pipeline/view/search.ts';
import { memberFields } from '../../schemas/aircraft-fields.ts';
import { sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { nativeType } from '../../schemas/native-members.ts';
import { anyList, nameList, squawkList, type TextForm } from './text-forms.ts';

/** Values of these parameters after validation by the schema below. */
export interface ListQuery {
  readonly min_altitude?: number;
  readonly max_altitude?: number;
  readonly above_alt_baro?: number;
  readonly below_alt_baro?: number;
  readonly type?: string;
  readonly squawk?: string;
  readonly callsign?: string;
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

/** The test of a query for each aircraft; undefined when it accepts all. */
export function listPredicate(query: ListQuery, listing: Listing, reference: Reference): Predicate | undefined {
  const tests = [
    altitudeTest(query, listing),
    anyOf(query.type, (wanted) => (i) => wanted.has(plainText(listing.facts[i]?.typeDesignator ?? ''))),
    anyOf(query.squawk, (wanted) => {
      const codes = new Set([...wanted].map(Number));
      return (i) => codes.has(listing.columns.squawk[i]!);
    }),
    anyOf(query.callsign, (wanted) => {
      const prefixes = [...wanted];
      return (i) => prefixes.some((prefix) => listing.flights[i]?.startsWith(prefix) === true);
    }),
    anyOf(query.operator, (wanted) => {
      const codes = new Set([...wanted].map((code) => reference.operator(code)?.icao ?? code));
      return (i) => codes.has(operatorCode(listing.flights[i]!) ?? '');
    }),
    query.military === undefined ? null : (i: number) => ((listing.facts[i]?.dbFlags ?? 0) & 1) === Number(query.military),
    sourceTest(query.source, listing),
  ].filter((test) => test !== null);
  if (tests.length === 0) return undefined;
  return (i) => tests.every((test) => test(i));
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

function anyOf(value: string | undefined, test: (wanted: ReadonlySet<string>) => Predicate): Predicate | null {
  return value === undefined ? null : test(listItems(value));
}

function altitudeTest(query: ListQuery, { columns }: Listing): Predicate | null {
  const lowest = Math.max(query.min_altitude ?? Number.NEGATIVE_INFINITY, query.above_alt_baro ?? Number.NEGATIVE_INFINITY);
  const highest = Math.min(query.max_altitude ?? Number.POSITIVE_INFINITY, query.below_alt_baro ?? Number.POSITIVE_INFINITY);
  if (lowest === Number.NEGATIVE_INFINITY && highest === Number.POSITIVE_INFINITY) return null;
  return (i) => {
    const altitudeFt = shownAltitudeFt(columns, i);
    return altitudeFt !== ABSENT && altitudeFt >= lowest && altitudeFt <= highest;
  };
}

/** Barometric altitude; 0 on the ground, ABSENT when unknown. */
export function shownAltitudeFt(columns: Listing['columns'], i: number): number {
  return columns.onGround[i] === 1 ? 0 : columns.altitudeBaroFt[i]!;
}

function sourceTest(value: string | undefined, { columns }: Listing): Predicate | null {
  if (value === undefined) return null;
  const isWanted = sourcesWanted(value);
  return (i) => isWanted[columns.source[i]!] === true;
}

/** For each kind of source, whether a value of `source` names it. */
export function sourcesWanted(value: string): readonly boolean[] {
  const wanted = new Set(value.split(',').map((name) => name.trim()));
  return sourceKinds.map((kind) => wanted.has(kind) || wanted.has(nativeType(kind) ?? kind));
}
