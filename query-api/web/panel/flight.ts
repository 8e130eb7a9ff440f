// Flights of the service in words: the present one with its route and times, and those that ended.
import type { Fact } from '../page/lists.ts';
import { dateTime, shown, shownSpan, type Units } from '../page/units.ts';

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
  const text = dateTime(seconds * 1000);
  return text.slice(text.startsWith(dateTime(nowMs).slice(0, 10)) ? 11 : 5, 16);
}
export const codeOf = ({ iata, icao, local, name }: Partial<Airport> = {}): string => iata ?? icao ?? local ?? name ?? '?';

export interface Route {
  readonly origin: Partial<Airport> | undefined;
  readonly destination: Partial<Airport> | undefined;
  /** 0 to 100; null without an origin and a destination. */
  readonly progress: number | null;
  readonly facts: readonly Fact[];
  readonly note: string;
}

const sources: Readonly<Record<string, string>> = {
  plan: 'The route comes from a flight plan: it was not observed.',
  schedule: 'The route comes from a schedule for the call sign: it was not observed.',
  observed: 'The route was observed.',
};
const noteOf = ({ origin, destination }: { readonly origin?: unknown; readonly destination?: unknown }, source: string = ''): string =>
  origin === undefined && destination === undefined ? 'No route is known.' : (sources[source] ?? '');
const at = (seconds: number | undefined, nowMs: number): string | undefined =>
  seconds === undefined ? undefined : `${shownTime(seconds, nowMs)} UTC`;

/** The route of a present flight. */
export function routeOf(flight: Flight, nowMs: number, units: Units): Route {
  const { origin, destination, departed_at: departed, landed_at: landed, eta, progress_percent: progress = null } = flight;
  const { distance_from_origin_nm: flown, distance_to_destination_nm: left } = flight;
  const inTime = eta === undefined ? '' : `, in ${shownSpan(Math.max(0, eta - nowMs / 1000))} at this speed`;
  const facts: Fact[] = [
    ['Took off', at(departed, nowMs)],
    ['Expected', at(eta, nowMs)?.concat(inTime)],
    ['Landed', at(landed, nowMs)],
    ['Flown', flown === undefined ? undefined : shown(flown, 'distance', units)],
    ['To go', left === undefined ? undefined : shown(left, 'distance', units)],
  ];
  const refused = 'A route is known for the call sign, but position or direction contradict it. It is not shown.';
  return { origin, destination, progress, facts, note: flight.route_plausible === false ? refused : noteOf(flight, flight.route_source) };
}

/** The flight that was under way at a moment; undefined if none of these was. */
export const flightAt = (flights: readonly PastFlight[], atMs: number): PastFlight | undefined =>
  flights.find(({ first_seen: from, last_seen: to }) => from <= atMs / 1000 && to >= atMs / 1000);

/** The route of a flight that ended, at a moment. */
export function pastRouteOf(flight: PastFlight, atMs: number): Route {
  const { origin, destination, origin_source: from, destination_source: to, takeoff, landing } = flight;
  const facts: Fact[] = [
    ['Took off', at(takeoff, atMs)],
    ['Landed', at(landing, atMs)],
    ['Heard', `${at(flight.first_seen, atMs)} to ${at(flight.last_seen, atMs)}`],
  ];
  const part = takeoff === undefined || landing === undefined ? null : (atMs / 1000 - takeoff) / (landing - takeoff);
  const airport = (code: string | undefined): Partial<Airport> | undefined => (code === undefined ? undefined : { icao: code });
  const source = from === 'observed' && to === 'observed' ? 'observed' : (to ?? from);
  const progress = part === null ? null : 100 * Math.min(1, Math.max(0, part));
  return { origin: airport(origin), destination: airport(destination), progress, facts, note: noteOf(flight, source) };
}
