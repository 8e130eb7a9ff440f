// `/v2/all`: every listed aircraft.
import type { FastifyInstance } from 'fastify';
import { sendWhole } from '../answer.ts';
import type { ApiContext } from '../context.ts';
import { envelopeSchema, noQuery } from '../schemas/envelope.ts';

const schema = { summary: 'All aircraft that are tracked now', querystring: noQuery, response: { 200: envelopeSchema } };

export function allRoute(app: FastifyInstance, context: ApiContext): void {
  app.get('/v2/all', { schema }, (request, reply) => sendWhole(context, 'native', request, reply));
}
