// Successful responses from a snapshot: the shared headers, ETag and 304, content encoding, and the lease on the snapshot's bytes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Encoding } from '../../pipeline/view/compress.ts';
import type { EncodedBody } from '../../pipeline/view/encodings.ts';
import type { View } from '../../pipeline/view/plain.ts';
import type { Composed, Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits.ts';
import { freshSnapshot, shownAgeS, shownAheadS } from '../queries/freshness.ts';
import { COMPRESSED_BYTES_MIN, JSON_TYPE } from './content.ts';
import type { ApiContext } from './context.ts';
import { type HeaderPairs, type ResponseKind, successHeaders } from './headers.ts';
import { matchesTag } from './negotiation.ts';
import type { ReadyResponse } from './ready-responses.ts';

// Responses bypass fastify's reply and use Node's response: with a dozen headers each, that saves half of the work of a small one.
// Handlers return nothing after sending a response: for a returned reply fastify waits for the end of the response, on every request.

/** The whole body of a view: existing bytes, plain or compressed. The only work per request is headers. */
export function sendWhole(context: ApiContext, view: View, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
  const snapshot = freshSnapshot(context);
  const encoding = context.negotiate(request.headers['accept-encoding']);
  if (encoding === null) {
    sendWholePlain(context, snapshot, view, request, reply);
    return;
  }
  const encoded = context.view.bodies.get(snapshot, view, encoding);
  const send = (body: EncodedBody): void => {
    const response = new SnapshotResponse(context, request, reply, body.snapshot, `"${body.snapshot.id}-${view}-${encoding}"`);
    if (!response.isUnchanged()) response.send(body.bytes, { encoding });
  };
  if (encoded instanceof Promise) return encoded.then(send);
  send(encoded);
}

function sendWholePlain(context: ApiContext, snapshot: Snapshot, view: View, request: FastifyRequest, reply: FastifyReply): void {
  const response = new SnapshotResponse(context, request, reply, snapshot, `"${snapshot.id}-${view}"`);
  if (response.isUnchanged()) return;
  // A later tick must not overwrite bytes that a slow client still reads.
  snapshot.retain();
  onceSent(reply, () => snapshot.release());
  response.send(snapshot.body(view));
}

/** Input of `sendMade`. */
export interface MadeText {
  /** Longer cached bodies are bytes: a string is converted at each response. */
  readonly make: () => string | Buffer;
  readonly kind?: 'live' | 'statistics';
  readonly isWeak?: boolean;
  /** Input of `make` besides path and snapshot, for the ETag. */
  readonly variant?: string;
  readonly contentType?: string;
  /** Headers of this response alone. */
  readonly headers?: HeaderPairs;
}

/** A body built for this request from a snapshot; larger ones are compressed. `make` is not called for a 304. */
export function sendMade(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  snapshot: Snapshot,
  made: MadeText,
): void | Promise<void> {
  const { make, kind = 'live', isWeak = false, variant = '', contentType, headers } = made;
  const encoding = context.negotiate(request.headers['accept-encoding']);
  const tag = snapshotTag(snapshot, encoding, variant);
  const response = new SnapshotResponse(context, request, reply, snapshot, isWeak ? `W/${tag}` : tag, headers, kind);
  if (response.isUnchanged()) return;
  const body = make();
  if (body.length > limits.responseBytesFree) context.memory.admit();
  if (encoding !== null && body.length >= COMPRESSED_BYTES_MIN)
    return sendCompressed(context, response, encoding, Buffer.from(body), contentType);
  response.send(body, { contentType });
}

/** Input of `sendShared`. */
export interface SharedResponse {
  readonly snapshot: Snapshot;
  readonly length: ListLength;
  /** A promise resolves with bytes that are not shared. */
  readonly compose: () => Composed | Promise<Buffer>;
  readonly contentType?: string;
  /** Headers of this response alone. */
  readonly headers: HeaderPairs;
}

/** Small lists are never refused; long ones wait for their turn, and are refused first when memory is short. */
export type ListLength = 'small' | 'short' | 'long';

/** A larger body built for this request, and for all equal ones of this tick. `compose` is not called for a 304. */
export function sendShared(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  shared: SharedResponse,
): void | Promise<void> {
  const { snapshot, length, compose, contentType, headers } = shared;
  const encoding = context.negotiate(request.headers['accept-encoding']);
  const response = new SnapshotResponse(context, request, reply, snapshot, snapshotTag(snapshot, encoding), headers);
  if (response.isUnchanged()) return;
  if (length !== 'small') context.memory.admit(length === 'long');
  const startMs = performance.now();
  const made = compose();
  context.listTurns.spend(performance.now() - startMs, made instanceof Promise ? 0 : made.bytes.length);
  const key = readyKey(request, encoding);
  const isPlain = (bytes: Buffer): boolean => encoding === null || bytes.length < COMPRESSED_BYTES_MIN;
  const encode = async (bytes: Buffer): Promise<ReadyResponse> =>
    isPlain(bytes)
      ? { body: bytes, encoding: null, contentType }
      : { body: await context.memory.during(bytes, context.view.compressors.get(encoding!)!(bytes)), encoding, contentType };
  const later = (making: Promise<ReadyResponse>): Promise<void> => {
    context.ready.share(snapshot, key, making);
    return making.then((ready) => response.send(ready.body, { encoding: ready.encoding ?? undefined, contentType }));
  };
  if (made instanceof Promise) return later(made.then(encode));
  const { bytes, release } = made;
  if (!isPlain(bytes)) return later(encode(bytes).finally(release));
  context.ready.offer(snapshot, key, () => ({ body: Buffer.from(bytes), encoding: null, contentType }));
  onceSent(reply, release);
  response.send(bytes, { contentType });
}

/** The response for an equal request of this tick, ready or in progress; undefined without one. */
export function readyResponse(
  context: ApiContext,
  request: FastifyRequest,
  snapshot: Snapshot,
): ReadyResponse | Promise<ReadyResponse> | undefined {
  return context.ready.find(snapshot, readyKey(request, context.negotiate(request.headers['accept-encoding'])));
}

export function sendReady(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  snapshot: Snapshot,
  ready: ReadyResponse | Promise<ReadyResponse>,
  headers: HeaderPairs,
): void | Promise<void> {
  if (ready instanceof Promise) return ready.then((response) => sendReady(context, request, reply, snapshot, response, headers));
  const { body, encoding, contentType } = ready;
  const tag = snapshotTag(snapshot, context.negotiate(request.headers['accept-encoding']));
  const response = new SnapshotResponse(context, request, reply, snapshot, tag, headers);
  if (!response.isUnchanged()) response.send(body, { encoding: encoding ?? undefined, contentType });
}

function readyKey({ url }: FastifyRequest, encoding: Encoding | null): string {
  return encoding === null ? url : `${encoding} ${url}`;
}

/** One tag for plain and one per encoding: the path distinguishes resources, and the size of the response is not known in advance. */
function snapshotTag({ id }: Snapshot, encoding: Encoding | null, variant = ''): string {
  return encoding === null ? `"${id}${variant}"` : `"${id}${variant}-${encoding}"`;
}

/** Calls back once, when the response's bytes are no longer read. */
function onceSent({ raw }: FastifyReply, release: () => void): void {
  let held = true;
  const end = (): void => {
    if (held) release();
    held = false;
  };
  raw.once('finish', end).once('close', end);
}

async function sendCompressed(
  context: ApiContext,
  response: SnapshotResponse,
  encoding: Encoding,
  body: Buffer,
  contentType?: string,
): Promise<void> {
  const { view, memory } = context;
  response.send(await memory.during(body, view.compressors.get(encoding)!(body)), { encoding, contentType });
}

/** One successful response: its headers, then 304 or a body. */
class SnapshotResponse {
  private readonly context: ApiContext;
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private readonly tag: string;
  /** Names and values in turn, as Node takes them. */
  private readonly headers: string[];

  constructor(
    context: ApiContext,
    request: FastifyRequest,
    reply: FastifyReply,
    snapshot: Snapshot,
    tag: string,
    more: HeaderPairs = [],
    kind: ResponseKind = 'live',
  ) {
    this.context = context;
    this.request = request;
    this.reply = reply;
    this.tag = tag;
    const clockMs = context.clock();
    const ageS = shownAgeS(snapshot, clockMs, context.steadyMs());
    this.headers = successHeaders(context, request, kind, { etag: tag, ageS, aheadS: shownAheadS(snapshot, clockMs), more });
  }

  /** Sends 304 (true) when the client already has these bytes. */
  isUnchanged(): boolean {
    if (this.request.method === 'POST' || !matchesTag(this.request.headers['if-none-match'], this.tag)) return false;
    this.reply.hijack();
    this.reply.raw.writeHead(304, this.headers);
    this.reply.raw.end();
    return true;
  }

  send(body: Buffer | string, more: { encoding?: Encoding | undefined; contentType?: string | undefined } = {}): void {
    const { headers, request, reply } = this;
    // Bodies are ASCII or bytes, except those with names of reference data.
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    headers.push('content-type', more.contentType ?? JSON_TYPE, 'content-length', String(bytes));
    if (more.encoding !== undefined) headers.push('content-encoding', more.encoding);
    const isHead = request.method === 'HEAD';
    request.bodyBytes = isHead ? 0 : bytes;
    reply.hijack();
    reply.raw.writeHead(200, headers);
    this.context.memory.end(reply.raw, isHead ? '' : body);
  }
}
