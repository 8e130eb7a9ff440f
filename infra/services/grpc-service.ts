// The record service over gRPC, in every profile: the server over a read model, and its metrics.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { registerSamples } from '../../pipeline/runtime/durations.ts';
import { Metrics } from '../../pipeline/runtime/metrics.ts';
import { type Endpoint, endpoint } from '../../pipeline/runtime/options.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { CallerAccess } from '../../query-api/access/access.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { whyNotReady } from '../../query-api/queries/why-not-ready.ts';
import { type GrpcServer, openGrpcServer } from '../../query-api/rpc/grpc/server.ts';
import type { AircraftWatch } from '../../query-api/rpc/watch/aircraft-watch.ts';
import type { Closer } from './closing.ts';

/** What an operator sets. */
export interface GrpcSettings {
  readonly address: Endpoint;
}

export interface GrpcServiceOptions extends GrpcSettings {
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
  registerMetrics(registry, server);
  return endpoint(address.host, server.port);
}

function registerMetrics(registry: Registry, { connections, calls }: GrpcServer): void {
  const metrics = new Metrics(registry);
  registerSamples(registry, 'squitter_grpc_calls_total', 'Calls that ended, by method and status code', 'counter', () =>
    calls.callSamples(),
  );
  const duration = 'squitter_grpc_call_duration_seconds';
  registerSamples(registry, duration, 'Duration of calls with one response, by method', 'histogram', () => calls.durationSamples(duration));
  metrics.gauge('squitter_grpc_connections', 'gRPC connections of clients', () => connections.open);
  metrics.gauge('squitter_grpc_connections_max', 'gRPC connections that are accepted at a time', () => connections.connectionsMax);
  metrics.gauge('squitter_grpc_calls', 'Calls now, also streams', () => connections.calls);
  metrics.gauge('squitter_grpc_calls_max', 'Calls that are accepted at a time', () => connections.callsMax);
  metrics.gauge('squitter_grpc_queued_bytes', 'Bytes of responses that clients have not taken', () => connections.queuedBytes());
  metrics.counters('squitter_grpc_refused_total', 'Connections and calls refused, by reason', 'reason', () =>
    Object.entries({ ...connections.refused, calls: connections.callsRefused }),
  );
  metrics.counters('squitter_grpc_ended_total', 'Connections and calls ended by the service, by reason', 'reason', () =>
    Object.entries(connections.ended),
  );
}
