// Columns of the table: how each is sorted, in the worker, and shown, in the page.
import { altitudeOf, sourceOf } from '../map/colours.ts';
import { shown, shownAltitude, type Units } from '../page/units.ts';
import type { Aircraft } from './picture.ts';

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly value: (aircraft: Aircraft) => number | string | undefined;
  readonly text?: (aircraft: Aircraft, units: Units) => string;
  /** Width of the page from which it is shown: `desk` is a wide one. */
  readonly from?: 'tablet' | 'desk';
  readonly isNumber?: boolean;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
/** Origin and destination, if one of them is known. */
export const routeOf = ({ route_origin: from, route_dest: to }: Aircraft): string | undefined =>
  text(from) === undefined && text(to) === undefined ? undefined : `${text(from) ?? '?'} – ${text(to) ?? '?'}`;
/** What people call an aircraft: its call sign, or registration, or address. */
export const nameOf = ({ flight, r, hex }: Aircraft): string => text(flight) ?? text(r) ?? hex;

export const columns: readonly Column[] = [
  { name: 'flight', title: 'Call sign', value: ({ flight }) => text(flight) },
  { name: 'r', title: 'Registration', value: ({ r }) => text(r), from: 'tablet' },
  { name: 'hex', title: 'Hex', value: ({ hex }) => hex, from: 'tablet' },
  { name: 't', title: 'Type', value: ({ t }) => text(t) },
  { name: 'route', title: 'Route', value: routeOf, from: 'tablet' },
  {
    ...{ name: 'alt', title: 'Altitude', isNumber: true },
    value: (aircraft) => {
      const altitude = altitudeOf(aircraft);
      return altitude === 'ground' ? -1e6 : altitude;
    },
    text: (aircraft, units) => (altitudeOf(aircraft) === 'ground' ? 'ground' : shownAltitude(altitudeOf(aircraft), units)),
  },
  { name: 'gs', title: 'Speed', value: ({ gs }) => number(gs), text: ({ gs }, units) => shown(number(gs), 'speed', units), isNumber: true },
  {
    ...{ name: 'rate', title: 'Climb', isNumber: true, from: 'desk' as const },
    value: ({ baro_rate: barometric, geom_rate: geometric }) => number(barometric) ?? number(geometric),
    text: ({ baro_rate: barometric, geom_rate: geometric }, units) => shown(number(barometric) ?? number(geometric), 'rate', units),
  },
  {
    name: 'track',
    title: 'Track',
    value: ({ track, calc_track: calculated }) => number(track) ?? number(calculated),
    text: ({ track, calc_track: calculated }) => degrees(number(track) ?? number(calculated)),
    isNumber: true,
    from: 'desk',
  },
  { name: 'squawk', title: 'Squawk', value: ({ squawk }) => text(squawk), from: 'desk' },
  { name: 'source', title: 'Source', value: (aircraft) => sourceOf(aircraft).title, from: 'desk' },
  {
    name: 'rssi',
    title: 'Signal',
    value: ({ rssi }) => number(rssi),
    text: ({ rssi }) => decibels(number(rssi)),
    isNumber: true,
    from: 'desk',
  },
  {
    name: 'seen',
    title: 'Heard',
    value: ({ seen }) => number(seen),
    text: ({ seen }) => (number(seen) === undefined ? '—' : `${Math.round(number(seen)!)} s`),
    isNumber: true,
    from: 'tablet',
  },
];

const degrees = (value: number | undefined): string => (value === undefined ? '—' : `${Math.round(value)}°`);
/** The weakest level that is measured: below it stands for none. */
const SIGNAL_MIN = -49.4;
const decibels = (value: number | undefined): string => (value === undefined || value <= SIGNAL_MIN ? '—' : `${value.toFixed(1)} dBFS`);

/** The same aircraft in the order of a column; those without a value are last. */
export function sorted(aircraft: readonly Aircraft[], sort: string): Aircraft[] {
  const isDescending = sort.startsWith('-');
  const column = columns.find(({ name }) => name === sort.replace('-', '')) ?? columns[0]!;
  const keyed = aircraft.map((each) => ({ each, value: column.value(each) }));
  const sign = isDescending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.value === b.value) return a.each.hex < b.each.hex ? -1 : 1;
    if (a.value === undefined || b.value === undefined) return a.value === undefined ? 1 : -1;
    return a.value < b.value ? -sign : sign;
  });
  return keyed.map(({ each }) => each);
}
