// `/v2/hex/{hex}`: one aircraft by its address, or several in a comma list. Not tracked: an empty list, not an error.
import type { FastifyInstance } from 'fastify';
import { hexKey } from '../../pipeline/view/hex-key.ts';
import { limits } from '../../schemas/limits.ts';
import { sendMade } from '../answer.ts';
import type { ApiContext } from '../context.ts';
import { freshSnapshot } from '../freshness.ts';
import { badValue } from '../problems.ts';
import { envelopeSchema, noQuery } from './schemas.ts';

const schema = {
  summary: 'Aircraft by hex',
  params: {
    type: 'object',
    properties: {
      hex: {
        type: 'string',
        description: '6 hex digits in either case, `~` before them for a non-ICAO address; up to 1000, separated by commas',
      },
    },
  },
  querystring: noQuery,
  response: { 200: envelopeSchema },
};

export function hexRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Params: { hex: string } }>('/v2/hex/:hex', { schema }, (request, reply) => {
    const keys = parseHexList(request.params.hex);
    const snapshot = freshSnapshot(context.view, context.clock());
    return sendMade(context, request, reply, { snapshot, make: () => snapshot.pick(keys) });
  });
}

/** Keys in the order given, each once. Error: `api.bad_value`. */
export function parseHexList(list: string): number[] {
  if (list.length > limits.listCharactersMax)
    throw badValue('hex', list, `a list has at most ${limits.listCharactersMax} characters, not ${list.length}`);
  const items = list.split(',');
  if (items.length > limits.listItemsMax)
    throw badValue('hex', list, `a list has at most ${limits.listItemsMax} items, not ${items.length}`);
  const keys = new Set<number>();
  for (const item of items) {
    const key = hexKey(item.trim());
    if (key < 0) throw badValue('hex', item, 'it is 6 hex digits, with ~ before them for a non-ICAO address');
    keys.add(key);
  }
  return [...keys];
}
