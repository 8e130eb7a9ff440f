// Responses from the history store. They do not come from a live snapshot, so they have no ETag and are there while nothing is received.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from './context.ts';
import { JSON_TYPE, VARY } from './response.ts';

/** The past rarely changes, but its newest seconds do. */
const CACHE_PAST = 'private, max-age=10';
/** What ended so long ago that late records are in the store, too. */
export const CACHE_ENDED = 'private, max-age=3600';
const COMPRESSED_BYTES_MIN = 2048;

export async function sendHistory(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  cacheControl: string = CACHE_PAST,
): Promise<FastifyReply> {
  for (let i = 0; i < context.constantHeaders.length; i += 2) reply.header(context.constantHeaders[i]!, context.constantHeaders[i + 1]);
  reply.header('content-type', JSON_TYPE).header('cache-control', cacheControl).header('vary', VARY);
  const body = Buffer.from(text);
  const encoding = body.length < COMPRESSED_BYTES_MIN ? null : context.negotiate(request.headers['accept-encoding']);
  if (encoding === null) return reply.send(body);
  context.memory.admit();
  const compressed = await context.memory.during(body, context.view.compressors.get(encoding)!(body));
  return reply.header('content-encoding', encoding).send(compressed);
}
