// Flights for queries: those of a snapshot, and their airports.
import type { FlightAirports } from '../../pipeline/flights/airports.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import { FlightIndex, type TimesOf } from './flight-index.ts';

export interface Flights {
  /** The flights of a snapshot; the same object for all requests of a tick. */
  index(snapshot: Snapshot): FlightIndex;
  /** The records of current flights. */
  current(): Iterable<Flight>;
  /** Airports for flights. */
  readonly airports: FlightAirports;
}

/** `timesOf` returns the observations of an aircraft, `current` the records; without them flights are known only from messages. */
export function flightsOf(
  airports: FlightAirports,
  timesOf: TimesOf = () => undefined,
  current: () => Iterable<Flight> = () => [],
): Flights {
  let newest: FlightIndex | null = null;
  return {
    airports,
    current,
    index(snapshot) {
      if (newest?.snapshot !== snapshot) newest = new FlightIndex(snapshot, timesOf);
      return newest;
    },
  };
}
