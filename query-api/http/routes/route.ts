// `/v2/route/{origin}/{destination}` and its summary: what flies from one airport to another now.
import type { FastifyInstance } from 'fastify';
import type { Field } from '../../../pipeline/flights/airports.ts';
import { flightRoute } from '../../../pipeline/flights/flight-routes.ts';
import { distanceNm } from '../../../pipeline/geo/sphere.ts';
import { ABSENT } from '../../../pipeline/view/columns.ts';
import { callsignsOf, operatorsOf, typesOf } from '../../queries/breakdown.ts';
import type { FlightIndex } from '../../queries/flight-index.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { shownAltitudeFt } from '../../queries/list-filters.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { noQuery } from '../schemas/envelope.ts';
import { mayBeUnknown, metaOf, operatorCounts, reference, typeCounts } from '../schemas/flight.ts';
import { membersText, pageQueryProperties, pageSchema, sendFlights } from '../send-flights.ts';
import { airportCode, knownField } from './airport.ts';

const params = {
  type: 'object',
  properties: {
    origin: airportCode('airport that they come from', 'AMS'),
    destination: airportCode('airport that they go to', 'LHR'),
  },
  required: ['origin', 'destination'],
};
const ends = {
  origin: reference('Airport'),
  destination: reference('Airport'),
  distance_nm: { type: 'number', minimum: 0, description: 'great circle between the airports, nm' },
};
const feet = (which: string) => ({ type: 'number', description: `${which} pressure altitude, ft; on the ground counts as 0` });

const flightsSchema = {
  summary: 'Live flights between two airports',
  description: 'Flights whose believed route this is, in this direction.',
  params,
  querystring: { type: 'object', properties: pageQueryProperties, additionalProperties: false },
  response: { 200: pageSchema(ends), ...mayBeUnknown },
};

const summarySchema = {
  summary: 'Live flights between two airports in numbers',
  description: '`total` counts the flights.',
  params,
  querystring: noQuery,
  response: {
    200: metaOf(
      {
        ...ends,
        flights: { type: 'array', items: { type: 'string' }, description: 'call signs' },
        types: typeCounts('types'),
        operators: operatorCounts('operators'),
        altitude: {
          type: 'object',
          description: 'absent while no altitude is known',
          required: ['min', 'max', 'mean'],
          properties: { min: feet('lowest'), max: feet('highest'), mean: feet('mean') },
          additionalProperties: false,
        },
      },
      [...Object.keys(ends), 'flights', 'types', 'operators'],
    ),
    ...mayBeUnknown,
  },
};

interface Pair {
  Params: { origin: string; destination: string };
}

export function routeRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get<Pair>('/v2/route/:origin/:destination', { schema: flightsSchema }, (request, reply) => {
    const [origin, destination] = endsOf(context, request.params);
    return sendFlights(context, request, reply, (index) => ({
      members: endMembers(origin, destination),
      among: flightsBetween(index, origin, destination),
    }));
  });
  app.get<Pair>('/v2/route/:origin/:destination/summary', { schema: summarySchema }, (request, reply) => {
    const [origin, destination] = endsOf(context, request.params);
    const snapshot = freshSnapshot(context);
    const index = context.flights.of(snapshot);
    const make = (): string => {
      const found = flightsBetween(index, origin, destination);
      const members = {
        ...endMembers(origin, destination),
        flights: callsignsOf(index, found),
        types: typesOf(context, index, found),
        operators: operatorsOf(context, index, found),
        ...altitudesOf(index, found),
      };
      return `${metaText(snapshot, found.length, membersText(members))}}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make });
  });
}

function endsOf(context: ApiContext, { origin, destination }: Pair['Params']): [Field, Field] {
  return [knownField(context, origin), knownField(context, destination)];
}

function endMembers(origin: Field, destination: Field) {
  const distance = distanceNm(origin.place, destination.place);
  return { origin: origin.block, destination: destination.block, distance_nm: Math.round(distance * 10) / 10 };
}

/** Flights that arrive at the one and come from the other: arrivals are few. */
function flightsBetween(index: FlightIndex, origin: Field, destination: Field): number[] {
  const isFromOrigin = (i: number): boolean => flightRoute(index.listing.routes[i]!)?.origin?.key === origin.key;
  return index.at(destination).arrivals.filter(isFromOrigin);
}

function altitudesOf({ listing }: FlightIndex, indices: readonly number[]): { altitude?: { min: number; max: number; mean: number } } {
  const altitudesFt = indices.map((i) => shownAltitudeFt(listing.columns, i)).filter((altitudeFt) => altitudeFt !== ABSENT);
  if (altitudesFt.length === 0) return {};
  const sum = altitudesFt.reduce((total, altitudeFt) => total + altitudeFt, 0);
  return { altitude: { min: Math.min(...altitudesFt), max: Math.max(...altitudesFt), mean: Math.round(sum / altitudesFt.length) } };
}
