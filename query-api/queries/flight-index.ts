// The flights of one snapshot for queries: by airport, in an order, as text. Everything is built on its first use
// in a tick, and cached for the rest of it.

import { ABSENT, categoryCode } from '../../pipeline/aircraft/columns.ts';
import { type FlightAirport, json } from '../../pipeline/flights/airports.ts';
import { LANDED_MS_MAX } from '../../pipeline/flights/choice.ts';
import { flightRoute } from '../../pipeline/flights/flight-routes.ts';
import type { CurrentFlight } from '../../pipeline/flights/follower.ts';
import { AIRPORT_NM } from '../../pipeline/flights/plausibility.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { distanceTo, type FlightBlock, flightBlock } from './flight-block.ts';
import { isAirborne } from './flight-status.ts';

/** Flights of an airport as numbers of the listing, in display order. */
export interface AirportFlights {
  readonly airport: FlightAirport;
  readonly arrivals: readonly number[];
  readonly departures: readonly number[];
}

/** By `hexKey`; undefined without observations. */
export type TimesOf = (key: number) => CurrentFlight | undefined;

/** A flight without a known take-off counts as having left at this speed. */
const USUAL_KT = 300;
const MS_PER_HOUR = 3_600_000;
const SURFACE = categoryCode('C0') >> 3;

export class FlightIndex {
  readonly snapshot: Snapshot;
  readonly listing: Listing;
  private readonly timesOf: TimesOf;
  private readonly blocks: (FlightBlock | undefined)[] = [];
  private readonly texts: (string | undefined)[] = [];
  private readonly made = new Map<string, unknown>();

  constructor(snapshot: Snapshot, timesOf: TimesOf) {
    this.snapshot = snapshot;
    this.listing = snapshot.listing;
    this.timesOf = timesOf;
  }

  /** The result of `make`, built once for this snapshot. */
  once<T>(name: string, make: () => T): T {
    let value = this.made.get(name);
    if (value === undefined) {
      value = make();
      this.made.set(name, value);
    }
    return value as T;
  }

  /** Every listed aircraft, except vehicles and obstacles on the surface. */
  get flights(): readonly number[] {
    return this.once('flights', () => Array.from({ length: this.listing.count }, (_, i) => i).filter((i) => this.isFlight(i)));
  }

  isFlight(i: number): boolean {
    const category = this.listing.columns.category[i]!;
    return category === ABSENT || category >> 3 !== SURFACE;
  }

  block(i: number): FlightBlock {
    this.blocks[i] ??= flightBlock(this.listing, i, { nowMs: this.snapshot.times.nowMs, times: this.times(i), isWhole: false });
    return this.blocks[i];
  }

  /** With the whole block of both airports. */
  wholeBlock(i: number): FlightBlock {
    return flightBlock(this.listing, i, { nowMs: this.snapshot.times.nowMs, times: this.times(i), isWhole: true });
  }

  /** Blocks as JSON with commas between them. */
  text(indices: readonly number[]): string {
    return indices
      .map((i) => {
        this.texts[i] ??= json(this.block(i));
        return this.texts[i];
      })
      .join(',');
  }

  /** Flights by the key of an airport where their plausible route begins or ends, at any position. */
  ends(which: 'origin' | 'destination'): ReadonlyMap<string, readonly number[]> {
    return this.once(`${which}s`, () => {
      const found = new Map<string, number[]>();
      for (const i of this.flights) {
        const key = flightRoute(this.listing.routes[i]!)?.[which]?.key;
        if (key === undefined) continue;
        const flights = found.get(key);
        if (flights === undefined) found.set(key, [i]);
        else flights.push(i);
      }
      return found;
    });
  }

  /** Flights whose plausible route goes from one airport to another, by their keys, at any position. */
  between(originKey: string, destinationKey: string): number[] {
    const going = new Set(this.ends('destination').get(destinationKey));
    return (this.ends('origin').get(originKey) ?? []).filter((i) => going.has(i));
  }

