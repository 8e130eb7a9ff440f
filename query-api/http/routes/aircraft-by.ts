// `/v2/reg/{reg}`, `/v2/type/{type}`, `/v2/callsign/{callsign}`, `/v2/squawk/{code}`: aircraft by name. Without a match: an empty list.

import type { FastifyInstance } from 'fastify';
import type { ListedText } from '../../../pipeline/view/listing.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import { bySquawk, byText, parseSquawks, parseTexts } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { envelopeSchema, mayBeTooOld } from '../schemas/envelope.ts';
import { textList } from '../schemas/parameters.ts';
import { sendList } from '../send-list.ts';

interface TextRoute {
  readonly path: string;
  readonly param: string;
  readonly text: ListedText;
  readonly summary: string;
  /** Of the parameter. */
  readonly description: string;
  readonly example: string;
}

const textRoutes: readonly TextRoute[] = [
  {
    path: '/v2/reg',
    param: 'reg',
    text: 'registration',
    summary: 'Aircraft by registration',
    description: 'registration, with or without hyphen',
    example: 'PH-BXA',
  },
  {
    path: '/v2/type',
    param: 'type',
    text: 'typeDesignator',
    summary: 'Aircraft of a type',
    description: 'ICAO type designator',
    example: 'B738',
  },
  {
    path: '/v2/callsign',
    param: 'callsign',
    text: 'flight',
    summary: 'Aircraft by call sign',
    description: 'whole call sign, without blanks',
    example: 'KLM1023',
  },
];

export function aircraftByRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const { path, param, text, summary, description, example } of textRoutes) {
    const schema = listSchema(summary, param, description, example);
    app.get<{ Params: Record<string, string>; Querystring: PastQuery }>(`${path}/:${param}`, { schema }, (request, reply) => {
      const wanted = parseTexts(param, request.params[param]!);
      return sendList(context, request, reply, {
        form: nativeForm,
        select: ({ listing }, isWanted) => byText(listing, text, wanted, isWanted),
        at: request.query.at,
      });
    });
  }
  const schema = listSchema('Aircraft with a squawk', 'code', 'transponder code, four octal digits', '7700');
  app.get<{ Params: { code: string }; Querystring: PastQuery }>('/v2/squawk/:code', { schema }, (request, reply) => {
    const codes = parseSquawks(request.params.code);
    return sendList(context, request, reply, {
      form: nativeForm,
      select: ({ listing }, isWanted) => bySquawk(listing, codes, isWanted),
      at: request.query.at,
    });
  });
}

function listSchema(summary: string, param: string, description: string, example: string) {
  return {
    summary,
    description: `By ${description}; several in a comma list. Without a match the list is empty; that is no error.`,
    params: { type: 'object', properties: { [param]: textList(description, example) }, required: [param] },
    querystring: { type: 'object', properties: { ...listQueryProperties, ...pastQueryProperties }, additionalProperties: false },
    response: { 200: envelopeSchema, ...mayBeTooOld },
  };
}
