// Value of `adsb.flights.v1`: the current flight of an aircraft, key = its address. Written by the flights stage whenever it changes, and at least
// once a minute while the aircraft is heard. Times are event times, ms since the Unix epoch; null means unknown or not observed.

/** Source of an airport: seen to take off or land there, a flight plan, a schedule. */
export type RouteSource = 'observed' | 'plan' | 'schedule';

/** How a take-off or landing was observed. */
export type MovementSource =
  /** The aircraft reported the ground before or after. */
  | 'transition'
  /** First heard just above the airport, climbing. */
  | 'appearance'
  /** Last heard just above the airport, descending. */
  | 'silence';

/** Common part of current and ended flights. */
export interface FlightFacts {
  /** ICAO address, 6 lower-case hex digits, `~` before a non-ICAO address. */
  hex: string;
  /** Without blanks. */
  callsign: string | null;
  /** Offset of the aircraft state in `adsb.aircraft.v1`, same partition, that this record was made from. */
  aircraftOffset: number;
  /** Tick of the first state of this flight, and of the first one in the air. */
  firstSeenMs: number;
  airborneMs: number | null;
  /** Airports: ICAO code, else IATA or local code. Null where unknown, or where the motion of the aircraft contradicts every known route. */
  origin: string | null;
  originSource: RouteSource | null;
  destination: string | null;
  destinationSource: RouteSource | null;
  /** Observed take-off: event time, airport. */
  takeoffMs: number | null;
  takeoffAirport: string | null;
  takeoffSource: MovementSource | null;
  /** Observed landing. */
  landingMs: number | null;
  landingAirport: string | null;
  landingSource: MovementSource | null;
}

export interface Flight extends FlightFacts {
  /** Tick of the aircraft state that this record was made from. */
  tickMs: number;
  /** Its last message. */
  seenMs: number;
  /** Source of the best known route, plausible or not. */
  routeSource: RouteSource | null;
  /** False: a route is known but contradicted. Null: none is known. */
  routePlausible: boolean | null;
  /** Since when the direction of flight contradicts the accepted route. */
  doubtMs: number | null;
  /** First position after a long silence, until the aircraft takes off or is on the ground. */
  appearedMs: number | null;
  /** On the ground since. */
  groundMs: number | null;
  /** Last seen moving on the ground, to the minute. */
  movedMs: number | null;
}

const nullableLong = ['null', 'long'] as const;
const nullableString = ['null', 'string'] as const;
export const time = (name: string, doc: string) => ({ name, type: nullableLong, default: null, doc });
export const text = (name: string, doc: string) => ({ name, type: nullableString, default: null, doc });

const AIRPORT = 'ICAO code, else IATA or local code';
const SOURCE = 'observed, plan or schedule';

export const flightFactFields = [
  { name: 'hex', type: 'string', doc: 'ICAO address, 6 lower-case hex digits, ~ before a non-ICAO address' },
  text('callsign', 'without blanks'),
  { name: 'aircraftOffset', type: 'long', doc: 'offset of the aircraft state, same partition, that this record was made from' },
  { name: 'firstSeenMs', type: 'long', doc: 'tick of the first state of this flight' },
  time('airborneMs', 'tick of its first state in the air'),
  text('origin', `${AIRPORT}; null where no route is believed and no take-off was observed`),
  text('originSource', SOURCE),
  text('destination', `${AIRPORT}; null where no route is believed and no landing was observed`),
  text('destinationSource', SOURCE),
  time('takeoffMs', 'observed take-off'),
  text('takeoffAirport', AIRPORT),
  text('takeoffSource', 'transition: reported the ground before; appearance: first heard just above the airport, climbing'),
  time('landingMs', 'observed landing'),
  text('landingAirport', AIRPORT),
  text('landingSource', 'transition: reported the ground after; silence: last heard just above the airport, descending'),
] as const;

export const flightSchema = {
  type: 'record',
  name: 'Flight',
  namespace: 'squitter.v1',
  doc: 'The current flight of an aircraft. Null means unknown or not observed. A tombstone: the aircraft is gone.',
  fields: [
    ...flightFactFields,
    { name: 'tickMs', type: 'long', doc: 'tick of the aircraft state that this record was made from' },
    { name: 'seenMs', type: 'long', doc: 'the last message of the aircraft in that state' },
    text('routeSource', `source of the best route that is known, believed or not: ${SOURCE}`),
    { name: 'routePlausible', type: ['null', 'boolean'], default: null, doc: 'false: a route is known, and the motion contradicts it' },
    time('doubtMs', 'the believed route has been contradicted by the direction of flight since'),
    time('appearedMs', 'first position after a long silence, until a take-off or the ground was observed'),
    time('groundMs', 'on the ground since'),
    time('movedMs', 'last seen moving on the ground, within a minute'),
  ],
} as const;
