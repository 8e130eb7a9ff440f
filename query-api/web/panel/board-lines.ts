// What a board has, as lines of its tables.
import { dateTime, shown, type Units } from '../page/units.ts';
import type { Fact } from './facts.ts';
import { type Airport, codeOf, type Flight, shownTime } from './flight.ts';
import type { Line } from './lists.ts';

export interface BoardResponse {
  readonly now: number;
  readonly airport: Airport;
  readonly arrivals: { readonly flights: readonly Flight[] };
  readonly departures: { readonly flights: readonly Flight[] };
  readonly from_history?: boolean;
}
/** Of `/traffic-summary`. */
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

export function numbersFacts({ operators, types }: Numbers): Fact[] {
  const most = [operators.map(({ code, name, count }) => `${name ?? code} ${count}`), types.map(({ t, count }) => `${t} ${count}`)];
  return ['Operators', 'Types'].map((title, n) => [title, most[n]!.slice(0, NUMBERS).join(', ') || undefined]);
}

function altitudeText({ alt_baro: altitude, baro_rate: rate = 0 }: Flight, units: Units): string {
  if (altitude === 'ground') return 'ground';
  const sign = rate > LEVEL_FPM_MAX ? ' ↑' : rate < -LEVEL_FPM_MAX ? ' ↓' : '';
  return `${shown(altitude, 'altitude', units)}${sign}`;
}
const lineOf = (flight: Flight, more: readonly string[]): Line => ({
  key: flight.hex,
  cells: [flight.flight?.trim() || (flight.r ?? flight.hex), ...more],
});
const timeOf = (seconds: number | undefined, now: number): string => (seconds === undefined ? '—' : shownTime(seconds, now * 1000));

/** Aircraft on the ground of the airport: those that landed, and those that have not taken off. */
export function onGround({ arrivals, departures }: BoardResponse): Flight[] {
  const ground = (flights: readonly Flight[], away: 'distance_to_destination_nm' | 'distance_from_origin_nm'): Flight[] =>
    flights.filter((flight) => flight.alt_baro === 'ground' && (flight[away] ?? 0) <= GROUND_NM);
  const all = [...ground(arrivals.flights, 'distance_to_destination_nm'), ...ground(departures.flights, 'distance_from_origin_nm')];
  return [...new Map(all.map((flight) => [flight.hex, flight])).values()];
}

interface Group {
  readonly title: string;
  readonly heads: readonly string[];
  readonly of: (board: BoardResponse, units: Units) => Line[];
}
export const boardGroups: readonly Group[] = [
  {
    title: 'Arrivals',
    heads: ['Flight', 'From', 'Type', 'Altitude', 'To go', 'UTC'],
    of: ({ now, arrivals }, units) =>
      arrivals.flights.map((flight) => {
        const { t = '—', origin, distance_to_destination_nm: left, eta, landed_at: landed } = flight;
        return lineOf(flight, [codeOf(origin), t, altitudeText(flight, units), shown(left, 'distance', units), timeOf(landed ?? eta, now)]);
      }),
  },
  {
    title: 'Departures',
    heads: ['Flight', 'To', 'Type', 'Altitude', 'Away', 'UTC'],
    of: ({ now, departures }, units) =>
      departures.flights.map((flight) => {
        const { t = '—', destination, distance_from_origin_nm: flown, departed_at: departed } = flight;
        return lineOf(flight, [
          codeOf(destination),
          t,
          altitudeText(flight, units),
          shown(flown, 'distance', units),
          timeOf(departed, now),
        ]);
      }),
  },
  {
    title: 'On the ground',
    heads: ['Flight', 'From', 'To', 'Type', 'Speed'],
    of: (board, units) =>
      onGround(board).map((flight) => {
        const { t = '—', gs, origin, destination } = flight;
        return lineOf(flight, [codeOf(origin), codeOf(destination), t, shown(gs, 'speed', units)]);
      }),
  },
];
