// Columns of the table: how each is sorted, in the worker, and shown, in the page.

import { shown, type Units } from '../page/units.ts';
import { sourceOf } from './colours.ts';
import type { Aircraft } from './picture.ts';
import { heightOf, numberOf, rateOf, signalOf, textOf, trackOf } from './values.ts';

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly value: (aircraft: Aircraft) => number | string | undefined;
  readonly text?: (aircraft: Aircraft, units: Units) => string;
  /** Width of the page from which it is shown: `desk` is a wide one. */
  readonly from?: 'tablet' | 'desk' | undefined;
  readonly isNumber?: boolean;
}

/** Origin and destination, if one of them is known. */
export const routeOf = ({ route_origin: from, route_dest: to }: Aircraft): string | undefined =>
  textOf(from) === undefined && textOf(to) === undefined ? undefined : `${textOf(from) ?? '?'} – ${textOf(to) ?? '?'}`;
/** The name of an aircraft for people: its call sign, or registration, or address. */
export const nameOf = ({ flight, r, hex }: Aircraft): string => textOf(flight) ?? textOf(r) ?? hex;

/** The ground is below all altitudes. */
const GROUND_FT = -1e6;

type Words = (value: number, units: Units) => string;
/** A column of numbers, with words for those that are known. */
function numbers(
  name: string,
  title: string,
  value: (aircraft: Aircraft) => number | undefined,
  words: Words,
  from?: Column['from'],
): Column {
  const text = (aircraft: Aircraft, units: Units): string => {
    const number = value(aircraft);
    return number === undefined ? '—' : words(number, units);
  };
  return { name, title, value, text, from, isNumber: true };
}

export const columns: readonly Column[] = [
  { name: 'flight', title: 'Call sign', value: ({ flight }) => textOf(flight) },
  { name: 'r', title: 'Registration', value: ({ r }) => textOf(r), from: 'tablet' },
  { name: 'hex', title: 'Hex', value: ({ hex }) => hex, from: 'tablet' },
  { name: 't', title: 'Type', value: ({ t }) => textOf(t) },
  { name: 'route', title: 'Route', value: routeOf, from: 'tablet' },
  numbers(
    'alt',
    'Altitude',
    (aircraft) => heightOf(aircraft, GROUND_FT),
    (feet, units) => (feet === GROUND_FT ? 'ground' : shown(feet, 'altitude', units)),
  ),
  numbers(
    'gs',
    'Speed',
    ({ gs }) => numberOf(gs),
    (knots, units) => shown(knots, 'speed', units),
  ),
  numbers('rate', 'Climb', rateOf, (rate, units) => shown(rate, 'rate', units), 'desk'),
  numbers('track', 'Track', trackOf, (degrees) => `${Math.round(degrees)}°`, 'desk'),
  { name: 'squawk', title: 'Squawk', value: ({ squawk }) => textOf(squawk), from: 'desk' },
  { name: 'source', title: 'Source', value: (aircraft) => sourceOf(aircraft).title, from: 'desk' },
  numbers('rssi', 'Signal', signalOf, (level) => `${level.toFixed(1)} dBFS`, 'desk'),
  numbers(
    'seen',
    'Heard',
    ({ seen }) => numberOf(seen),
    (seconds) => `${Math.round(seconds)} s`,
    'tablet',
  ),
];

/** The same aircraft in the order of a column; those without a value are last. */
export function sorted(aircraft: readonly Aircraft[], sort: string): Aircraft[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const column = columns.find(({ name }) => name === sort.replace('-', '')) ?? columns[0]!;
  const keyed = aircraft.map((each) => ({ each, value: column.value(each) }));
  keyed.sort((a, b) => {
    if (a.value === b.value) return a.each.hex < b.each.hex ? -1 : 1;
    if (a.value === undefined || b.value === undefined) return a.value === undefined ? 1 : -1;
    return a.value < b.value ? -sign : sign;
  });
  return keyed.map(({ each }) => each);
}
