// Flights as queries ask for them: those of a snapshot, and the airports they go to.
import type { FlightAirports } from '../../pipeline/flights/airports.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { FlightIndex, type TimesOf } from './flight-index.ts';

export interface Flights {
  /** The flights of a snapshot; the same object for all who ask in a tick. */
  of(snapshot: Snapshot): FlightIndex;
  /** Airports as flights know them. */
  readonly fields: FlightAirports;
}

/** `timesOf` gives what was observed of an aircraft; without it flights are known by what their aircraft send. */
export function flightsOf(fields: FlightAirports, timesOf: TimesOf = () => undefined): Flights {
  let newest: FlightIndex | null = null;
  return {
    fields,
    of(snapshot) {
      if (newest?.snapshot !== snapshot) newest = new FlightIndex(snapshot, timesOf);
      return newest;
    },
  };
}
