// `/data/aircraft.json`: every listed aircraft in the form that readsb's web maps read. Maps add cache-breaking query parameters.
import type { FastifyInstance } from 'fastify';
import { sendWhole } from '../answer.ts';
import type { ApiContext } from '../context.ts';

const schema = {
  summary: 'All aircraft, as readsb has them',
  response: {
    200: {
      type: 'object',
      required: ['now', 'messages', 'aircraft'],
      properties: {
        now: { type: 'number', description: 'Unix seconds, 3 decimals' },
        messages: { type: 'integer' },
        aircraft: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
    },
  },
};

export function aircraftJsonRoute(app: FastifyInstance, context: ApiContext): void {
  app.get('/data/aircraft.json', { schema }, (request, reply) => sendWhole(context, 'readsb', request, reply));
}
