// `/v2/operators` and `/v2/types`: operators and aircraft types with aircraft now.

import type { FastifyInstance } from 'fastify';
import { operatorsNow, typesNow } from '../../queries/operators.ts';
import type { ApiContext } from '../context.ts';
import { amount } from '../schemas/build.ts';
import { operatorCounts, operatorWith, typeCounts, typeProperties } from '../schemas/flight.ts';
import { directoryQuery, directorySchema, sendDirectory } from '../send-directory.ts';

const counts = {
  aircraft_count: amount('aircraft listed'),
  airborne: amount('number of aircraft in the air'),
  ground: amount('number of aircraft on the ground'),
};

const operatorsSchema = {
  summary: 'Operators with aircraft that are tracked now',
  description: 'By number of aircraft, descending, then by code. The operator of a flight is the three letters before its number.',
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
  description: 'By number of aircraft, descending, then by designator.',
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
    sendDirectory(context, request, reply, { name: 'operators', make: (index) => operatorsNow(context, index) }),
  );
  app.get('/v2/types', { schema: typesSchema }, (request, reply) =>
    sendDirectory(context, request, reply, { name: 'types', make: (index) => typesNow(context, index) }),
  );
}
