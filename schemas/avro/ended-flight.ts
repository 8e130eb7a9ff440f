// Value of `adsb.flights.ended.v1`: a flight that ended, key = the address of its aircraft. One record per flight that was in the air.
import { type FlightFacts, flightFactFields } from './flight.ts';

/** Why a flight ended. */
export type FlightEnd =
  /** The aircraft took off again. */
  | 'departed'
  /** It has another call sign, and was not known to be in the air. */
  | 'renamed'
  /** It landed 20 minutes ago. */
  | 'parked'
  /** Its state expired: it has not been heard for up to an hour. */
  | 'gone';

export interface EndedFlight extends FlightFacts {
  /** Tick at which the stage saw the end. */
  endedMs: number;
  /** The last message of the aircraft before that. */
  lastSeenMs: number;
  end: FlightEnd;
}

export const endedFlightSchema = {
  type: 'record',
  name: 'EndedFlight',
  namespace: 'squitter.v1',
  doc: 'A flight that ended. Null means unknown or not observed.',
  fields: [
    ...flightFactFields,
    { name: 'endedMs', type: 'long', doc: 'tick at which it was seen to be over' },
    { name: 'lastSeenMs', type: 'long', doc: 'the last message of the aircraft before that' },
    {
      name: 'end',
      type: 'string',
      doc: 'departed: took off again; renamed: another call sign; parked: landed 20 minutes ago; gone: not heard for up to an hour',
    },
  ],
} as const;
