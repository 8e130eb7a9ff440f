// The record service over Connect and gRPC-Web, as a protocol of the HTTP port. Unary calls of Connect have the headers, ETag and compression of REST.
import { createAsyncIterable, encodeEnvelope, type UniversalHandler } from '@connectrpc/connect/protocol';
import { codeToHttpStatus, contentTypeUnaryJson, errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { AircraftService } from '../../schemas/proto/v1/aircraft_pb.ts';
import type { Exchange, Protocol } from '../protocol.ts';
import { callHandler, writeResponse } from './exchange.ts';
import { connectError } from './failures.ts';
import { RecordCall, type RecordOptions, recordRouter } from './records.ts';

/** Content types of everything but unary Connect. */
const FRAMED = /^application\/(?:grpc-web|connect\+)/i;
const UNSUPPORTED = 415;
const INTERNAL = 500;
const EMPTY_JSON = encodeEnvelope(0, Buffer.from('{}'));
const EMPTY = encodeEnvelope(0, new Uint8Array());
/** The body of a refused request is another one. */
const NO_ENCODING = { 'grpc-encoding': null, 'connect-content-encoding': null };
/** The response is compressed as REST's. */
const NOT_COMPRESSED = { 'accept-encoding': 'identity' };

export function recordProtocol(options: RecordOptions): Protocol {
  const handlers = new Map(recordRouter(options, false).handlers.map((handler) => [handler.requestPath, handler]));
  const watchPath = `/${AircraftService.typeName}/${AircraftService.method.watchAircraft.name}`;
  const stats = `/${AircraftService.typeName}/${AircraftService.method.networkStats.name}`;
  return {
    routes: [...handlers.values()].map(({ requestPath, allowedMethods }) => ({
      path: requestPath,
      methods: allowedMethods as ('GET' | 'POST')[],
      // A stream does not count as a request: the number of a caller's streams is limited instead.
      cost: requestPath === watchPath ? ('bytes' as const) : ('turn' as const),
    })),
    bodyBytesMax: limits.recordRequestBytesMax,
    exposedHeaders: ['Grpc-Status', 'Grpc-Message', 'Grpc-Status-Details-Bin', 'Grpc-Encoding', 'Connect-Content-Encoding'],
    async handle(exchange) {
      const { request, response, path, body } = exchange;
      const handler = handlers.get(path)!;
      const call = new RecordCall(() => exchange.caller, true);
      const nodeCall = { request, response, body: createAsyncIterable([body]) };
      const isUnary = !isFramed(exchange);
      const responded = await callHandler(handler, nodeCall, call, isUnary ? NOT_COMPRESSED : {});
      if (responded.status === UNSUPPORTED) throw new SquitterError('api.unsupported_media_type', { type: typeOf(exchange) });
      if (!isUnary) return writeResponse(responded, nodeCall);
      if (!call.isRead && responded.status === INTERNAL)
        throw new SquitterError('api.bad_request', { detail: 'the message cannot be read' });
      const { snapshot, code } = call;
      if (code !== null || snapshot === null) {
        responded.header!.set('cache-control', 'no-store');
        return writeResponse(responded, nodeCall);
      }
      const bytes = await bytesOf(responded.body!);
      return exchange.send({
        snapshot,
        make: () => bytes,
        contentType: responded.header!.get('content-type')!,
        // Two responses of a snapshot differ in the time of the response.
        isWeak: path === stats,
      });
    },
    async refuse(error, exchange) {
      if (error.code === 'api.unsupported_media_type') refuseUnary(error, exchange, UNSUPPORTED);
      else if (isFramed(exchange)) await refuseFramed(handlers.get(exchange.path)!, error, exchange);
      else refuseUnary(error, exchange);
    },
    stop: () => options.watch.close(),
  };
}

type Refused = Pick<Exchange, 'request' | 'response'>;

/** The handler responds, as to a message without values. */
async function refuseFramed(handler: UniversalHandler, error: SquitterError, { request, response }: Refused): Promise<void> {
  const call = new RecordCall(() => {
    throw error;
  }, true);
  const isJson = /\bjson\b/i.test(request.headers['content-type']!);
  const nodeCall = { request, response, body: createAsyncIterable([isJson ? EMPTY_JSON : EMPTY]) };
  await writeResponse(await callHandler(handler, nodeCall, call, NO_ENCODING), nodeCall);
}

function refuseUnary(error: SquitterError, { response }: Refused, status?: number): void {
  // It is logged already.
  const known = connectError(error, () => {});
  const body = errorToJsonBytes(known, undefined);
  for (const [name, value] of known.metadata) response.setHeader(name, value);
  response
    .setHeader('content-type', contentTypeUnaryJson)
    .setHeader('cache-control', 'no-store')
    .setHeader('content-length', body.length)
    .writeHead(status ?? codeToHttpStatus(known.code))
    .end(body);
}

function isFramed({ request: { method, headers } }: Pick<Exchange, 'request'>): boolean {
  return method === 'POST' && FRAMED.test(headers['content-type'] ?? '');
}

function typeOf({ request: { method, headers, url } }: Exchange): string {
  return method === 'POST' ? (headers['content-type'] ?? 'none') : url!.replace(/^[^?]*\??/, '');
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
