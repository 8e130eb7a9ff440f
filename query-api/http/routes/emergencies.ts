// `/v2/emergencies`: who declares an emergency or squawks one, and by which rule (decisions G1).
import type { FastifyInstance } from 'fastify';
import type { Listing } from '../../../pipeline/view/listing.ts';
import { all } from '../../../pipeline/view/search.ts';
import { emergencyNames } from '../../../schemas/avro/aircraft-state.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { envelopeSchema } from '../schemas/envelope.ts';
import { sendList } from '../send-list.ts';

const SQUAWKS = [7500, 7600, 7700];
const DECLARED = ['general', 'minfuel', 'nordo', 'unlawful', 'downed'];

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
  app.get<{ Querystring: { include?: string } }>('/v2/emergencies', { schema }, (request, reply) => {
    const declared = request.query.include === 'lifeguard' ? [...DECLARED, 'lifeguard'] : DECLARED;
    return sendList(context, request, reply, {
      form: nativeForm,
      select: ({ listing }, isWanted) =>
        all(listing, (i) => emergencyReasons(listing, i, declared).length > 0 && (isWanted === undefined || isWanted(i))),
      decorate: (listing, i) => ({ emergency_reasons: emergencyReasons(listing, i, declared) }),
    });
  });
}

/** `squawk_7700`, `adsb_general`; empty where there is no emergency. */
export function emergencyReasons({ columns }: Listing, i: number, declared: readonly string[] = DECLARED): string[] {
  const squawk = columns.squawk[i]!;
  const name = emergencyNames[columns.emergency[i]!];
  return [
    ...(SQUAWKS.includes(squawk) ? [`squawk_${squawk}`] : []),
    ...(name !== undefined && declared.includes(name) ? [`adsb_${name}`] : []),
  ];
}
