// The rows of a board, as tables of columns.
import type { Fact } from '../page/lists.ts';
import { dateTime, shown, type Units } from '../page/units.ts';
import { type Airport, codeOf, type Flight, shownTime } from './flight.ts';

export interface BoardResponse {
  readonly now: number;
  readonly airport: Airport;
  readonly arrivals: { readonly flights: readonly Flight[] };
  readonly departures: { readonly flights: readonly Flight[] };
  readonly from_history?: boolean;
}
/** The body of `/traffic-summary`. */
export interface Numbers {
  readonly operators: readonly { readonly code: string; readonly name?: string; readonly count: number }[];
  readonly types: readonly { readonly t: string; readonly count: number }[];
}
const NUMBERS = 5;
/** Slower changes of altitude count as level flight. */
const LEVEL_FPM_MAX = 250;
/** Airports are smaller; an arrival may still be on the ground of its origin. */
const GROUND_NM = 5;

export function boardFacts({ now, airport, from_history: isStored = false }: BoardResponse, units: Units): Fact[] {
  const { elevation_ft: elevation, type = '', lat, lon } = airport;
  return [
    ['Elevation', elevation === undefined ? undefined : shown(elevation, 'altitude', units)],
    ['Kind', type.replaceAll('_', ' ') || undefined],
    ['Coordinates', `${lat.toFixed(4)}, ${lon.toFixed(4)}`],
    ['Time', `${dateTime(now * 1000)} UTC${isStored ? ', from stored positions' : ''}`],
  ];
}

export const numbersFacts = ({ operators, types }: Numbers): Fact[] => [
  ['Operators', most(operators.map(({ code, name, count }) => `${name ?? code} ${count}`))],
  ['Types', most(types.map(({ t, count }) => `${t} ${count}`))],
];
const most = (counts: readonly string[]): string | undefined => counts.slice(0, NUMBERS).join(', ') || undefined;

type Column = readonly [head: string, text: (flight: Flight, units: Units, nowMs: number) => string];
const name: Column = ['Flight', ({ flight, r, hex }) => flight?.trim() || (r ?? hex)];
const type: Column = ['Type', ({ t = '—' }) => t];
const from: Column = ['From', ({ origin }) => codeOf(origin)];
const to: Column = ['To', ({ destination }) => codeOf(destination)];
const altitude: Column = [
  'Altitude',
  ({ alt_baro: feet, baro_rate: rate = 0 }, units) => {
    const sign = rate > LEVEL_FPM_MAX ? ' ↑' : rate < -LEVEL_FPM_MAX ? ' ↓' : '';
    return feet === 'ground' ? 'ground' : `${shown(feet, 'altitude', units)}${sign}`;
  },
];
const time = (timeOf: (flight: Flight) => number | undefined): Column => [
  'UTC',
  (flight, _, nowMs) => (timeOf(flight) === undefined ? '—' : shownTime(timeOf(flight)!, nowMs)),
];

/** Aircraft on the ground of the airport: those that landed, and those that have not taken off. */
export function onGround({ arrivals, departures }: BoardResponse): Flight[] {
  const ground = (flights: readonly Flight[], away: 'distance_to_destination_nm' | 'distance_from_origin_nm'): Flight[] =>
    flights.filter((flight) => flight.alt_baro === 'ground' && (flight[away] ?? 0) <= GROUND_NM);
  const all = [...ground(arrivals.flights, 'distance_to_destination_nm'), ...ground(departures.flights, 'distance_from_origin_nm')];
  return [...new Map(all.map((flight) => [flight.hex, flight])).values()];
}

interface Group {
  readonly title: string;
  readonly flights: (board: BoardResponse) => readonly Flight[];
  readonly columns: readonly Column[];
}
const left: Column = ['To go', (flight, units) => shown(flight.distance_to_destination_nm, 'distance', units)];
const flown: Column = ['Away', (flight, units) => shown(flight.distance_from_origin_nm, 'distance', units)];
const speed: Column = ['Speed', ({ gs }, units) => shown(gs, 'speed', units)];
const landing = time(({ landed_at: landed, eta }) => landed ?? eta);
const takeoff = time(({ departed_at: departed }) => departed);
export const boardGroups: readonly Group[] = [
  { title: 'Arrivals', flights: ({ arrivals }) => arrivals.flights, columns: [name, from, type, altitude, left, landing] },
  { title: 'Departures', flights: ({ departures }) => departures.flights, columns: [name, to, type, altitude, flown, takeoff] },
  { title: 'On the ground', flights: onGround, columns: [name, from, to, type, speed] },
];
