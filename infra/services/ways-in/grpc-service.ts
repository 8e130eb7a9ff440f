// The record service over gRPC, in every profile: the server over a read model, and its metrics.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import { type Endpoint, endpoint } from '../../../pipeline/runtime/options.ts';
import type { Readiness } from '../../../pipeline/runtime/readiness.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import { whyNotReady } from '../../../query-api/queries/why-not-ready.ts';
import { openGrpcServer } from '../../../query-api/rpc/grpc/server.ts';
import type { AircraftWatch } from '../../../query-api/rpc/watch/aircraft-watch.ts';
import type { Closer } from '../closing.ts';

export interface GrpcServiceOptions {
  readonly address: Endpoint;
  readonly connectionsMax: number;
  readonly readiness: Readiness;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly access: CallerAccess;
  /** Shared with other protocols, and closed before them. */
  readonly watch: AircraftWatch;
}

/** Serves at once, and returns the listening address. Its closer is added at the front. Errors: `listen.port_in_use`, `listen.failed`. */
export async function startGrpc(model: ReadModel, options: GrpcServiceOptions, closers: Closer[]): Promise<Endpoint> {
  const { address, watch, connectionsMax, readiness, registry, logger, access } = options;
  const server = await openGrpcServer({
    ...{ model, access, watch, connectionsMax, host: address.host, port: address.port, flag: '--grpc' },
    whyNotReady: () => whyNotReady(model, readiness)?.message ?? null,
    log: (level, fields, message) => logger[level](fields, message),
  });
  closers.unshift(() => server.close());
  const { connections, calls } = server;
  const duration = 'squitter_grpc_call_duration_seconds';
  exportMetrics(registry, {
    squitter_grpc_calls_total: () => calls.callRows(),
    [duration]: () => calls.durationSamples(duration),
    squitter_grpc_connections: () => connections.open,
    squitter_grpc_connections_max: () => connections.connectionsMax,
    squitter_grpc_calls: () => connections.calls,
    squitter_grpc_calls_max: () => connections.callsMax,
    squitter_grpc_queued_bytes: () => connections.queuedBytes(),
    squitter_grpc_refused_total: () => Object.entries({ ...connections.refused, calls: connections.callsRefused }),
    squitter_grpc_ended_total: () => Object.entries(connections.ended),
  });
  return endpoint(address.host, server.port);
}
