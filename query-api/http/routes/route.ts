// `/v2/route/{origin}/{destination}` and its summary: flights from one airport to another now.

import type { FastifyInstance } from 'fastify';
import { airportPair, pairMembers, pairSummary } from '../../queries/airport-pair.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { mayBeUnknown, reference } from '../schemas/build.ts';
import { noQuery } from '../schemas/envelope.ts';
import { metaOf, operatorCounts, typeCounts } from '../schemas/flight.ts';
import { airportCode } from '../schemas/parameters.ts';
import { membersText, pageQueryProperties, pageSchema, sendFlights } from '../send-flights.ts';

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
  description:
    'Flights on this route, in this direction, in the air or on the ground: those of `/v2/flights?routes=`. Only plausible routes count.',
  params,
  querystring: { type: 'object', properties: pageQueryProperties, additionalProperties: false },
  response: { 200: pageSchema(ends), ...mayBeUnknown },
};

const summarySchema = {
  summary: 'Live flights between two airports in numbers',
  description: '`total` counts the flights of `/v2/route/{origin}/{destination}`, those on the ground too.',
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
    const pair = airportPair(context, request.params.origin, request.params.destination);
    return sendFlights(context, request, reply, (index) => ({
      members: pairMembers(pair),
      among: index.between(pair.origin.key, pair.destination.key),
    }));
  });
  app.get<Pair>('/v2/route/:origin/:destination/summary', { schema: summarySchema }, (request, reply) => {
    const pair = airportPair(context, request.params.origin, request.params.destination);
    const snapshot = freshSnapshot(context);
    const index = context.flights.of(snapshot);
    const make = (): string => {
      const found = index.between(pair.origin.key, pair.destination.key);
      const members = { ...pairMembers(pair), ...pairSummary(context, index, found) };
      return `${metaText(snapshot, found.length, membersText(members))}}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make });
  });
}
