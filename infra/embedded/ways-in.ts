// The ways in of the embedded service - HTTP, streams and records - over one read model and one access layer.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import type { ConnectionShares } from '../../pipeline/runtime/descriptors.ts';
import type { Endpoint } from '../../pipeline/runtime/options.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { CallerAccess } from '../../query-api/access/access.ts';
import type { FeederOwners } from '../../query-api/feeders/owners.ts';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import type { ServiceInfo } from '../../query-api/http/context.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import type { Closer } from '../services/closing.ts';
import { bulkFolder } from '../services/export-options.ts';
import { startGrpc } from '../services/grpc-service.ts';
import { startHttp } from '../services/http-service.ts';
import { startJsonFiles } from '../services/json-files.ts';
import { mapSettings } from '../services/map-options.ts';
import { type PushService, startPush } from '../services/push-service.ts';
import { openWatch, recordService } from '../services/record-service.ts';
import { toolServer } from '../services/tool-server.ts';
import type { ServiceOptions } from './service-options.ts';

export interface WaysInContext {
  readonly access: CallerAccess;
  readonly feeders: FeederOwners;
  /** That fit the descriptors. */
  readonly connectionsMax: ConnectionShares;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly info: () => ServiceInfo;
}

export interface WaysIn {
  readonly http: string;
  readonly push: PushService;
  readonly grpc: Endpoint;
}

/** Errors: `listen.port_in_use`, `listen.failed`, those of the folders of displays. */
export async function startWaysIn(model: ReadModel, options: ServiceOptions, context: WaysInContext, closers: Closer[]): Promise<WaysIn> {
  const { access, feeders, connectionsMax, registry, logger, readiness, info } = context;
  const handOver = new HandOver(connectionsMax.push);
  const watch = openWatch(model, options.push.tickS, registry);
  const http = await startHttp(
    model,
    {
      ...{ registry, logger, readiness, handOver, access, feeders, info },
      http: options.http,
      connectionsMax: connectionsMax.http,
      baseUrl: options.baseUrl,
      tar1090: options.tar1090,
      map: mapSettings(options.map, logger),
      catalog: new Catalog(bulkFolder(options.dataDir)),
      protocols: [
        recordService(model, watch, access, logger),
        toolServer(model, { baseUrl: options.baseUrl, mcpTrial: options.mcpTrial, access, registry, logger }),
      ],
    },
    closers,
  );
  // Closed before HTTP, which has connections that it handed over.
  const push = await startPush(model, { ...options.push, socketsMax: connectionsMax.push, access, registry, logger }, closers);
  handOver.upstream = async () => push.upstream;
  const grpcOptions = { ...options.grpc, watch, access, connectionsMax: connectionsMax.grpc, registry, logger, readiness };
  const grpc = await startGrpc(model, grpcOptions, closers);
  await startJsonFiles(options.writeJson, { model, registry, logger }, closers);
  return { http, push, grpc };
}
