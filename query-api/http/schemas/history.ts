// Shared parts of responses from the history.
import { object, type Properties, text } from './build.ts';
import { metaProperties, unixSeconds } from './envelope.ts';
import { flightSchema } from './flight.ts';

/** A response about a span of time. */
export const pastOf = (properties: Properties, required: readonly string[] = Object.keys(properties)) =>
  object({ total: metaProperties.total, from: unixSeconds('start of the span'), to: unixSeconds('end of the span'), ...properties }, [
    'total',
    'from',
    'to',
    ...required,
  ]);

/** Errors of every request to the history. */
export const historyErrors = { 503: { description: 'the history is not available' } } as const;

const { hex } = flightSchema.properties;
const CODE = 'ICAO code, else IATA or local code';
const ROUTE_SOURCE = 'source of it: `observed`, `plan` or `schedule`';

const pastFlightProperties = {
  hex,
  flight: text('call sign, without blanks'),
  first_seen: unixSeconds('when the flight was first heard'),
  last_seen: unixSeconds('when it was last heard'),
  end: text(
    'why it ended: `departed` (took off again), `renamed` (another call sign), `parked` (landed 20 minutes before), `gone` (not heard)',
  ),
  origin: text(`airport of departure: ${CODE}`),
  origin_source: text(ROUTE_SOURCE),
  destination: text(`destination airport: ${CODE}`),
  destination_source: text(ROUTE_SOURCE),
  takeoff: unixSeconds('observed take-off'),
  takeoff_airport: text(`airport of the observed take-off: ${CODE}`),
  takeoff_source: text('`transition`: it reported the ground before; `appearance`: first heard just above the airport'),
  landing: unixSeconds('observed landing'),
  landing_airport: text(`airport of the observed landing: ${CODE}`),
  landing_source: text('`transition`: it reported the ground after; `silence`: last heard just above the airport'),
};
const required = ['hex', 'first_seen', 'last_seen', 'end'];

export const pastFlightSchema = object(pastFlightProperties, required);
export const movementSchema = object(
  {
    movement: text('what happened at the airport', { enum: ['takeoff', 'landing'] }),
    time: unixSeconds('when'),
    ...pastFlightProperties,
  },
  ['movement', 'time', ...required],
);
