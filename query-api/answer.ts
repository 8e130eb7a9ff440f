// Successful answers from a snapshot: the shared headers, ETag and 304, content encoding, and the lease on the snapshot's bytes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Encoding } from '../pipeline/view/compress.ts';
import type { EncodedBody } from '../pipeline/view/encodings.ts';
import type { View } from '../pipeline/view/plain.ts';
import type { Snapshot } from '../pipeline/view/snapshot.ts';
import type { ApiContext } from './context.ts';
import { freshSnapshot, shownAgeS } from './freshness.ts';
import { matchesTag } from './negotiation.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const AGENT_HINT = 'mention-only-if-relevant; never-interrupt; never-pressure';
export const EXPOSED_HEADERS =
  'Link, Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id, X-Service-Tier, X-Service-Data-Age, X-Service-Contribution, X-Service-Agent-Hint';
export const VARY = 'Accept-Encoding, Authorization, Origin';

/** Live data change with the next tick. */
const CACHE_LIVE = 'private, max-age=1';
/** Statistics need no key and are the same for everybody. */
export const CACHE_STATISTICS = 'public, max-age=2';
/** Smaller answers are not worth compressing. */
const COMPRESSED_BYTES_MIN = 2048;

// Handlers return nothing when they have answered: a returned reply makes fastify watch the response for its end, on every request.

/** The whole body of a view: bytes that exist already, plain or compressed. No work per request but headers. */
export function sendWhole(context: ApiContext, view: View, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
  const snapshot = freshSnapshot(context.view, context.clock());
  const encoding = context.negotiate(request.headers['accept-encoding']);
  if (encoding === null) {
    sendWholePlain(context, snapshot, view, request, reply);
    return;
  }
  const encoded = context.view.bodies.get(snapshot, view, encoding);
  const send = (body: EncodedBody): void => {
    const tag = `"${body.snapshot.id}-${view}-${encoding}"`;
    if (isUnchanged(context, request, reply, body.snapshot, tag, CACHE_LIVE)) return;
    reply.header('content-encoding', encoding).send(body.bytes);
  };
  if (encoded instanceof Promise) return encoded.then(send);
  send(encoded);
}

function sendWholePlain(context: ApiContext, snapshot: Snapshot, view: View, request: FastifyRequest, reply: FastifyReply): void {
  if (isUnchanged(context, request, reply, snapshot, `"${snapshot.id}-${view}"`, CACHE_LIVE)) return;
  // A later tick must not overwrite what a slow client still reads.
  snapshot.retain();
  onceSent(reply, () => snapshot.release());
  reply.send(snapshot.body(view));
}

/**
 * A body made for this request from a snapshot; larger ones are compressed. `make` is not called for a 304.
 * `variant` tells apart what `make` depends on beside path and snapshot, for the ETag.
 */
export function sendMade(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  made: {
    readonly snapshot: Snapshot;
    readonly make: () => string;
    readonly cacheControl?: string;
    readonly variant?: string;
    readonly contentType?: string;
  },
): void | Promise<void> {
  const { snapshot, make, cacheControl = CACHE_LIVE, variant = '', contentType } = made;
  const encoding = context.negotiate(request.headers['accept-encoding']);
  // One tag for plain and one per encoding: the path tells resources apart, the size of the answer is not known before it is made.
  const tag = `"${snapshot.id}${variant}${encoding === null ? '' : `-${encoding}`}"`;
  if (isUnchanged(context, request, reply, snapshot, tag, cacheControl)) return;
  const body = make();
  if (contentType !== undefined) reply.header('content-type', contentType);
  if (encoding !== null && body.length >= COMPRESSED_BYTES_MIN) return sendCompressed(context, encoding, Buffer.from(body), reply);
  reply.send(body);
}

/** What `sendBytes` sends: written into memory that is used again. */
export interface MadeBytes {
  readonly snapshot: Snapshot;
  bytesMax(): number;
  /** Writes the body from the start of the target; gives its length. */
  write(target: Buffer): number;
}

/** A larger body made for this request, as bytes. */
export function sendBytes(context: ApiContext, request: FastifyRequest, reply: FastifyReply, made: MadeBytes): void | Promise<void> {
  const { snapshot } = made;
  const encoding = context.negotiate(request.headers['accept-encoding']);
  const tag = `"${snapshot.id}${encoding === null ? '' : `-${encoding}`}"`;
  if (isUnchanged(context, request, reply, snapshot, tag, CACHE_LIVE)) return;
  const buffer = context.buffers.take(made.bytesMax());
  const body = buffer.subarray(0, made.write(buffer));
  if (encoding !== null && body.length >= COMPRESSED_BYTES_MIN)
    return sendCompressed(context, encoding, body, reply).finally(() => context.buffers.give(buffer));
  onceSent(reply, () => context.buffers.give(buffer));
  reply.send(body);
}

/** Calls back once, when nobody reads the answer's bytes any more. */
function onceSent({ raw }: FastifyReply, release: () => void): void {
  let held = true;
  const end = (): void => {
    if (held) release();
    held = false;
  };
  raw.once('finish', end).once('close', end);
}

async function sendCompressed({ view }: ApiContext, encoding: Encoding, body: Buffer, reply: FastifyReply): Promise<void> {
  const bytes = await view.compressors.get(encoding)!(body);
  reply.header('content-encoding', encoding).send(bytes);
}

/** Sets the headers of a success; answers 304 (true) when the client has these bytes. */
function isUnchanged(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  snapshot: Snapshot,
  tag: string,
  cacheControl: string,
): boolean {
  reply.headers({
    'content-type': JSON_TYPE,
    etag: tag,
    'cache-control': cacheControl,
    vary: VARY,
    link: context.link,
    'x-service-tier': request.caller.tier,
    'x-service-data-age': String(shownAgeS(snapshot, context.clock())),
    'x-service-contribution': 'optional',
    'x-service-agent-hint': AGENT_HINT,
  });
  if (!matchesTag(request.headers['if-none-match'], tag)) return false;
  reply.removeHeader('content-type');
  reply.code(304).send();
  return true;
}
