// `/v2/hex/{hex}`: one aircraft by its address, or several in a comma list. Not tracked: an empty list, not an error.
import type { FastifyInstance } from 'fastify';
import { hexKey } from '../../../pipeline/view/hex-key.ts';
import type { Predicate, Selection } from '../../../pipeline/view/search.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits.ts';
import { badValue } from '../../queries/errors.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { envelopeSchema } from '../schemas/envelope.ts';
import { textList } from '../schemas/parameters.ts';
import { sendList } from '../send-list.ts';

const schema = {
  summary: 'Aircraft by hex',
  description: 'One address, or several in a comma list; in the order asked. None is an empty list, not an error.',
  params: {
    type: 'object',
    properties: { hex: textList('ICAO 24-bit address: 6 hex digits in either case, `~` before them for a non-ICAO address', '4840d6') },
    required: ['hex'],
  },
  querystring: { type: 'object', properties: listQueryProperties, additionalProperties: false },
  response: { 200: envelopeSchema },
};

export function hexRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Params: { hex: string } }>('/v2/hex/:hex', { schema }, (request, reply) => {
    const keys = parseHexList(request.params.hex);
    return sendList(context, request, reply, { form: nativeForm, select: (snapshot, isWanted) => byHex(snapshot, keys, isWanted) });
  });
}

/** Aircraft with these keys, in the order asked. */
export function byHex(snapshot: Snapshot, keys: readonly number[], isWanted: Predicate | undefined): Selection {
  const found = snapshot.find(keys);
  if (isWanted === undefined) return found;
  const indices = found.indices.filter(isWanted);
  return { count: indices.length, indices };
}

/** Keys in the order given, each once. Error: `api.bad_value`. */
export function parseHexList(list: string): number[] {
  if (list.length > limits.listCharactersMax)
    throw badValue('hex', list, `a list has at most ${limits.listCharactersMax} characters, not ${list.length}`);
  if (!list.includes(',')) return [parseHex(list)];
  const items = list.split(',');
  if (items.length > limits.listItemsMax)
    throw badValue('hex', list, `a list has at most ${limits.listItemsMax} items, not ${items.length}`);
  return [...new Set(items.map(parseHex))];
}

function parseHex(item: string): number {
  const key = hexKey(item.trim());
  if (key < 0) throw badValue('hex', item, 'it is 6 hex digits, with ~ before them for a non-ICAO address');
  return key;
}
