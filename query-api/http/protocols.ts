// Mounts further protocols, as a plugin of fastify each: their requests pass the hooks of every route, and their responses bypass it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Exchange, Protocol } from '../protocol.ts';
import type { ResponseMemory } from './connections/response-memory.ts';
import type { ApiContext } from './context.ts';
import { toKnown } from './errors/error-responses.ts';
import { problem } from './errors/problems.ts';
import { commonHeaders } from './headers/headers.ts';
import { sendMade } from './responses/response.ts';

const NO_BODY = Buffer.alloc(0);

/** Its requests have a whole body, of any type, and the hooks of every route. */
export function mountProtocol(app: FastifyInstance, context: ApiContext, protocol: Protocol): void {
  const { routes, bodyBytesMax } = protocol;
  const exchangeOf = (request: FastifyRequest, reply: FastifyReply) => mounted(protocol, context, request, reply);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const { path, methods, cost } of routes)
      scope.route({
        method: [...methods],
        url: path,
        bodyLimit: bodyBytesMax,
        schema: { hide: true, cost },
        // Before the body is read.
        onRequest: async (request, reply) => protocol.admit?.(exchangeOf(request, reply)),
        handler: (request, reply) => run(exchangeOf(request, reply), protocol, context),
        errorHandler: (error, request, reply) => refuse(ofBody(error, request, bodyBytesMax), exchangeOf(request, reply), protocol),
      });
  });
  app.addHook('preClose', (done) => {
    protocol.stop?.();
    done();
  });
}

/** An error of fastify's about a body as one of ours. */
function ofBody(error: unknown, { headers }: FastifyRequest, bodyBytesMax: number): unknown {
  const { statusCode } = error as { readonly statusCode?: number };
  if (statusCode === 413) return new SquitterError('api.body_too_large', { limit: bodyBytesMax });
  return statusCode === 415 ? new SquitterError('api.unsupported_media_type', { type: headers['content-type'] ?? 'none' }) : error;
}

/** The end of fastify's part. */
function run(exchange: MountedExchange, protocol: Protocol, { memory }: ApiContext): void {
  exchange.reply.hijack();
  try {
    // Responses that are not read may fill the memory of all.
    memory.admit();
    const done = protocol.handle(exchange);
    if (done instanceof Promise) done.catch((error) => refuse(error, exchange, protocol));
  } catch (error) {
    refuse(error, exchange, protocol);
  }
}

function refuse(error: unknown, exchange: MountedExchange, protocol: Protocol): void {
  exchange.reply.hijack();
  const known = exchange.known(error);
  const { request, response, path, id } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (Number(request.headers['content-length']) > limits.bodyDiscardedBytesMax) response.setHeader('connection', 'close');
  if (protocol.refuse === undefined) {
    const { status, headers, body } = problem(known, path, id);
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  } else void Promise.resolve(protocol.refuse(known, exchange)).catch(() => response.destroy());
  discardBody(request);
}

/** Reads the rest of a body: a connection that is closed with unread bytes is reset, and the client may never see the response. */
function discardBody(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > limits.bodyDiscardedBytesMax) request.destroy();
  });
}

interface MountedExchange extends Exchange {
  readonly reply: FastifyReply;
  /** Logs internal errors. */
  known(error: unknown): SquitterError;
}

function mounted({ exposedHeaders }: Protocol, context: ApiContext, request: FastifyRequest, reply: FastifyReply): MountedExchange {
  let isPrepared = false;
  const { id, caller, body, raw } = request;
  return {
    ...{ reply, id, caller, request: raw, path: request.routeOptions.url!, body: Buffer.isBuffer(body) ? body : NO_BODY },
    get response() {
      const { raw: response } = reply;
      // `send` has its own headers and counts.
      if (isPrepared) return response;
      isPrepared = true;
      if (!response.headersSent)
        for (const [name, value] of Object.entries(commonHeaders(id, exposedHeaders))) response.setHeader(name, value);
      countBody(request, response, context.memory);
      return response;
    },
    send: (made) => sendMade(context, request, reply, made.snapshot, made),
    known(error) {
      const known = toKnown(error, request);
      if (known.code === 'api.internal') request.log.error({ err: error, requestId: id }, 'a request failed');
      return known;
    },
  };
}

/** Counts the bytes of the response's body for the metrics, and the last ones for the memory of responses. */
function countBody(request: FastifyRequest, response: ServerResponse, memory: ResponseMemory): void {
  const { write, end } = response;
  const count = (piece: unknown): void => {
    if (typeof piece === 'string') request.bodyBytes += Buffer.byteLength(piece);
    else if (piece instanceof Uint8Array) request.bodyBytes += piece.byteLength;
  };
  response.write = (...given: unknown[]): boolean => {
    count(given[0]);
    return Reflect.apply(write, response, given);
  };
  response.end = (...given: unknown[]): ServerResponse => {
    const [body] = given;
    count(body);
    if (typeof body === 'string' || Buffer.isBuffer(body)) memory.made(response, body);
    return Reflect.apply(end, response, given);
  };
}
