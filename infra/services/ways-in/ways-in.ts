// The ways in of every profile - HTTP, records over gRPC and Connect, tools, files of `--write-json` - over one read model and one access layer.
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Catalog } from '../../../exporters/catalog/catalog.ts';
import { Counters } from '../../../pipeline/runtime/counters.ts';
import { listenError } from '../../../pipeline/runtime/listening.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import { type Endpoint, endpoint } from '../../../pipeline/runtime/options.ts';
import { packageVersion } from '../../../pipeline/runtime/package-root.ts';
import type { Readiness } from '../../../pipeline/runtime/readiness.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import type { FeederOwners } from '../../../query-api/feeders/owners.ts';
import { createQueryApi } from '../../../query-api/http/app.ts';
import type { HandOver } from '../../../query-api/http/connections/hand-over.ts';
import { HttpGuard } from '../../../query-api/http/connections/http-guard.ts';
import type { ServiceInfo } from '../../../query-api/http/context.ts';
import { FolderFiles } from '../../../query-api/http/files/folder-files.ts';
import { toolNames } from '../../../query-api/mcp/definitions.ts';
import { toolProtocol } from '../../../query-api/mcp/streamable-http.ts';
import type { Protocol } from '../../../query-api/protocol.ts';
import { whyNotReady } from '../../../query-api/queries/freshness.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import { openGrpcServer } from '../../../query-api/rpc/grpc/server.ts';
import { recordProtocol } from '../../../query-api/rpc/http-protocol.ts';
import { AircraftWatch } from '../../../query-api/rpc/watch/aircraft-watch.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import type { Closer } from '../closing.ts';
import { type MapValues, mapSettings } from '../options/map-options.ts';
import { startJsonFiles } from './json-files.ts';

/** Values of options that the profiles have in common. */
export interface WaysInValues extends MapValues {
  readonly http: Endpoint;
  readonly grpc: Endpoint;
  readonly pushTick: number;
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  readonly mcpTrial: boolean;
  /** Folder of a copy of tar1090; null without one. */
  readonly tar1090: string | null;
  readonly writeJson: string | null;
}

export interface WaysInContext {
  readonly access: CallerAccess;
  readonly feeders: FeederOwners;
  /** Limits of connections that fit the descriptors. */
  readonly connectionsMax: { readonly http: number; readonly grpc: number };
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly info: () => ServiceInfo;
  /** Takes connections for the streams; null without streams. */
  readonly handOver: HandOver | null;
  /** The published daily files; null without a folder. */
  readonly catalog: Catalog | null;
}

/**
 * Serves at once; `/readyz` reports when the view is complete. Returns the listening addresses. Closers are added at the front.
 * Errors: `listen.port_in_use`, `listen.failed`, those of the folders of displays.
 */
export async function startWaysIn(
  model: ReadModel,
  options: WaysInValues,
  context: WaysInContext,
  closers: Closer[],
): Promise<{ readonly http: string; readonly grpc: Endpoint }> {
  const { access, logger, registry } = context;
  const watch = openWatch(model, options.pushTick, registry);
  const onFault = (err: unknown): void => logger.error({ err }, 'a call of the record service failed');
  const protocols = [recordProtocol({ model, watch, access, onFault }), toolServer(model, options, context)];
  const http = await startHttp(model, options, { ...context, protocols }, closers);
  // It also closes the streams that it shares with Connect.
  const grpc = await startGrpc(model, options.grpc, { ...context, watch }, closers);
  await startJsonFiles(options.writeJson, { model, registry, logger }, closers);
  return { http, grpc };
}

async function startHttp(
  model: ReadModel,
  { http: { host, port }, baseUrl, tar1090, ...map }: WaysInValues,
  context: WaysInContext & { readonly protocols: readonly Protocol[] },
  closers: Closer[],
): Promise<string> {
  const { connectionsMax, logger, handOver, catalog, ...shared } = context;
  const guard = new HttpGuard({ connectionsMax: connectionsMax.http, log: (level, fields, message) => logger[level](fields, message) });
  const app = createQueryApi(model, {
    ...{ ...shared, guard, logger, baseUrl, map: mapSettings(map, logger) },
    ...(tar1090 === null ? {} : { tar1090: new FolderFiles(tar1090) }),
    ...(handOver === null ? {} : { handOver }),
    ...(catalog === null ? {} : { catalog }),
  });
  closers.unshift(() => app.close());
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw error instanceof SquitterError ? error : listenError(error as Error, { host, port, flag: '--http' });
  }
  return String(endpoint(host, (app.server.address() as AddressInfo).port));
}

async function startGrpc(
  model: ReadModel,
  { host, port }: Endpoint,
  { access, connectionsMax, readiness, registry, logger, watch }: WaysInContext & { readonly watch: AircraftWatch },
  closers: Closer[],
): Promise<Endpoint> {
  const server = await openGrpcServer({
    ...{ model, access, watch, connectionsMax: connectionsMax.grpc, host, port, flag: '--grpc' },
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
  return endpoint(host, server.port);
}

/** Streams of WatchAircraft, with a tick of so many seconds. */
function openWatch(model: ReadModel, tickS: number, registry: Registry): AircraftWatch {
  const watch = new AircraftWatch(model, tickS * 1000);
  exportMetrics(registry, {
    squitter_record_watches: () => watch.stats().watchers,
    squitter_record_watch_topics: () => watch.stats().topics,
    squitter_record_watch_skipped_total: () => watch.stats().skipped,
    squitter_record_watch_overruns_total: () => watch.stats().overruns,
    squitter_record_watch_ended_total: () => watch.stats().ended,
    squitter_record_watch_refused_total: () => Object.entries(watch.stats().refused),
  });
  return watch;
}

function toolServer(model: ReadModel, { baseUrl, mcpTrial }: WaysInValues, { access, registry, logger }: WaysInContext): Protocol {
  /** By result and tool, in this order. */
  const calls = new Counters();
  for (const tool of toolNames) calls.add(`ok ${tool}`, 0);
  exportMetrics(registry, {
    squitter_tool_calls_total: () =>
      [...calls.values].map(([key, count]) => {
        const [result = '', tool = ''] = key.split(' ');
        return [result, tool, count];
      }),
  });
  return toolProtocol(model, {
    ...{ baseUrl, access, isTrialOpen: mcpTrial, version: packageVersion() },
    countCall: (tool, result) => calls.add(`${result} ${tool}`),
    onFault: (err) => logger.error({ err }, 'a call of a tool failed'),
  });
}
