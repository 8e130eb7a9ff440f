// `/v2/all`: every listed aircraft. Without filters the response is existing bytes.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import { everyAircraft } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { geoJsonRoute } from '../list-route.ts';
import { sendWhole } from '../response.ts';
import { envelopeSchema, mayBeTooOld } from '../schemas/envelope.ts';
import { type AircraftList, sendList } from '../send-list.ts';

const schema = {
  summary: 'All aircraft that are tracked now',
  description: 'Every aircraft in one response. It changes once a second: send the ETag as `If-None-Match` and accept `gzip` or `br`.',
  querystring: { type: 'object', properties: { ...listQueryProperties, ...pastQueryProperties }, additionalProperties: false },
  response: { 200: envelopeSchema, ...mayBeTooOld },
};

interface AllRoute {
  Querystring: PastQuery;
}

export function allRoute(app: FastifyInstance, context: ApiContext): void {
  const list = (request: FastifyRequest<AllRoute>): AircraftList => ({ form: nativeForm, select: everyAircraft, at: request.query.at });
  app.get<AllRoute>('/v2/all', { schema }, (request, reply) =>
    context.isStored || request.url.includes('?')
      ? sendList(context, request, reply, list(request))
      : sendWhole(context, 'native', request, reply),
  );
  geoJsonRoute<AllRoute>(app, context, '/all', schema, list);
}
