// Query parameters of every aircraft list: selection, limit, members, format.

import type { Reference } from '../../pipeline/reference/reference.ts';
import { ABSENT } from '../../pipeline/view/columns.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { operatorCode, plainText } from '../../pipeline/view/listing.ts';
import { nativeType } from '../../pipeline/view/plain.ts';
import type { Predicate } from '../../pipeline/view/search.ts';
import { sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { limits } from '../../schemas/limits.ts';
import { badValue } from './errors.ts';

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
  readonly format?: 'json' | 'geojson';
}

const list = (what: string, example: string) => ({
  type: 'string',
  minLength: 1,
  maxLength: limits.listCharactersMax,
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

/** The parameters as properties of a route's query schema. */
export const listQueryProperties = {
  min_altitude: altitude('ft, barometric; on the ground counts as 0', 10_000),
  max_altitude: altitude('ft, barometric; on the ground counts as 0', 40_000),
  above_alt_baro: altitude('the same as min_altitude, under the name of readsb', 10_000),
  below_alt_baro: altitude('the same as max_altitude, under the name of readsb', 40_000),
  type: list('ICAO type designator', 'B738'),
  squawk: { ...list('four octal digits', '1000'), pattern: '^[0-7]{4}(,[0-7]{4})*$' },
  callsign: list('first characters of the call sign', 'KLM'),
  operator: list('ICAO or IATA code of the operator; its flights are those whose call sign begins with its ICAO code', 'KLM'),
  military: { type: 'boolean', description: 'true: only military aircraft, false: only others', examples: [false] },
  source: list('where the data come from: a value of `source`, or one of adsb_icao, adsr, tisb, mlat for all of its kind', 'adsb_icao'),
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: 'maximum number of aircraft; `truncated` is true when there are more',
    examples: [100],
  },
  fields: list('members of each aircraft that are wanted; hex is always there', 'hex,flight,lat,lon,alt_baro'),
  format: {
    type: 'string',
    enum: ['json', 'geojson'],
    default: 'json',
    description: 'geojson: a FeatureCollection of the aircraft with a position',
  },
} as const;

/** The test of a query for each aircraft; undefined when it accepts all. Errors: `api.bad_value`. */
export function listPredicate(query: ListQuery, listing: Listing, reference: Reference): Predicate | undefined {
  const tests = [
    altitudeTest(query, listing),
    anyOf('type', query.type, (wanted) => (i) => wanted.has(plainText(listing.facts[i]?.typeDesignator ?? ''))),
    anyOf('squawk', query.squawk, (wanted) => {
      const codes = new Set([...wanted].map(Number));
      return (i) => codes.has(listing.columns.squawk[i]!);
    }),
    anyOf('callsign', query.callsign, (wanted) => {
      const prefixes = [...wanted];
      return (i) => prefixes.some((prefix) => listing.flights[i]?.startsWith(prefix) === true);
    }),
    anyOf('operator', query.operator, (wanted) => {
      const codes = new Set([...wanted].map((code) => reference.operator(code)?.icao ?? code));
      return (i) => codes.has(operatorCode(listing.flights[i]!) ?? '');
    }),
    query.military === undefined ? null : (i: number) => ((listing.facts[i]?.dbFlags ?? 0) & 1) === Number(query.military),
    sourceTest(query.source, listing),
  ].filter((test) => test !== null);
  if (tests.length === 0) return undefined;
  return (i) => tests.every((test) => test(i));
}

/** Items of a comma list, in the form for comparison. Error: `api.bad_value` for too many. */
export function listItems(param: string, value: string): Set<string> {
  const items = value.split(',');
  if (items.length > limits.listItemsMax)
    throw badValue(param, value, `expected at most ${limits.listItemsMax} items, got ${items.length}`);
  return new Set(items.map(plainText).filter((item) => item !== ''));
}

function anyOf(param: string, value: string | undefined, test: (wanted: ReadonlySet<string>) => Predicate): Predicate | null {
  return value === undefined ? null : test(listItems(param, value));
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
  const wanted = new Set(value.toLowerCase().split(','));
  const unknown = [...wanted].find((name) => !sourceNames.has(name));
  if (unknown !== undefined) throw badValue('source', unknown, `expected one of ${[...sourceNames].join(', ')}`);
  const isWanted = sourceKinds.map((kind) => wanted.has(kind) || wanted.has(nativeType(kind) ?? kind));
  return (i) => isWanted[columns.source[i]!] === true;
}

const sourceNames = new Set<string>(sourceKinds.flatMap((kind) => [nativeType(kind) ?? kind, kind]));
