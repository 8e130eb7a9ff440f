// The flights of a moment of the past, as known today, at the aircraft of that moment; later events are left out.
import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import type { FlightAirports } from '../../pipeline/flights/airports.ts';
import { LANDED_MS_MAX } from '../../pipeline/flights/choice.ts';
import { type FlightRoute, FlightRoutes } from '../../pipeline/flights/flight-routes.ts';
import type { CurrentFlight } from '../../pipeline/flights/follower.ts';
import { MOVING_DECI_KT_MIN } from '../../pipeline/flights/movements.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { Flight, RouteSource } from '../../schemas/avro/flight.ts';
import { FlightIndex } from './flight-index.ts';
import type { Flights } from './flights.ts';

/** A flight that was under way at a moment. Times are ms since the Unix epoch, null where unknown; they may be later than the moment. */
export interface FlightAt {
  /** The aircraft's `hexKey`. */
  readonly key: number;
  readonly callsign: string | null;
  /** Codes of airports. */
  readonly origin: string | null;
  readonly destination: string | null;
  readonly source: RouteSource;
  readonly takeoffMs: number | null;
  readonly landedMs: number | null;
  /** On the ground since; last seen moving there. Ended flights do not have them. */
  readonly groundMs: number | null;
  readonly movedMs: number | null;
}

/** Those of the current flights that were under way at a moment, and begin or end at an airport. */
export function currentFlightsAt(flights: Iterable<Flight>, code: string, atMs: number): FlightAt[] {
  const found: FlightAt[] = [];
  for (const { hex, callsign, origin, destination, routeSource, routePlausible, landingMs, ...flight } of flights) {
    if (flight.firstSeenMs > atMs || routeSource === null || routePlausible !== true) continue;
    if (origin !== code && destination !== code) continue;
    const { takeoffMs, groundMs, movedMs } = flight;
    found.push({ key: hexKey(hex), callsign, origin, destination, source: routeSource, takeoffMs, landedMs: landingMs, groundMs, movedMs });
  }
  return found;
}

export class MomentFlights implements Flights {
  readonly airports: FlightAirports;
  private readonly routes = new FlightRoutes();
  private newest: FlightIndex | null = null;

  constructor(airports: FlightAirports) {
    this.airports = airports;
  }

  index(snapshot: Snapshot): FlightIndex {
    return this.newest?.snapshot === snapshot ? this.newest : new FlightIndex(snapshot, () => undefined);
  }

  current(): Iterable<Flight> {
    return [];
  }

  /** Shows flights at the aircraft of a snapshot, until the returned function is called. A flight is not shown with another call sign. */
  show(snapshot: Snapshot, flights: readonly FlightAt[]): () => void {
    const { listing } = snapshot;
    const { columns } = listing;
    const times = new Map<number, CurrentFlight>();
    const shown: number[] = [];
    for (const flight of flights) {
      const i = snapshot.numberOf(flight.key);
      const sent = i < 0 ? null : listing.flights[i]!;
      if (i < 0 || (sent !== null && sent.trim() !== flight.callsign)) continue;
      const isMoving = columns.onGround[i] === 1 && columns.groundSpeedDeciKt[i]! >= MOVING_DECI_KT_MIN;
      listing.routes[i] = this.routeOf(flight);
      times.set(flight.key, timesAt(flight, snapshot.times.nowMs, isMoving));
      shown.push(i);
    }
    this.newest = new FlightIndex(snapshot, (key) => times.get(key));
    return () => {
      this.newest = null;
      for (const i of shown) listing.routes[i] = null;
    };
  }

  private routeOf({ origin, destination, source }: FlightAt): FlightRoute | null {
    const airport = (code: string | null) => (code === null ? null : (this.airports.byCode(code) ?? null));
    const leg = { origin: airport(origin), destination: airport(destination) };
    return leg.origin === null && leg.destination === null ? null : this.routes.routeOf(leg, source);
  }
}

/** Movements up to a moment. An aircraft that takes off soon afterwards is leaving, though no row says when it moved. */
function timesAt({ takeoffMs, landedMs, groundMs, movedMs }: FlightAt, nowMs: number, isMoving: boolean): CurrentFlight {
  const until = (timeMs: number | null): number => (timeMs !== null && timeMs <= nowMs ? timeMs : Number.NaN);
  const isLeaving = takeoffMs !== null && takeoffMs > nowMs && takeoffMs - nowMs <= LANDED_MS_MAX;
  return {
    takeoffMs: until(takeoffMs),
    landedMs: until(landedMs),
    groundMs: until(groundMs),
    movedMs: isMoving || isLeaving ? nowMs : until(movedMs),
  };
}
