// The ways in of every profile - HTTP, records over gRPC and Connect, tools, files of `--write-json` - over one read model and one access layer.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Catalog } from '../../../exporters/catalog/catalog.ts';
import type { Endpoint } from '../../../pipeline/runtime/options.ts';
import type { Readiness } from '../../../pipeline/runtime/readiness.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import type { FeederOwners } from '../../../query-api/feeders/owners.ts';
import type { HandOver } from '../../../query-api/http/connections/hand-over.ts';
import type { ServiceInfo } from '../../../query-api/http/context.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import type { Closer } from '../closing.ts';
import { type MapValues, mapSettings } from '../options/map-options.ts';
import { startGrpc } from './grpc-service.ts';
import { startHttp } from './http-service.ts';
import { startJsonFiles } from './json-files.ts';
import { openWatch, recordService } from './record-service.ts';
import { toolServer } from './tool-server.ts';

/** Values of options that the profiles have in common. */
export interface WaysInValues extends MapValues {
  readonly http: Endpoint;
  readonly grpc: Endpoint;
  readonly pushTick: number;
  readonly baseUrl: string;
  readonly mcpTrial: boolean;
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

/** Returns the listening addresses. Errors: `listen.port_in_use`, `listen.failed`, those of the folders of displays. */
export async function startWaysIn(
  model: ReadModel,
  options: WaysInValues,
  context: WaysInContext,
  closers: Closer[],
): Promise<{ readonly http: string; readonly grpc: Endpoint }> {
  const { access, connectionsMax, registry, logger, readiness, handOver, catalog, ...shared } = context;
  const { baseUrl, mcpTrial } = options;
  const watch = openWatch(model, options.pushTick, registry);
  const http = await startHttp(
    model,
    {
      ...{ ...shared, registry, logger, readiness, access, baseUrl },
      ...(handOver === null ? {} : { handOver }),
      ...(catalog === null ? {} : { catalog }),
      ...{ http: options.http, connectionsMax: connectionsMax.http, tar1090: options.tar1090, map: mapSettings(options, logger) },
      protocols: [recordService(model, watch, access, logger), toolServer(model, { baseUrl, mcpTrial, access, registry, logger })],
    },
    closers,
  );
  const grpcOptions = { address: options.grpc, watch, access, connectionsMax: connectionsMax.grpc, registry, logger, readiness };
  const grpc = await startGrpc(model, grpcOptions, closers);
  await startJsonFiles(options.writeJson, { model, registry, logger }, closers);
  return { http, grpc };
}
