// `/v2/emergencies`: aircraft that declare or squawk an emergency, and the rule that applies (decisions G1).
import type { FastifyInstance } from 'fastify';
import { declaredEmergencies, declaredWithLifeguard, emergencies, emergencyReasons } from '../../queries/emergencies.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { listRoute } from '../list-route.ts';
import { envelopeSchema } from '../schemas/envelope.ts';

const schema = {
  summary: 'Aircraft in an emergency',
  description:
    'Squawk 7500, 7600 or 7700, or a declared emergency; `emergency_reasons` says which. Medical flights send `lifeguard` routinely.',
  querystring: {
    type: 'object',
    properties: { ...listQueryProperties, include: { type: 'string', enum: ['lifeguard'], description: 'medical flights, too' } },
    additionalProperties: false,
  },
  response: { 200: envelopeSchema },
};

export function emergenciesRoute(app: FastifyInstance, context: ApiContext): void {
  listRoute<{ Querystring: { include?: string } }>(app, context, '/emergencies', schema, (request) => {
    const declared = request.query.include === 'lifeguard' ? declaredWithLifeguard : declaredEmergencies;
    return {
      form: nativeForm,
      select: ({ listing }, isWanted) => emergencies(listing, isWanted, declared),
      decorate: (listing, i) => ({ emergency_reasons: emergencyReasons(listing, i, declared) }),
    };
  });
}
