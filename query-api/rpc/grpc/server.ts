// The gRPC port: v1.AircraftService, server reflection and grpc.health.v1 over HTTP/2. The library speaks gRPC on the connections that this
// project admits and watches.
import type { EventEmitter } from 'node:events';
import { logVerbosity, Server, setLogVerbosity } from '@grpc/grpc-js';
import type { ListenAddress } from '../../../pipeline/runtime/listening.ts';
import { LogLimiter, type WriteLine } from '../../../pipeline/runtime/log-limiter.ts';
import { limits } from '../../../schemas/limits.ts';
import type { IdentifyCaller } from '../../access/caller.ts';
import type { ReadModel } from '../../queries/read-model.ts';
import type { AircraftWatch } from '../watch/aircraft-watch.ts';
import { CallCounts } from './call-counts.ts';
import { GrpcConnections } from './connections.ts';
import { Health, healthPaths, healthWatchPath } from './health.ts';
import { holdReflection, reflectionPaths, reflectionService } from './reflection.ts';
import { addAircraftService, unaryPaths, watchPath } from './service.ts';

export interface GrpcServerOptions extends ListenAddress {
  readonly model: ReadModel;
  readonly identify: IdentifyCaller;
  /** Why the service is not ready, for grpc.health.v1; null when it is. */
  readonly whyNotReady: () => string | null;
  /** Closed with the server. */
  readonly watch: AircraftWatch;
  /** Maximum number of connections. */
  readonly connectionsMax?: number;
  readonly callsMax?: number;
  readonly log: WriteLine;
  /** Ms of a steady clock, for the limits of calls. */
  readonly nowMs?: () => number;
}

export interface GrpcServer {
  readonly port: number;
  readonly connections: GrpcConnections;
  readonly calls: CallCounts;
  /** Stops listening; calls have a moment to finish. */
  close(): Promise<void>;
}

/** The library has no public way to use an HTTP/2 server of its user. Its version is pinned; without this member the start fails. */
interface LibraryInternals {
  _setupHandlers(http2Server: EventEmitter & { address(): null }, interceptors: []): void;
}

const LIBRARY_OPTIONS = {
  'grpc.enable_channelz': 0,
  'grpc.max_receive_message_length': limits.recordRequestBytesMax,
  'grpc.max_send_message_length': -1,
  // Ends connections whose client is gone, or does not read.
  'grpc.keepalive_time_ms': limits.grpcPingMs,
  'grpc.keepalive_timeout_ms': limits.grpcPingResponseMsMax,
  interceptors: [holdReflection],
};

/** Serves at once; without live data calls get UNAVAILABLE. Errors: `listen.port_in_use`, `listen.failed`. */
export async function openGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  // It would write to standard error whatever a client sends wrong.
  setLogVerbosity(logVerbosity.NONE);
  const lines = new LogLimiter(options.log);
  const onFault = (error: unknown): void => lines.line('error', { error: String((error as Error).stack ?? error) }, 'a gRPC call failed');
  const calls = new CallCounts([...unaryPaths, ...healthPaths], [watchPath, healthWatchPath, ...reflectionPaths]);
  const connections = new GrpcConnections({
    ...(options.connectionsMax === undefined ? {} : { connectionsMax: options.connectionsMax }),
    ...(options.callsMax === undefined ? {} : { callsMax: options.callsMax }),
    ...(options.nowMs === undefined ? {} : { nowMs: options.nowMs }),
    log: options.log,
    onEnd: (path, status, durationMs) => calls.count(path, status, durationMs),
    onFault,
  });
  const server = new Server(LIBRARY_OPTIONS);
  const { watch } = options;
  const health = new Health(options.whyNotReady);
  addAircraftService(server, { model: options.model, identify: options.identify, watch, onFault });
  health.service.addToServer(server);
  reflectionService().addToServer(server);
  (server as unknown as LibraryInternals)._setupHandlers(Object.assign(connections.admitted, { address: () => null }), []);
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
    async close() {
      stop();
      await connections.close();
    },
  };
}
