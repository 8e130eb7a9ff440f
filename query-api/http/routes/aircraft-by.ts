// `/v2/reg/{reg}`, `/v2/type/{type}`, `/v2/callsign/{callsign}`, `/v2/squawk/{code}`: aircraft by name. Without a match: an empty list.

import type { FastifyInstance } from 'fastify';
import type { ListedText } from '../../../pipeline/view/listing.ts';
import { listItems, listQueryProperties } from '../../queries/list-filters.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import { bySquawk, byText, parseSquawks } from '../../queries/selections.ts';
import { anyList, squawkList, type TextForm } from '../../queries/text-forms.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { listRoute } from '../list-route.ts';
import { envelopeSchema, mayBeTooOld } from '../schemas/envelope.ts';
import { listInPath } from '../schemas/parameters.ts';

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
    path: '/reg',
    param: 'reg',
    text: 'registration',
    summary: 'Aircraft by registration',
    description: 'registration, with or without hyphen',
    example: 'PH-BXA',
  },
  {
    path: '/type',
    param: 'type',
    text: 'typeDesignator',
    summary: 'Aircraft of a type',
    description: 'ICAO type designator',
    example: 'B738',
  },
  {
    path: '/callsign',
    param: 'callsign',
    text: 'flight',
    summary: 'Aircraft by call sign',
    description: 'whole call sign, without blanks',
    example: 'KLM1023',
  },
];

export function aircraftByRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const { path, param, text, summary, description, example } of textRoutes) {
    const schema = listSchema(anyList, summary, param, description, example);
    listRoute<{ Params: Record<string, string>; Querystring: PastQuery }>(app, context, `${path}/:${param}`, schema, (request) => {
      const wanted = listItems(request.params[param]!);
      return {
        form: nativeForm,
        select: ({ listing }, isWanted) => byText(listing, text, wanted, isWanted),
        at: request.query.at,
      };
    });
  }
  const schema = listSchema(squawkList, 'Aircraft with a squawk', 'code', 'transponder code, four octal digits', '7700');
  listRoute<{ Params: { code: string }; Querystring: PastQuery }>(app, context, '/squawk/:code', schema, (request) => {
    const codes = parseSquawks(request.params.code);
    return {
      form: nativeForm,
      select: ({ listing }, isWanted) => bySquawk(listing, codes, isWanted),
      at: request.query.at,
    };
  });
}

function listSchema(form: TextForm, summary: string, param: string, description: string, example: string) {
  return {
    summary,
    description: `By ${description}; several in a comma list. Without a match the list is empty; that is no error.`,
    params: { type: 'object', properties: { [param]: listInPath(form, description, example) }, required: [param] },
    querystring: { type: 'object', properties: { ...listQueryProperties, ...pastQueryProperties }, additionalProperties: false },
    response: { 200: envelopeSchema, ...mayBeTooOld },
  };
}
