// `/v2/flights`, `/v2/operator/{code}/flights`, `/v2/types/{type}/flights`: searches for live flights, page by page.

import type { FastifyInstance } from 'fastify';
import { plainText } from '../../../pipeline/view/listing.ts';
import { limits } from '../../../schemas/limits.ts';
import { codeList, type FlightQuery, flightFilter, routeList, statusList } from '../../queries/flight-filters.ts';
import { statuses } from '../../queries/flight-status.ts';
import { knownOperator, knownType } from '../../queries/operators.ts';
import type { TextForm } from '../../queries/text-forms.ts';
import type { ApiContext } from '../context.ts';
import { mayBeUnknown, reference } from '../schemas/build.ts';
import { typeProperties } from '../schemas/flight.ts';
import { pageQueryProperties, pageSchema, sendFlights } from '../send-flights.ts';

const list = (form: TextForm, description: string, example: string) => ({
  ...form,
  description: `${description}; a comma list of up to ${limits.flightListItemsMax} means any of them`,
  examples: [example],
});
const altitude = (description: string) => ({ type: 'number', minimum: -2000, maximum: 200_000, description, examples: [10_000] });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

const searchSchema = {
  summary: 'Search for live flights',
  description:
    'All filters hold together; without any, all flights. Every listed aircraft is a flight, but not vehicles and obstacles on the surface.\n\n`total` counts the flights of this page, `matches` those of all pages. A cursor goes on behind the last flight of its page, whatever came or went meanwhile.',
  querystring: {
    type: 'object',
    properties: {
      origin: list(codeList, 'airport that it comes from: ICAO, IATA or local code', 'AMS'),
      destination: list(codeList, 'airport that it goes to', 'LHR'),
      airports: list(codeList, 'airport that it comes from or goes to', 'AMS'),
      routes: list(routeList, 'airports with a hyphen between them: from the first to the second', 'AMS-LHR'),
      operator: list(codeList, 'ICAO or IATA code of the operator', 'KLM'),
      type: list(codeList, 'ICAO type designator', 'B738'),
      status: list(statusList, `what it does: ${statuses.join(', ')}`, 'climbing'),
      min_altitude: altitude('ft, barometric; on the ground counts as 0'),
      max_altitude: altitude('ft, barometric; on the ground counts as 0'),
      above_alt_baro: altitude('the same as min_altitude, under the name of readsb'),
      below_alt_baro: altitude('the same as max_altitude, under the name of readsb'),
      ...pageQueryProperties,
    },
    additionalProperties: false,
  },
  response: {
    200: pageSchema({
      filters: {
        type: 'object',
        description: 'filters of the request, as parsed; only those given',
        properties: {
          origin: texts('airports'),
          destination: texts('airports'),
          airports: texts('airports'),
          routes: texts('pairs of airports'),
          operator: texts('operators'),
          type: texts('ICAO type designators'),
          status: texts('values of `status`'),
          min_altitude: { type: 'number', description: 'ft' },
          max_altitude: { type: 'number', description: 'ft' },
        },
        additionalProperties: false,
      },
    }),
  },
};

const querystring = { type: 'object', properties: pageQueryProperties, additionalProperties: false };

const operatorSchema = {
  summary: 'Live flights of an operator',
  description: 'Flights whose call sign begins with the ICAO code of the operator, in pages.',
  params: {
    type: 'object',
    properties: { code: { type: 'string', description: 'ICAO or IATA code of the operator', examples: ['KLM'] } },
    required: ['code'],
  },
  querystring,
  response: { 200: pageSchema({ operator: reference('Operator') }), ...mayBeUnknown },
};

const typeSchema = {
  summary: 'Live flights of an aircraft type',
  description: 'Flights of aircraft with this type in the reference data, in pages.',
  params: {
    type: 'object',
    properties: { type: { type: 'string', description: 'ICAO type designator', examples: ['B738'] } },
    required: ['type'],
  },
  querystring,
  response: {
    200: pageSchema({
      type: { type: 'object', description: 'the type', required: ['t'], properties: typeProperties, additionalProperties: false },
    }),
    ...mayBeUnknown,
  },
};

export function flightsRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Querystring: FlightQuery }>('/v2/flights', { schema: searchSchema }, (request, reply) =>
    sendFlights(context, request, reply, (index) => {
      const { echo, among, isWanted } = flightFilter(context, index, request.query);
      return { members: { filters: echo }, among, isWanted };
    }),
  );
  app.get<{ Params: { code: string } }>('/v2/operator/:code/flights', { schema: operatorSchema }, (request, reply) =>
    sendFlights(context, request, reply, (_, snapshot) => {
      const operator = knownOperator(context, snapshot, request.params.code);
      return { members: { operator }, among: snapshot.listing.by('operator').get(operator.icao) ?? [] };
    }),
  );
  app.get<{ Params: { type: string } }>('/v2/types/:type/flights', { schema: typeSchema }, (request, reply) =>
    sendFlights(context, request, reply, (_, snapshot) => {
      const type = knownType(context, snapshot, request.params.type);
      return { members: { type }, among: snapshot.listing.by('typeDesignator').get(plainText(type.t)) ?? [] };
    }),
  );
}
