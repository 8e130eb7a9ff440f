// Value of `adsb.flights.v1`: the current flight of an aircraft, key = its address. Written by the flights stage whenever it changes, and at least
// once a minute while the aircraft is heard. Times are event times, ms since the Unix epoch; null means unknown or not observed.
import { type AvroValue, type Narrowed, optional, required } from './value.ts';

/** Source of an airport: seen to take off or land there, a flight plan, a schedule. */
export type RouteSource = 'observed' | 'plan' | 'schedule';

/** How a take-off or landing was observed: the aircraft reported the ground; first heard just above the airport, climbing; last heard there, descending. */
export type MovementSource = 'transition' | 'appearance' | 'silence';

/** Fields that are one of a few words. */
interface Words {
  originSource: RouteSource | null;
  destinationSource: RouteSource | null;
  takeoffSource: MovementSource | null;
  landingSource: MovementSource | null;
}

const AIRPORT = 'ICAO code, else IATA or local code';
const SOURCE = 'observed, plan or schedule';

/** Common part of current and ended flights. */
export const flightFactFields = [
  required('hex', 'string', 'ICAO address, 6 lower-case hex digits, ~ before a non-ICAO address'),
  optional('callsign', 'string', 'without blanks'),
  required('aircraftOffset', 'long', 'offset of the aircraft state, same partition, that this record was made from'),
  required('firstSeenMs', 'long', 'tick of the first state of this flight'),
  optional('airborneMs', 'long', 'tick of its first state in the air'),
  optional('origin', 'string', `${AIRPORT}; null where the motion contradicts every known route and no take-off was observed`),
  optional('originSource', 'string', SOURCE),
  optional('destination', 'string', `${AIRPORT}; null where the motion contradicts every known route and no landing was observed`),
  optional('destinationSource', 'string', SOURCE),
  optional('takeoffMs', 'long', 'observed take-off'),
  optional('takeoffAirport', 'string', AIRPORT),
  optional('takeoffSource', 'string', 'transition: reported the ground before; appearance: first heard just above the airport, climbing'),
  optional('landingMs', 'long', 'observed landing'),
  optional('landingAirport', 'string', AIRPORT),
  optional('landingSource', 'string', 'transition: reported the ground after; silence: last heard just above the airport, descending'),
] as const;

export const flightSchema = {
  type: 'record',
  name: 'Flight',
  namespace: 'squitter.v1',
  doc: 'The current flight of an aircraft. Null means unknown or not observed. A tombstone: the aircraft is gone.',
  fields: [
    ...flightFactFields,
    required('tickMs', 'long', 'tick of the aircraft state that this record was made from'),
    required('seenMs', 'long', 'the last message of the aircraft in that state'),
    optional('routeSource', 'string', `source of the best route that is known, plausible or not: ${SOURCE}`),
    optional('routePlausible', 'boolean', 'false: a route is known, and the motion contradicts it'),
    optional('doubtMs', 'long', 'since when the direction of flight contradicts the accepted route'),
    optional('appearedMs', 'long', 'first position after a long silence, until a take-off or the ground was observed'),
    optional('groundMs', 'long', 'on the ground since'),
    optional('movedMs', 'long', 'last seen moving on the ground, within a minute'),
  ],
} as const;

export type FlightFacts = Narrowed<AvroValue<{ type: 'record'; fields: typeof flightFactFields }>, Words>;
export type Flight = Narrowed<AvroValue<typeof flightSchema>, Words & { routeSource: RouteSource | null }>;
