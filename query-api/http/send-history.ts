// Responses from the history store. They do not come from a live snapshot, so they have no ETag and are there while nothing is received.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from './context.ts';
import { JSON_TYPE, VARY } from './response.ts';

/** The past rarely changes, but its newest seconds do. */
const CACHE_PAST = 'private, max-age=10';
/** What ended so long ago that late records are in the store, too. */
export const CACHE_ENDED = 'private, max-age=3600';
const BYTES_TYPE = 'application/octet-stream';
const COMPRESSED_BYTES_MIN = 2048;

export async function sendHistory(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  cacheControl: string = CACHE_PAST,
): Promise<FastifyReply> {
  setHeaders(context, reply, JSON_TYPE, cacheControl);
  const body = Buffer.from(text);
  const encoding = body.length < COMPRESSED_BYTES_MIN ? null : context.negotiate(request.headers['accept-encoding']);
  if (encoding === null) return reply.send(body);
  context.memory.admit();
  const compressed = await context.memory.during(body, context.view.compressors.get(encoding)!(body));
  return reply.header('content-encoding', encoding).send(compressed);
}

/** Bytes that are kept compressed; clients without gzip get them unpacked. `isSettled`: they do not change any more. */
export async function sendGzipped(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  gzipped: Buffer,
  { unpack, isSettled }: { readonly unpack: (bytes: Buffer) => Promise<Buffer>; readonly isSettled: boolean },
): Promise<FastifyReply> {
  setHeaders(context, reply, BYTES_TYPE, isSettled ? CACHE_ENDED : CACHE_PAST);
  context.memory.admit();
  if (/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.header('content-encoding', 'gzip').send(gzipped);
  return reply.send(await context.memory.during(gzipped, unpack(gzipped)));
}

function setHeaders({ constantHeaders }: ApiContext, reply: FastifyReply, type: string, cacheControl: string): void {
  for (let i = 0; i < constantHeaders.length; i += 2) reply.header(constantHeaders[i]!, constantHeaders[i + 1]);
  reply.header('content-type', type).header('cache-control', cacheControl).header('vary', VARY);
}
