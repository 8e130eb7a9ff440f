// What every query reads from: the live view, reference data and flights of one process. HTTP, and later push, gRPC and the tool server, share one.

import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { emptyReference, type Reference } from '../../pipeline/reference/reference.ts';
import type { FeedWatch } from '../../pipeline/view/feed-watch.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { type Flights, flightsOf } from './flights.ts';
import { MapFiles } from './maps/map-files.ts';

export interface ReadModel {
  readonly view: LiveView;
  /** Airports, operators, types, countries. */
  readonly reference: Reference;
  /** Routes, arrivals, departures. */
  readonly flights: Flights;
  /** What readsb's web maps read beside the live aircraft. */
  readonly maps: MapFiles;
  /** Wall clock, ms since the Unix epoch. */
  readonly clock: () => number;
  /** Ms by a steady clock: steps of the wall clock do not hide that nothing advances. */
  readonly steadyMs: () => number;
  /** Whether anybody feeds the service; null where nothing is known of feeds. */
  readonly feeds: FeedWatch | null;
}

/** A read model whose missing parts are empty: no reference data, flights known only by what their aircraft send. */
export function readModel(parts: Pick<ReadModel, 'view' | 'clock'> & Partial<ReadModel>): ReadModel {
  const reference = parts.reference ?? emptyReference;
  return {
    reference,
    flights: flightsOf(new FlightAirports(reference)),
    maps: new MapFiles(),
    steadyMs: () => performance.now(),
    feeds: null,
    ...parts,
  };
}
