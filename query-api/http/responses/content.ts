// Sends bytes that no live snapshot has: history, moments of the past, contracts, pages. One function negotiates, looks at conditions and compresses.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../../schemas/limits/index.ts';
import type { ApiContext } from '../context.ts';
import { type ResponseKind, type SuccessDetails, successHeaders } from '../headers/headers.ts';
import { matchesTag } from '../headers/negotiation.ts';
import { isUnchanged } from '../headers/preconditions.ts';

/** Without a charset: JSON has none (RFC 8259, 11), and generated clients compare the whole value if a path has two kinds of JSON. */
export const JSON_TYPE = 'application/json';

export interface Content extends Omit<SuccessDetails, 'etag' | 'varies'> {
  readonly kind: ResponseKind;
  readonly type: string;
  readonly body: Buffer | (() => Promise<Buffer>);
  /** The entity tag of the body; without it there are no conditions. */
  readonly tag?: string;
  /** Null for a body that is never compressed. */
  readonly compressedBytesMin?: number | null;
  /** Compressed forms of a body that stays the same: each is made once. */
  readonly packed?: Map<string, Promise<Buffer>>;
  /** Length of a body that is read when it is needed. */
  readonly byteLength?: number;
}

/** Errors: `api.overloaded`; `api.precondition_failed` of lists of files. */
export async function sendContent(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
): Promise<FastifyReply> {
  const { kind, type, body, tag, packed, compressedBytesMin = limits.compressedBytesMin, ...details } = content;
  const length = Buffer.isBuffer(body) ? body.length : content.byteLength!;
  const varies = compressedBytesMin !== null && length >= compressedBytesMin;
  const encoding = varies ? context.negotiate(request.headers['accept-encoding']) : null;
  const etag = tag === undefined ? null : `"${tag}${encoding === null ? '' : `-${encoding}`}"`;
  // A condition that fails has the headers of an error.
  const isKnown = etag !== null && has(request, kind, etag);
  setHeaders(reply, successHeaders(context, request, kind, { ...details, etag, varies }));
  if (isKnown) return reply.code(304).send();
  reply.header('content-type', type);
  const read = (): Promise<Buffer> | Buffer => (Buffer.isBuffer(body) ? body : body());
  if (encoding === null) return reply.send(await read());
  reply.header('content-encoding', encoding);
  const compress = context.view.compressors.get(encoding)!;
  if (packed === undefined) {
    context.memory.admit();
    const bytes = await read();
    return reply.send(await context.memory.during(bytes, compress(bytes)));
  }
  let made = packed.get(encoding);
  if (made === undefined) {
    made = Promise.resolve(read()).then(compress);
    packed.set(encoding, made);
    // A file that could not be read is tried again at the next request.
    made.catch(() => packed.delete(encoding));
  }
  return reply.send(await made);
}

const unpacked = promisify(gunzip);

export interface GzippedBody {
  readonly gzipped: Buffer;
  readonly type: string;
  /** The tag, like that of `Content`. */
  readonly tag?: string;
}

/** Bytes that are kept compressed; clients without gzip get them unpacked. */
export async function sendGzipped(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, gzipped, type, tag }: GzippedBody & { readonly kind: ResponseKind },
): Promise<FastifyReply> {
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const etag = tag === undefined ? null : `"${tag}${takesGzip ? '-gzip' : ''}"`;
  setHeaders(reply, successHeaders(context, request, kind, { etag }));
  if (etag !== null && has(request, kind, etag)) return reply.code(304).send();
  reply.header('content-type', type);
  context.memory.admit();
  if (takesGzip) return reply.header('content-encoding', 'gzip').send(gzipped);
  return reply.send(await context.memory.during(gzipped, unpacked(gzipped)));
}

/** Names and values in turn. */
export function setHeaders(reply: FastifyReply, pairs: readonly string[]): FastifyReply {
  for (let i = 0; i < pairs.length; i += 2) reply.header(pairs[i]!, pairs[i + 1]);
  return reply;
}

/** True if the client has the bytes already. */
function has({ headers }: FastifyRequest, kind: ResponseKind, etag: string): boolean {
  return kind === 'newest' || kind === 'listing'
    ? isUnchanged(headers, { etag, modifiedMs: null })
    : matchesTag(headers['if-none-match'], etag);
}
