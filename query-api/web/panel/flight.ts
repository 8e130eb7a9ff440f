// Flights of the service in words: the present one with its route and times, and those that ended.
import { shown, shownSpan, type Units } from '../page/units.ts';
import type { Fact } from './facts.ts';

export interface Airport {
  readonly icao?: string;
  readonly iata?: string;
  readonly local?: string;
  readonly name: string;
  readonly city?: string;
  readonly country?: string;
  readonly lat: number;
  readonly lon: number;
  readonly elevation_ft?: number;
  readonly type?: string;
}
/** Members of `/v2/flight` that the panel and the board show. Airports of a board have no coordinates. */
export interface Flight {
  readonly hex: string;
  readonly flight?: string;
  readonly r?: string;
  readonly t?: string;
  readonly operator?: string;
  readonly origin?: Partial<Airport>;
  readonly destination?: Partial<Airport>;
  readonly route_source?: string;
  readonly route_plausible?: boolean;
  readonly departed_at?: number;
  readonly landed_at?: number;
  readonly alt_baro?: number | 'ground';
  readonly gs?: number;
  readonly baro_rate?: number;
  readonly distance_from_origin_nm?: number;
  readonly distance_to_destination_nm?: number;
  readonly progress_percent?: number;
  readonly eta?: number;
}
export interface PastFlight {
  readonly hex: string;
  readonly flight?: string;
  readonly first_seen: number;
  readonly last_seen: number;
  readonly end: string;
  readonly origin?: string;
  readonly origin_source?: string;
  readonly destination?: string;
  readonly destination_source?: string;
  readonly takeoff?: number;
  readonly landing?: number;
}
export interface Movement extends PastFlight {
  readonly movement: 'takeoff' | 'landing';
  readonly time: number;
}

/** `12:34`, with the date if it is another day than now; UTC. */
export function shownTime(seconds: number, nowMs: number): string {
  const text = new Date(seconds * 1000).toISOString();
  const isToday = text.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10);
  return `${isToday ? '' : `${text.slice(5, 10)} `}${text.slice(11, 16)}`;
}
export const codeOf = ({ iata, icao, local, name }: Partial<Airport> = {}): string => iata ?? icao ?? local ?? name ?? '?';

const sourceWords: Readonly<Record<string, string>> = {
  plan: 'The route comes from a flight plan: it was not observed.',
  schedule: 'The route comes from a schedule for the call sign: it was not observed.',
  observed: 'The route was observed.',
};

export interface Route {
  readonly origin: Partial<Airport> | undefined;
  readonly destination: Partial<Airport> | undefined;
  /** 0 to 100; null without an origin and a destination. */
  readonly progress: number | null;
  readonly facts: readonly Fact[];
  readonly note: string;
}

/** The route of a present flight. */
export function routeOf(flight: Flight, nowMs: number, units: Units): Route {
  const { origin, destination, route_source: source, route_plausible: isPlausible, progress_percent: progress } = flight;
  const { departed_at: departed, landed_at: landed, eta, distance_from_origin_nm: flown, distance_to_destination_nm: left } = flight;
  const at = (seconds: number | undefined): string | undefined => (seconds === undefined ? undefined : `${shownTime(seconds, nowMs)} UTC`);
  const inTime = eta === undefined ? '' : `, in ${shownSpan(Math.max(0, eta - nowMs / 1000))} at this speed`;
  const facts: Fact[] = [
    ['Took off', at(departed)],
    ['Expected', eta === undefined ? undefined : `${at(eta)}${inTime}`],
    ['Landed', at(landed)],
    ['Flown', flown === undefined ? undefined : shown(flown, 'distance', units)],
    ['To go', left === undefined ? undefined : shown(left, 'distance', units)],
  ];
  const isRefused = isPlausible === false;
  const note = isRefused
    ? 'A route is known for the call sign, but position or direction contradict it. It is not shown.'
    : origin === undefined && destination === undefined
      ? 'No route is known.'
      : (sourceWords[source ?? ''] ?? '');
  return { origin, destination, progress: progress ?? null, facts, note };
}

/** The flight that was under way at a moment; undefined if none of these was. */
export const flightAt = (flights: readonly PastFlight[], atMs: number): PastFlight | undefined =>
  flights.find(({ first_seen: from, last_seen: to }) => from <= atMs / 1000 && to >= atMs / 1000);

/** The route of a flight that ended, at a moment. */
export function pastRouteOf(flight: PastFlight, atMs: number): Route {
  const { origin, destination, origin_source: from, destination_source: to, takeoff, landing } = flight;
  const at = (seconds: number | undefined): string | undefined => (seconds === undefined ? undefined : `${shownTime(seconds, atMs)} UTC`);
  const facts: Fact[] = [
    ['Took off', at(takeoff)],
    ['Landed', at(landing)],
    ['Heard', `${at(flight.first_seen)} to ${at(flight.last_seen)}`],
  ];
  const progress =
    takeoff === undefined || landing === undefined
      ? null
      : Math.min(100, Math.max(0, (100 * (atMs / 1000 - takeoff)) / (landing - takeoff)));
  const airport = (code: string | undefined): Partial<Airport> | undefined => (code === undefined ? undefined : { icao: code });
  const isObserved = from === 'observed' && to === 'observed';
  return {
    ...{ origin: airport(origin), destination: airport(destination), progress, facts },
    note:
      origin === undefined && destination === undefined
        ? 'No route is known.'
        : (sourceWords[isObserved ? 'observed' : (to ?? from ?? '')] ?? ''),
  };
}
