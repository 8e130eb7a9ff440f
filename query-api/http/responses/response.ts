// Successful responses from a snapshot: the shared headers, ETag and 304, content encoding, and the lease on the snapshot's bytes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { View } from '../../../pipeline/aircraft/plain.ts';
import type { Encoding } from '../../../pipeline/view/compress.ts';
import type { EncodedBody } from '../../../pipeline/view/encodings.ts';
import type { Composed, Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { freshSnapshot, shownAgeS, shownAheadS } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { type HeaderPairs, type ResponseKind, successHeaders } from '../headers/headers.ts';
import { matchesTag } from '../headers/negotiation.ts';
import { JSON_TYPE } from './content.ts';
import type { ReadyResponse } from './ready-responses.ts';

// Responses bypass fastify's reply and use Node's response: with a dozen headers each, that saves half of the work of a small one.
// Handlers return nothing after sending a response: for a returned reply fastify waits for the end of the response, on every request.

/** The whole body of a view: existing bytes, plain or compressed. The only work per request is headers. */
export function sendWhole(context: ApiContext, view: View, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
  const current = freshSnapshot(context);
  const encoding = context.negotiate(request.headers['accept-encoding']);
  if (encoding === null) {
    const send = begin(context, request, reply, current, `"${current.id}-${view}"`);
    if (send === null) return;
    // A later tick must not overwrite bytes that a slow client still reads.
    current.retain();
    onceSent(reply, () => current.release());
    send(current.body(view));
    return;
  }
  const encoded = context.view.bodies.get(current, view, encoding);
  const sendEncoded = ({ snapshot, bytes }: EncodedBody): void =>
    begin(context, request, reply, snapshot, `"${snapshot.id}-${view}-${encoding}"`)?.(bytes, encoding);
  if (encoded instanceof Promise) return encoded.then(sendEncoded);
  sendEncoded(encoded);
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
  const send = begin(context, request, reply, snapshot, isWeak ? `W/${tag}` : tag, headers, kind);
  if (send === null) return;
  const body = make();
  if (body.length > limits.responseBytesFree) context.memory.admit();
  if (encoding !== null && body.length >= limits.compressedBytesMin)
    return compressed(context, encoding, Buffer.from(body)).then((bytes) => send(bytes, encoding, contentType));
  send(body, null, contentType);
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
  const send = begin(context, request, reply, snapshot, snapshotTag(snapshot, encoding), headers);
  if (send === null) return;
  if (length !== 'small') context.memory.admit(length === 'long');
  const startMs = performance.now();
  const made = compose();
  context.listTurns.spend(performance.now() - startMs, made instanceof Promise ? 0 : made.bytes.length);
  const key = readyKey(request, encoding);
  const isPlain = (bytes: Buffer): boolean => encoding === null || bytes.length < limits.compressedBytesMin;
  const encode = async (bytes: Buffer): Promise<ReadyResponse> =>
    isPlain(bytes)
      ? { body: bytes, encoding: null, contentType }
      : { body: await compressed(context, encoding!, bytes), encoding, contentType };
  const later = (making: Promise<ReadyResponse>): Promise<void> => {
    context.ready.share(snapshot, key, making);
    return making.then((ready) => send(ready.body, ready.encoding, contentType));
  };
  if (made instanceof Promise) return later(made.then(encode));
  const { bytes, release } = made;
  if (!isPlain(bytes)) return later(encode(bytes).finally(release));
  context.ready.offer(snapshot, key, () => ({ body: Buffer.from(bytes), encoding: null, contentType }));
  onceSent(reply, release);
  send(bytes, null, contentType);
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
  begin(context, request, reply, snapshot, tag, headers)?.(body, encoding, contentType);
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

function compressed({ view, memory }: ApiContext, encoding: Encoding, body: Buffer): Promise<Buffer> {
  return memory.during(body, view.compressors.get(encoding)!(body));
}

type SendBody = (body: Buffer | string, encoding?: Encoding | null, contentType?: string) => void;

/** Begins a successful response with its headers. Sends 304 when the client already has these bytes, and returns null; otherwise the body is to be sent. */
function begin(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  snapshot: Snapshot,
  etag: string,
  more: HeaderPairs = [],
  kind: ResponseKind = 'live',
): SendBody | null {
  const clockMs = context.clock();
  const ageS = shownAgeS(snapshot, clockMs, context.steadyMs());
  const headers = successHeaders(context, request, kind, { etag, ageS, aheadS: shownAheadS(snapshot, clockMs), more });
  if (request.method !== 'POST' && matchesTag(request.headers['if-none-match'], etag)) {
    reply.hijack();
    reply.raw.writeHead(304, headers);
    reply.raw.end();
    return null;
  }
  return (body, encoding = null, contentType = JSON_TYPE) => {
    // Bodies are ASCII or bytes, except those with names of reference data.
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    headers.push('content-type', contentType, 'content-length', String(bytes));
    if (encoding !== null) headers.push('content-encoding', encoding);
    const isHead = request.method === 'HEAD';
    request.bodyBytes = isHead ? 0 : bytes;
    reply.hijack();
    reply.raw.writeHead(200, headers);
    context.memory.end(reply.raw, isHead ? '' : body);
  };
}
