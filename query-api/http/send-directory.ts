// Sends a directory: the same entries for every caller, built once per snapshot; the first ones, up to the limit.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { json } from '../../pipeline/flights/airports.ts';
import { limits } from '../../schemas/limits.ts';
import type { FlightIndex } from '../queries/flight-index.ts';
import { freshSnapshot } from '../queries/freshness.ts';
import type { ApiContext } from './context.ts';
import { metaText } from './meta.ts';
import { sendMade } from './response.ts';
import { listOf } from './schemas/build.ts';
import { metaOf, truncatedMember } from './schemas/flight.ts';

export const directoryQuery = (what: string) => ({
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limits.pageItemsMax,
      default: limits.pageItemsDefault,
      description: `${what} at most; \`truncated\` is true where there were more`,
    },
  },
  additionalProperties: false,
});

export const directorySchema = (name: string, entry: object, description: string) =>
  metaOf({ [name]: listOf(entry, description), truncated: truncatedMember }, [name]);

/** `make` returns all entries, in order. */
export function sendDirectory(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, make }: { readonly name: string; readonly make: (index: FlightIndex) => readonly object[] },
): void | Promise<void> {
  const snapshot = freshSnapshot(context);
  const index = context.flights.of(snapshot);
  const { limit } = request.query as { limit: number };
  const body = (): Buffer => {
    const all = index.once(`entries of ${name}`, () => make(index).map(json));
    const shown = all.slice(0, limit);
    const truncated = all.length > limit ? ',"truncated":true' : '';
    return Buffer.from(`${metaText(snapshot, shown.length)},"${name}":[${shown.join(',')}]${truncated}}\n`, 'latin1');
  };
  // Other limits are rare: their bodies are not cached.
  const isUsual = limit === limits.pageItemsDefault;
  return sendMade(context, request, reply, { snapshot, make: isUsual ? () => index.once(`usual ${name}`, body) : body });
}
