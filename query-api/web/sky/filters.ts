// Filters of the map, of its table and of density: one table with what each asks for, from which the panel makes its fields. An aircraft is shown when it passes
// all filters that have a value.
import { altitudeOf, sourceOf, sources } from '../map/colours.ts';
import type { Aircraft } from './picture.ts';

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
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().toUpperCase() : '');
const inRange = (value: string, of: (aircraft: Aircraft) => number | undefined): Test => {
  const [from, to] = readRange(value);
  return (aircraft) => {
    const number = of(aircraft);
    return number !== undefined && number >= from && number <= to;
  };
};
/** Both ends of a range, feet or knots; infinite if missing. */
export function readRange(value: string): [from: number, to: number] {
  const [, from, to] = /^(-?\d*\.?\d*)-(\d*\.?\d*)$/.exec(value) ?? ['', '', ''];
  return [from === '' ? Number.NEGATIVE_INFINITY : Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
}
const words = (value: string, of: (aircraft: Aircraft) => readonly unknown[]): Test => {
  const wanted = value
    .toUpperCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return (aircraft) => of(aircraft).some((text) => wanted.some((word) => textOf(text).startsWith(word)));
};
const MILITARY = 1;

export const filters: readonly Filter[] = [
  {
    ...{ name: 'alt', title: 'Altitude', kind: 'range', unit: 'altitude' },
    test: (value) =>
      inRange(value, (aircraft) => {
        const altitude = altitudeOf(aircraft);
        return altitude === 'ground' ? 0 : altitude;
      }),
  },
  {
    name: 'speed',
    title: 'Speed',
    kind: 'range',
    unit: 'speed',
    test: (value) => inRange(value, ({ gs }) => (typeof gs === 'number' ? gs : undefined)),
  },
  { name: 'type', title: 'Type', kind: 'words', hint: 'A320, B77', test: (value) => words(value, ({ t, desc }) => [t, desc]) },
  {
    name: 'operator',
    title: 'Operator or call sign',
    kind: 'words',
    hint: 'KLM, BAW',
    test: (value) => words(value, ({ flight, ownOp }) => [flight, ownOp]),
  },
  {
    name: 'route',
    title: 'From or to',
    kind: 'words',
    hint: 'AMS, JFK',
    test: (value) => words(value, ({ route_origin: from, route_dest: to }) => [from, to]),
  },
  { name: 'squawk', title: 'Squawk', kind: 'words', hint: '7700', test: (value) => words(value, ({ squawk }) => [squawk]) },
  {
    ...{ name: 'source', title: 'Source', kind: 'choice', choices: sources.map(({ type, title }) => [type, title] as const) },
    test: (value) => (aircraft) => sourceOf(aircraft).type === value,
  },
  {
    ...{ name: 'where', title: 'In the air or on the ground', kind: 'choice' },
    choices: [
      ['air', 'in the air'],
      ['ground', 'on the ground'],
    ],
    test: (value) => (aircraft) => (altitudeOf(aircraft) === 'ground') === (value === 'ground'),
  },
  {
    ...{ name: 'military', title: 'Military', kind: 'choice', choices: [['1', 'only military']] },
    test:
      () =>
      ({ dbFlags }) =>
        typeof dbFlags === 'number' && (dbFlags & MILITARY) !== 0,
  },
];

/** One test of all filters with a value. */
export function testOf(values: Readonly<Record<string, string>>): Test {
  const tests = filters.flatMap(({ name, test }) => (values[name] === undefined || values[name] === '' ? [] : [test(values[name])]));
  return (aircraft) => tests.every((test) => test(aircraft));
}
