// The gRPC port: the record service over gRPC, gRPC-Web and Connect, server reflection and grpc.health.v1, on HTTP/2 connections that this project
// admits and watches.
import type { Http2ServerRequest, Http2ServerResponse, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Code } from '@connectrpc/connect';
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import type { ListenAddress } from '../../../pipeline/runtime/listening.ts';
import { LogLimiter, type WriteLine } from '../../../pipeline/runtime/log-limiter.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import type { CallerAccess } from '../../access/access.ts';
import { callHandler, withPlainMessage, writeResponse } from '../exchange.ts';
import { connectError } from '../failures.ts';
import { RecordCall, type RecordOptions, recordRouter } from '../records.ts';
import { CallCounts } from './call-counts.ts';
import { GrpcConnections } from './connections.ts';
import { Health } from './health.ts';
import { addReflection, reflectionPaths } from './reflection.ts';

export interface GrpcServerOptions extends ListenAddress, Pick<RecordOptions, 'model' | 'watch'> {
  readonly access: CallerAccess;
  /** Why the service is not ready, for grpc.health.v1; null when it is. */
  readonly whyNotReady: () => string | null;
  /** Maximum number of connections. */
  readonly connectionsMax?: number;
  readonly callsMax?: number;
  readonly log: WriteLine;
  /** Ms of a steady clock, for the limits of calls. */
  readonly nowMs?: () => number;
}

/** Most clients accept gzip and do not ask for it: responses are compressed for those that compress their requests. */
const COMPRESSED_IF_SENT_SO = { 'grpc-accept-encoding': null };
const GRPC_TYPE = /^application\/grpc(\+|;|$)/;
const OK = 200;

/** Serves at once; without live data calls get UNAVAILABLE. Errors: `listen.port_in_use`, `listen.failed`. */
export async function openGrpcServer(options: GrpcServerOptions) {
  const { model, watch, access, connectionsMax, callsMax, nowMs, log } = options;
  const lines = new LogLimiter(log);
  const onFault = (error: unknown): void => lines.line('error', { error: String((error as Error).stack ?? error) }, 'a gRPC call failed');
  const router = recordRouter({ model, watch, access, onFault }, true);
  const health = new Health(options.whyNotReady);
  health.addTo(router);
  addReflection(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  handlers.set(reflectionPaths.v1alpha, handlers.get(reflectionPaths.v1)!);
  const isUnary = ([, { method }]: [string, { method: { methodKind: string } }]): boolean => method.methodKind === 'unary';
  const paths = (kind: boolean): string[] => [...handlers].filter((entry) => isUnary(entry) === kind).map(([path]) => path);
  const calls = new CallCounts(paths(true), paths(false));

  const handle = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const stream = response.stream as ServerHttp2Stream;
    const path = request.url.split('?')[0]!;
    const startMs = performance.now();
    const call = new RecordCall(() => access.identify(stream.session?.socket.remoteAddress ?? '', request.headers), false);
    stream.once('close', () => calls.count(path, statusOf(stream, call), performance.now() - startMs));
    const handler = handlers.get(path);
    if (handler === undefined) {
      refuse(request, new SquitterError('api.not_found', { path }));
      return;
    }
    const nodeCall = { request, response, body: request };
    callHandler(handler, nodeCall, call, COMPRESSED_IF_SENT_SO)
      .then((responded) => writeResponse(responded, nodeCall))
      .catch((error) => {
        onFault(error);
        stream.destroy();
      });
  };
  const connections = new GrpcConnections({ connectionsMax, callsMax, nowMs, log, handle, refuse });
  const stop = (): void => {
    health.stop();
    watch.close();
    lines.flush();
  };
  let port: number;
  try {
    port = await connections.listen(options);
  } catch (error) {
    stop();
    throw error;
  }
  return {
    port,
    connections,
    calls,
    /** Stops listening; calls have a moment to finish, and streams end. */
    async close(): Promise<void> {
      stop();
      await connections.close();
    },
  };
}

/** Ends a call with an error and no message. Clients of Connect have the code from the status. */
function refuse({ headers, stream }: Http2ServerRequest, error: SquitterError): void {
  const known = connectError(error, ignore);
  const status = GRPC_TYPE.test(headers['content-type'] ?? '') ? OK : codeToHttpStatus(known.code);
  const header = withPlainMessage(setTrailerStatus(new Headers({ 'content-type': 'application/grpc+proto' }), known));
  stream.on('error', ignore);
  (stream as ServerHttp2Stream).respond({ ':status': status, ...Object.fromEntries(header) }, { endStream: true });
}

/** `grpc-status` of the response, or what is known of a response without it; null for a call that the client cancelled. */
function statusOf({ sentTrailers, sentHeaders }: ServerHttp2Stream, { code }: RecordCall): number | null {
  const headers: OutgoingHttpHeaders | undefined = sentHeaders;
  const status = (sentTrailers as OutgoingHttpHeaders | undefined)?.['grpc-status'] ?? headers?.['grpc-status'];
  if (status !== undefined) return Number(status);
  if (code !== null || headers === undefined) return code;
  return headers[':status'] === OK ? 0 : Code.InvalidArgument;
}

function ignore(): void {}
