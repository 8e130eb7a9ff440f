// `/v2/flight/{identifier}`: one live flight, by call sign, else registration, else address.

import type { FastifyInstance } from 'fastify';
import { json } from '../../../pipeline/flights/airports.ts';
import { alternative, findFlight, matchers } from '../../queries/flight-lookup.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { mayBeUnknown } from '../schemas/build.ts';
import { noQuery } from '../schemas/envelope.ts';
import { flightSchema, metaOf, wholeFlightSchema } from '../schemas/flight.ts';

const matchedBy = { type: 'string', enum: [...matchers], description: 'how the identifier was read' };
const { hex, flight, r } = flightSchema.properties;

const schema = {
  summary: 'One live flight',
  description:
    'By call sign, else by registration, else by address: ACA123 may be either. Of several aircraft one in the air comes before one on the ground, then the one heard last; the others are `alternatives`.',
  params: {
    type: 'object',
    properties: {
      identifier: { type: 'string', minLength: 1, description: 'call sign, registration or ICAO 24-bit address', examples: ['KLM1023'] },
    },
    required: ['identifier'],
  },
  querystring: noQuery,
  response: {
    200: metaOf(
      {
        flight: wholeFlightSchema,
        aircraft: { $ref: 'Aircraft#' },
        matched_by: matchedBy,
        alternatives: {
          type: 'array',
          description: 'other aircraft that match the identifier; absent without any',
          items: {
            type: 'object',
            required: ['hex', 'matched_by'],
            properties: { hex, flight, r, matched_by: matchedBy },
            additionalProperties: false,
          },
        },
      },
      ['flight', 'aircraft', 'matched_by'],
    ),
    ...mayBeUnknown,
  },
};

export function flightRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Params: { identifier: string } }>('/v2/flight/:identifier', { schema }, (request, reply) => {
    const { identifier } = request.params;
    const snapshot = freshSnapshot(context);
    const [found, ...others] = findFlight(snapshot, identifier);
    const make = (): string => {
      const { listing } = snapshot;
      const block = json(context.flights.of(snapshot).wholeBlock(found.i));
      const aircraft = snapshot.text('native', { count: 1, indices: Int32Array.of(found.i) });
      const alternatives = others.map((match) => alternative(listing, match));
      const more = alternatives.length === 0 ? '' : `,"alternatives":${json(alternatives)}`;
      return `${metaText(snapshot, 1)},"flight":${block},"aircraft":${aircraft},"matched_by":"${found.matchedBy}"${more}}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make });
  });
}