  /** By key of the airport; only airports with flights. */
  get airports(): ReadonlyMap<string, AirportFlights> {
    return this.once('airports', () => this.findAirports());
  }

  at(airport: FlightAirport): AirportFlights {
    return this.airports.get(airport.key) ?? { airport, arrivals: [], departures: [] };
  }

  private findAirports(): Map<string, AirportFlights> {
    const airports = new Map<string, { airport: FlightAirport; arrivals: number[]; departures: number[] }>();
    const flightsOf = (airport: FlightAirport): { arrivals: number[]; departures: number[] } => {
      let found = airports.get(airport.key);
      if (found === undefined) {
        found = { airport, arrivals: [], departures: [] };
        airports.set(airport.key, found);
      }
      return found;
    };
    for (const i of this.flights) {
      const route = flightRoute(this.listing.routes[i]!);
      if (route === null) continue;
      if (route.destination !== null && this.isArriving(i)) flightsOf(route.destination).arrivals.push(i);
      if (route.origin !== null && this.isDeparting(i)) flightsOf(route.origin).departures.push(i);
    }
    const { key } = this.listing.columns;
    for (const { arrivals, departures } of airports.values()) {
      this.sortBy(arrivals, (i) => distanceTo(this.listing, i, 'destination') ?? Number.POSITIVE_INFINITY, key);
      this.sortBy(departures, (i) => this.sinceTakeoffMs(i), key);
    }
    return airports;
  }

  private sortBy(indices: number[], value: (i: number) => number, key: Int32Array): void {
    const values = new Map(indices.map((i) => [i, value(i)]));
    indices.sort((a, b) => values.get(a)! - values.get(b)! || key[a]! - key[b]!);
  }

  /** In the air, on the ground at the destination for 20 minutes, or about to leave the origin. */
  private isArriving(i: number): boolean {
    if (isAirborne(this.listing, i)) return true;
    if (!this.isAtDestination(i)) return this.isLeaving(i);
    const { landedMs = Number.NaN, groundMs = Number.NaN } = this.times(i) ?? {};
    return this.isWithin20Minutes(Number.isNaN(landedMs) ? groundMs : landedMs);
  }

  /** In the air, or moving on the ground at the origin within 20 minutes. */
  private isDeparting(i: number): boolean {
    return isAirborne(this.listing, i) || (!this.isAtDestination(i) && this.isLeaving(i));
  }

  private isLeaving(i: number): boolean {
    const fromNm = distanceTo(this.listing, i, 'origin');
    return fromNm !== undefined && fromNm <= AIRPORT_NM && this.isWithin20Minutes(this.times(i)?.movedMs);
  }

  /** When both ends are near, or the flight returns, an aircraft on the ground has landed only if a landing was seen. */
  private isAtDestination(i: number): boolean {
    const toNm = distanceTo(this.listing, i, 'destination');
    if (toNm === undefined || toNm > AIRPORT_NM) return false;
    const fromNm = distanceTo(this.listing, i, 'origin');
    return fromNm === undefined || fromNm > AIRPORT_NM || !Number.isNaN(this.times(i)?.landedMs ?? Number.NaN);
  }

  private isWithin20Minutes(timeMs: number | undefined): boolean {
    return timeMs !== undefined && this.snapshot.times.nowMs - timeMs <= LANDED_MS_MAX;
  }

  /** 0 on the ground; without an observed take-off, the time for the distance from the origin at a usual speed. */
  private sinceTakeoffMs(i: number): number {
    if (!isAirborne(this.listing, i)) return 0;
    const takeoffMs = this.times(i)?.takeoffMs;
    if (takeoffMs !== undefined && !Number.isNaN(takeoffMs)) return this.snapshot.times.nowMs - takeoffMs;
    return ((distanceTo(this.listing, i, 'origin') ?? 0) / USUAL_KT) * MS_PER_HOUR;
  }

  private times(i: number): CurrentFlight | undefined {
    return this.timesOf(this.listing.columns.key[i]!);
  }
}
