// `/v2/hex/{hex}`: one aircraft by its address, or several in a comma list. Without a match: an empty list, no error.

import type { FastifyInstance } from 'fastify';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import { byHex, parseHexes, type Select } from '../../queries/selections.ts';
import { hexList } from '../../queries/text-forms.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { listRoute } from '../list-route.ts';
import { envelopeSchema, mayBeTooOld } from '../schemas/envelope.ts';
import { listInPath } from '../schemas/parameters.ts';

const schema = {
  summary: 'Aircraft by hex',
  description: 'One address, or several in a comma list; in the requested order. Without a match the list is empty; that is no error.',
  params: {
    type: 'object',
    properties: {
      hex: listInPath(hexList, 'ICAO 24-bit address: 6 hex digits in either case, `~` before them for a non-ICAO address', '4840d6'),
    },
    required: ['hex'],
  },
  querystring: { type: 'object', properties: { ...listQueryProperties, ...pastQueryProperties }, additionalProperties: false },
  response: { 200: envelopeSchema, ...mayBeTooOld },
};

export function hexRoute(app: FastifyInstance, context: ApiContext): void {
  listRoute<{ Params: { hex: string }; Querystring: PastQuery }>(app, context, '/hex/:hex', schema, (request) => {
    const keys = parseHexes(request.params.hex);
    const select: Select = (snapshot, isWanted) => byHex(snapshot, keys, isWanted);
    return { form: nativeForm, select, at: request.query.at };
  });
}
