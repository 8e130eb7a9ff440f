// Filters of the heat map, the same as those of the map. The store tests the columns of positions. Reference data of the aircraft and of its call sign are
// tested here.
import type { Reference } from '../../../pipeline/reference/reference.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { listQueryProperties, sourcesWanted } from '../list-filters.ts';
import { anyListOf, listForm } from '../text-forms.ts';

export interface DensityFilters {
  readonly min_altitude?: number;
  readonly max_altitude?: number;
  readonly min_speed?: number;
  readonly max_speed?: number;
  readonly on_ground?: boolean;
  readonly squawk?: string;
  readonly source?: string;
  readonly type?: string;
  readonly operator?: string;
  readonly route?: string;
  readonly military?: boolean;
}

const prefixList = (what: string, example: string) => ({
  ...anyListOf(limits.densityWordsMax),
  description: `first characters of ${what}; a comma list means any of them`,
  examples: [example],
});
const speed = (example: number) => ({ type: 'number', minimum: 0, maximum: 5000, description: 'ground speed, kt', examples: [example] });
const { min_altitude, max_altitude, military, source } = listQueryProperties;

/** The parameters as properties of the route's query schema. */
export const densityFilterProperties = {
  ...{ min_altitude, max_altitude, min_speed: speed(100), max_speed: speed(600), source, military },
  on_ground: { type: 'boolean', description: 'true: only positions on the ground, false: only those in the air', examples: [false] },
  squawk: {
    ...listForm({ source: '[0-7]{1,4}', detail: () => 'expected up to four octal digits' }),
    ...{ description: 'first digits of the squawk; a comma list means any of them', examples: ['77'] },
  },
  type: prefixList('the ICAO type designator or of its description', 'B73'),
  operator: prefixList("the call sign or of the operator's name", 'KLM'),
  route: prefixList('the IATA code of the origin or destination that reference data have for the call sign', 'AMS'),
} as const;

const ALTITUDE_FT = 'if(onGround, 0, ifNull(altitudeBaroFt, altitudeGeomFt))';

interface Conditions {
  /** Begins with AND; empty without conditions. */
  readonly sql: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Conditions of the query that reads positions. */
export function storedConditions(filters: DensityFilters): Conditions {
  const digits = filters.squawk === undefined ? undefined : `^(${prefixesOf(filters.squawk).join('|')})`;
  const kinds = filters.source === undefined ? undefined : sourcesWanted(filters.source).flatMap((isWanted, i) => (isWanted ? [i] : []));
  const given = (
    [
      [`${ALTITUDE_FT} >= {minAltitude:Float64}`, 'minAltitude', filters.min_altitude],
      [`${ALTITUDE_FT} <= {maxAltitude:Float64}`, 'maxAltitude', filters.max_altitude],
      ['groundSpeedDeciKt >= 10 * {minSpeed:Float64}', 'minSpeed', filters.min_speed],
      ['groundSpeedDeciKt <= 10 * {maxSpeed:Float64}', 'maxSpeed', filters.max_speed],
      ['onGround = {onGround:Bool}', 'onGround', filters.on_ground],
      ["match(leftPad(toString(squawk), 4, '0'), {digits:String})", 'digits', digits],
      ['has({kinds:Array(UInt8)}, toUInt8(source))', 'kinds', kinds],
    ] as const
  ).filter(([, , value]) => value !== undefined);
  return {
    sql: given.map(([condition]) => ` AND ${condition}`).join(''),
    parameters: Object.fromEntries(given.map(([, name, value]) => [name, value])),
  };
}

/** True for an aircraft, by its key and call sign, that passes what the store cannot test. */
export type FlownBy = (key: number, callsign: string) => boolean;

/** Null: all pass. */
export function flownBy({ type, operator, route, military: isWanted }: DensityFilters, reference: Reference): FlownBy | null {
  const tests = [
    anyPrefix(type, (key) => [reference.facts(key)?.typeDesignator, reference.facts(key)?.description]),
    anyPrefix(operator, (key, callsign) => [callsign, reference.facts(key)?.operator]),
    anyPrefix(route, (_, callsign) => {
      const airports = reference.route(callsign) ?? [];
      return [airports[0]?.iata, airports.at(-1)?.iata];
    }),
    isWanted === undefined ? null : (key: number) => ((reference.facts(key)?.dbFlags ?? 0) & 1) === Number(isWanted),
  ].filter((test) => test !== null);
  return tests.length === 0 ? null : (key, callsign) => tests.every((test) => test(key, callsign));
}

function anyPrefix(value: string | undefined, texts: (key: number, callsign: string) => readonly (string | undefined)[]): FlownBy | null {
  if (value === undefined) return null;
  const prefixes = prefixesOf(value);
  return (key, callsign) =>
    texts(key, callsign).some((text) => {
      const upper = text?.toUpperCase();
      return prefixes.some((prefix) => upper?.startsWith(prefix) === true);
    });
}

const prefixesOf = (value: string): readonly string[] =>
  value
    .toUpperCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
