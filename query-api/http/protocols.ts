// Mounts further protocols: their requests pass the hooks of every route, and then bypass fastify with their whole body.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import type { Caller } from '../access/caller.ts';
import type { Exchange, Protocol, SnapshotBody } from '../protocol.ts';
import type { ResponseMemory } from './connections/response-memory.ts';
import type { ApiContext } from './context.ts';
import { toKnown } from './error-responses.ts';
import { commonHeaders } from './headers.ts';
import { problem } from './problems.ts';
import { sendMade } from './response.ts';

const NO_BODY = Buffer.alloc(0);

/** Call before the request hooks are added, as for other routes. */
export function mountProtocol(app: FastifyInstance, context: ApiContext, protocol: Protocol): void {
  const mounted = new Mounted(protocol, context);
  for (const { path, methods, cost } of protocol.routes)
    app.route({
      method: [...methods],
      url: path,
      schema: { hide: true, cost },
      // The last of these hooks, and the end of fastify's part: it reads no body.
      onRequest: (request, reply) => mounted.take(request, reply),
      errorHandler: (error, request, reply) => mounted.fail(error, request, reply),
      handler: () => {},
    });
  app.addHook('preClose', (done) => {
    protocol.stop?.();
    done();
  });
}

class Mounted {
  readonly context: ApiContext;
  readonly protocol: Protocol;

  constructor(protocol: Protocol, context: ApiContext) {
    this.protocol = protocol;
    this.context = context;
  }

  take(request: FastifyRequest, reply: FastifyReply): void {
    const exchange = new MountedExchange(this, request, reply.hijack());
    try {
      this.protocol.admit?.(exchange);
    } catch (error) {
      this.refuse(error, exchange);
      return;
    }
    if (request.raw.method === 'POST') this.readBody(exchange);
    else this.run(exchange);
  }

  /** The error of an earlier hook. */
  fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    this.refuse(error, new MountedExchange(this, request, reply.hijack()));
  }

  /** Nothing follows if the client goes away. */
  private readBody(exchange: MountedExchange): void {
    const { request } = exchange;
    const { bodyBytesMax } = this.protocol;
    const pieces: Buffer[] = [];
    let bytes = 0;
    const refuse = (): void => {
      request.removeAllListeners('data').removeAllListeners('end');
      this.refuse(new SquitterError('api.body_too_large', { limit: bodyBytesMax }), exchange);
    };
    if (Number(request.headers['content-length']) > bodyBytesMax) {
      refuse();
      return;
    }
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > bodyBytesMax) refuse();
      else pieces.push(piece);
    });
    request.on('end', () => {
      exchange.body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes);
      this.run(exchange);
    });
    request.on('error', ignore);
  }

  private run(exchange: MountedExchange): void {
    try {
      // Responses that are not read may fill the memory of all.
      this.context.memory.admit();
      const done = this.protocol.take(exchange);
      if (done instanceof Promise) done.catch((error) => this.refuse(error, exchange));
    } catch (error) {
      this.refuse(error, exchange);
    }
  }

  private refuse(error: unknown, exchange: MountedExchange): void {
    const known = exchange.known(error);
    const { request, response, path, id } = exchange;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (Number(request.headers['content-length']) > limits.bodyDiscardedBytesMax) response.setHeader('connection', 'close');
    if (this.protocol.refuse === undefined) {
      const { status, headers, body } = problem(known, path, id);
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    } else void Promise.resolve(this.protocol.refuse(known, exchange)).catch(() => response.destroy());
    discardBody(request);
  }
}

/** Reads the rest of a body: a connection that is closed with unread bytes is reset, and the client may never see the response. */
function discardBody(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > limits.bodyDiscardedBytesMax) request.destroy();
  });
}

class MountedExchange implements Exchange {
  body: Buffer = NO_BODY;
  private readonly mounted: Mounted;
  private readonly fastifyRequest: FastifyRequest;
  private readonly reply: FastifyReply;
  private isPrepared = false;

  constructor(mounted: Mounted, request: FastifyRequest, reply: FastifyReply) {
    this.mounted = mounted;
    this.fastifyRequest = request;
    this.reply = reply;
  }

  get request(): IncomingMessage {
    return this.fastifyRequest.raw;
  }

  get path(): string {
    return this.fastifyRequest.routeOptions.url!;
  }

  get caller(): Caller {
    return this.fastifyRequest.caller;
  }

  get id(): string {
    return this.fastifyRequest.id;
  }

  get response(): ServerResponse {
    const { raw: response } = this.reply;
    // `send` has its own headers and counts.
    if (!this.isPrepared) {
      this.isPrepared = true;
      const { protocol, context } = this.mounted;
      if (!response.headersSent) {
        for (const [name, value] of Object.entries(commonHeaders(this.id, protocol.exposedHeaders))) response.setHeader(name, value);
      }
      countBody(this.fastifyRequest, response, context.memory);
    }
    return response;
  }

  send(body: SnapshotBody): void | Promise<void> {
    return sendMade(this.mounted.context, this.fastifyRequest, this.reply, body.snapshot, body);
  }

  /** Logs internal errors. */
  known(error: unknown): SquitterError {
    const known = toKnown(error, this.fastifyRequest);
    if (known.code === 'api.internal') this.fastifyRequest.log.error({ err: error, requestId: this.id }, 'a request failed');
    return known;
  }
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

function ignore(): void {}
