// The record service over Connect and gRPC-Web, as a protocol of the HTTP port.
import { limits } from '../../../schemas/limits.ts';
import { AircraftService } from '../../../schemas/proto/v1/aircraft_pb.ts';
import type { Exchange, Protocol } from '../../protocol.ts';
import type { Freshness } from '../../queries/freshness.ts';
import { LibraryCalls, type LibraryOptions } from './library.ts';
import { unaryMethods } from './methods.ts';
import { refuseUnary, takeUnary } from './unary.ts';

/** Content types of everything but unary Connect. */
const FRAMED = /^application\/(?:grpc-web|connect\+)/i;
const UNSUPPORTED = 415;

export function connectProtocol(model: Freshness, options: LibraryOptions): Protocol {
  const methods = unaryMethods(model);
  const byPath = new Map(methods.map((method) => [method.path, method]));
  const library = new LibraryCalls(methods, options);
  const watchPath = `/${AircraftService.typeName}/${AircraftService.method.watchAircraft.name}`;
  return {
    routes: [...methods.map(({ path }) => ({ path, methods: ['GET', 'POST'] as const })), { path: watchPath, methods: ['POST'] }],
    bodyBytesMax: limits.recordRequestBytesMax,
    exposedHeaders: ['Grpc-Status', 'Grpc-Message', 'Grpc-Status-Details-Bin', 'Grpc-Encoding', 'Connect-Content-Encoding'],
    take(exchange) {
      const unary = byPath.get(exchange.path);
      if (unary === undefined || isFramed(exchange)) return library.take(exchange);
      return takeUnary(unary, exchange);
    },
    async refuse(error, exchange) {
      if (error.code === 'api.unsupported_media_type') refuseUnary(error, exchange, UNSUPPORTED);
      else if (isFramed(exchange)) await library.take(exchange, error);
      else refuseUnary(error, exchange);
    },
    stop: () => library.stop(),
  };
}

function isFramed({ request: { method, headers } }: Pick<Exchange, 'request'>): boolean {
  return method === 'POST' && FRAMED.test(headers['content-type'] ?? '');
}
