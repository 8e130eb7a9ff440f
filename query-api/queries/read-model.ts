// Input of every query: the live view, reference data and flights of one process. HTTP, and later push, gRPC and the tool server, share one.

import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { emptyReference, type Reference } from '../../pipeline/reference/reference.ts';
import { TrackMemory } from '../../pipeline/tracks/track-memory.ts';
import type { FeedWatch } from '../../pipeline/view/feed-watch.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { SignalHistory } from '../../pipeline/view/signal-history.ts';
import { type Flights, flightsOf } from './flights.ts';
import { HistoryStore } from './history/history-store.ts';
import { MapFiles } from './maps/map-files.ts';
import type { PastLists } from './past.ts';

export interface ReadModel {
  readonly view: LiveView;
  /** Airports, operators, types, countries. */
  readonly reference: Reference;
  /** Routes, arrivals, departures. */
  readonly flights: Flights;
  /** Recent positions of aircraft. */
  readonly tracks: TrackMemory;
  /** Signal levels of the last minutes. */
  readonly signals: SignalHistory;
  /** The history store. */
  readonly history: HistoryStore;
  /** Data of readsb's web maps besides the live aircraft. */
  readonly maps: MapFiles;
  /** Wall clock, ms since the Unix epoch. */
  readonly clock: () => number;
  /** Ms of a steady clock: detects missing ticks in spite of steps of the wall clock. */
  readonly steadyMs: () => number;
  /** The watch of feeds; null in a service without one. */
  readonly feeds: FeedWatch | null;
  /** Aircraft lists of the past; null where they are not folded. */
  readonly past: PastLists | null;
  /** The first moment that `past` can fold, ms; null where there is none. */
  readonly firstMoment: () => Promise<number | null>;
}

/** A read model with empty optional parts: no reference data, flights known only from messages. */
export function readModel(parts: Pick<ReadModel, 'view' | 'clock'> & Partial<ReadModel>): ReadModel {
  const reference = parts.reference ?? emptyReference;
  return {
    reference,
    flights: flightsOf(new FlightAirports(reference)),
    tracks: new TrackMemory(),
    signals: new SignalHistory(),
    history: new HistoryStore(null),
    maps: new MapFiles(),
    steadyMs: () => performance.now(),
    feeds: null,
    past: null,
    firstMoment: async () => null,
    ...parts,
  };
}
