// `/v2/operators` and `/v2/types`: who flies now, and with what.
import type { FastifyInstance } from 'fastify';
import { json, present } from '../../../pipeline/flights/airports.ts';
import type { ListedText } from '../../../pipeline/view/listing.ts';
import { airAndGround, BREAKDOWN_MAX, callsignsOf, operatorsOf, typesOf } from '../../queries/breakdown.ts';
import { compareText } from '../../queries/counts.ts';
import type { FlightIndex } from '../../queries/flight-index.ts';
import type { ApiContext } from '../context.ts';
import { amount, operatorCounts, operatorWith, typeCounts, typeProperties } from '../schemas/flight.ts';
import { directoryQuery, directorySchema, sendDirectory } from '../send-directory.ts';
import { operatorBlock } from './flights.ts';

const counts = {
  aircraft_count: amount('aircraft listed'),
  airborne: amount('number of aircraft in the air'),
  ground: amount('number of aircraft on the ground'),
};

const operatorsSchema = {
  summary: 'Operators with aircraft that are tracked now',
  description: 'The most aircraft first, equal ones by code. The operator of a flight is told by the three letters before its number.',
  querystring: directoryQuery('operators'),
  response: {
    200: directorySchema(
      'operators',
      operatorWith({
        ...counts,
        types: typeCounts('up to five types'),
        callsigns: { type: 'array', items: { type: 'string' }, description: 'up to five call signs' },
      }),
      'operators',
    ),
  },
};

const typesSchema = {
  summary: 'Aircraft types that are tracked now',
  description: 'The most aircraft first, equal ones by designator.',
  querystring: directoryQuery('types'),
  response: {
    200: directorySchema(
      'types',
      {
        type: 'object',
        required: ['t', ...Object.keys(counts), 'operators'],
        properties: { ...typeProperties, ...counts, operators: operatorCounts('up to five operators') },
        additionalProperties: false,
      },
      'types',
    ),
  },
};

export function operatorsRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/v2/operators', { schema: operatorsSchema }, (request, reply) =>
    sendDirectory(context, request, reply, {
      name: 'operators',
      make: (index) => entries(index, 'operator', (code, indices) => operatorEntry(context, index, code, indices)),
    }),
  );
  app.get('/v2/types', { schema: typesSchema }, (request, reply) =>
    sendDirectory(context, request, reply, {
      name: 'types',
      make: (index) => entries(index, 'typeDesignator', (code, indices) => typeEntry(context, index, code, indices)),
    }),
  );
}

function entries(index: FlightIndex, text: ListedText, entry: (code: string, indices: readonly number[]) => object): string[] {
  const flights = [...index.listing.by(text)].map(([code, indices]) => [code, indices.filter((i) => index.isFlight(i))] as const);
  const groups = flights
    .filter(([, indices]) => indices.length > 0)
    .sort(([a, some], [b, others]) => others.length - some.length || compareText(a, b));
  return groups.map(([code, indices]) => json(entry(code, indices)));
}

function operatorEntry(context: ApiContext, index: FlightIndex, code: string, indices: readonly number[]): object {
  const operator = context.reference.operator(code);
  return {
    ...(operator === undefined ? { icao: code } : { ...operatorBlock(operator), icao: code }),
    aircraft_count: indices.length,
    ...airAndGround(index, indices),
    types: typesOf(context, index, indices, BREAKDOWN_MAX),
    callsigns: callsignsOf(index, indices).slice(0, BREAKDOWN_MAX),
  };
}

function typeEntry(context: ApiContext, index: FlightIndex, code: string, indices: readonly number[]): object {
  return {
    ...present({ t: code, desc: context.reference.type(code)?.description }),
    aircraft_count: indices.length,
    ...airAndGround(index, indices),
    operators: operatorsOf(context, index, indices, BREAKDOWN_MAX),
  };
}
