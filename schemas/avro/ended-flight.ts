// Value of `adsb.flights.ended.v1`: a flight that ended, key = the address of its aircraft. One record per flight that was in the air.
import { type FlightFacts, flightFactFields } from './flight.ts';
import { type AvroValue, required } from './value.ts';

/** Why a flight ended: endedFlightSchema says what each means. */
export type FlightEnd = 'departed' | 'renamed' | 'parked' | 'gone';

export const endedFlightSchema = {
  type: 'record',
  name: 'EndedFlight',
  namespace: 'squitter.v1',
  doc: 'A flight that ended. Null means unknown or not observed.',
  fields: [
    ...flightFactFields,
    required('endedMs', 'long', 'tick at which it was seen to be over'),
    required('lastSeenMs', 'long', 'the last message of the aircraft before that'),
    required(
      'end',
      'string',
      'departed: took off again; renamed: another call sign; parked: landed 20 minutes ago; gone: not heard for up to an hour',
    ),
  ],
} as const;

export type EndedFlight = FlightFacts & Pick<AvroValue<typeof endedFlightSchema>, 'endedMs' | 'lastSeenMs'> & { end: FlightEnd };
