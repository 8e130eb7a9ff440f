// Filters of the map and of its table: what each asks for, and from which the panel makes its fields. An aircraft is shown when it passes all filters that
// have a value. The service has the same filters for the heat map.
import { sourceOf, sources } from './colours.ts';
import type { Aircraft } from './picture.ts';
import { altitudeOf, heightOf, numberOf, textOf } from './values.ts';

type Test = (aircraft: Aircraft) => boolean;
export interface Filter {
  readonly name: string;
  readonly title: string;
  /** `range`: `from-to`, either may be missing. `words`: first letters, separated by commas. `choice`: one of `choices`. */
  readonly kind: 'range' | 'words' | 'choice';
  readonly hint?: string;
  readonly unit?: 'altitude' | 'speed';
  readonly choices?: readonly (readonly [value: string, title: string])[];
  readonly test: (value: string) => Test;
  /** The same filter of `/v2/area/density`. */
  readonly parameters: (value: string) => Readonly<Record<string, string>>;
}

/** Both ends of a range, feet or knots; infinite if missing. */
export function readRange(value: string): [from: number, to: number] {
  const [, from, to] = /^(-?\d*\.?\d*)-(\d*\.?\d*)$/.exec(value) ?? ['', '', ''];
  return [from === '' ? Number.NEGATIVE_INFINITY : Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
}

function range(name: string, title: string, unit: 'altitude' | 'speed', read: (aircraft: Aircraft) => number | undefined): Filter {
  const test = (value: string): Test => {
    const [from, to] = readRange(value);
    return (aircraft) => {
      const number = read(aircraft);
      return number !== undefined && number >= from && number <= to;
    };
  };
  const parameters = (value: string) =>
    Object.fromEntries(
      readRange(value).flatMap((end, i) => (Number.isFinite(end) ? [[`${i === 0 ? 'min' : 'max'}_${unit}`, String(end)]] : [])),
    );
  return { name, title, kind: 'range', unit, test, parameters };
}

/** Passes where one of some values begins with one of the words. */
function words(name: string, title: string, hint: string, values: readonly string[]): Filter {
  const test = (value: string): Test => {
    const wanted = (value.toUpperCase().match(/[^,]+/g) ?? []).map((word) => word.trim()).filter((word) => word !== '');
    return (aircraft) => values.some((each) => wanted.some((word) => textOf(aircraft[each])?.toUpperCase().startsWith(word)));
  };
  return { name, title, kind: 'words', hint, test, parameters: (value) => ({ [name]: value }) };
}

function choice(
  name: string,
  title: string,
  choices: NonNullable<Filter['choices']>,
  read: (aircraft: Aircraft) => string,
  parameters: Filter['parameters'],
): Filter {
  return { name, title, kind: 'choice', choices, parameters, test: (value) => (aircraft) => read(aircraft) === value };
}

const MILITARY = 1;
const OTHER_SOURCES = 'mode_s,adsc,other,mode_ac,unknown';
const airOrGround = [
  ['air', 'in the air'],
  ['ground', 'on the ground'],
] as const;

export const filters: readonly Filter[] = [
  range('alt', 'Altitude', 'altitude', heightOf),
  range('speed', 'Speed', 'speed', ({ gs }) => numberOf(gs)),
  words('type', 'Type', 'A320, B77', ['t', 'desc']),
  words('operator', 'Operator or call sign', 'KLM, BAW', ['flight', 'ownOp']),
  words('route', 'From or to', 'AMS, JFK', ['route_origin', 'route_dest']),
  words('squawk', 'Squawk', '7700', ['squawk']),
  choice(
    'source',
    'Source',
    sources.map(({ type, title }) => [type, title] as const),
    (aircraft) => sourceOf(aircraft).type,
    (value) => ({ source: value === 'adsb' ? 'adsb_icao' : value === 'mode_s' ? OTHER_SOURCES : value }),
  ),
  choice(
    ...(['where', 'In the air or on the ground', airOrGround] as const),
    (aircraft) => (altitudeOf(aircraft) === 'ground' ? 'ground' : 'air'),
    (value) => ({ on_ground: String(value === 'ground') }),
  ),
  choice(
    ...(['military', 'Military', [['1', 'only military']]] as const),
    ({ dbFlags }) => String(Number(dbFlags ?? 0) & MILITARY),
    () => ({ military: 'true' }),
  ),
];

/** One test of all filters with a value. */
export function testOf(values: Readonly<Record<string, string>>): Test {
  const tests = filters.flatMap(({ name, test }) => (values[name] === undefined || values[name] === '' ? [] : [test(values[name])]));
  return (aircraft) => tests.every((test) => test(aircraft));
}

/** The same as parameters of `/v2/area/density`. */
export function parametersOf(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.assign({}, ...filters.map(({ name, parameters }) => (values[name] ? parameters(values[name]) : {})));
}
