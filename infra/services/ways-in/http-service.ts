// Serves a read model over HTTP.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Catalog } from '../../../exporters/catalog/catalog.ts';
import { listenError } from '../../../pipeline/runtime/listening.ts';
import { type Endpoint, endpoint } from '../../../pipeline/runtime/options.ts';
import type { Readiness } from '../../../pipeline/runtime/readiness.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import type { FeederOwners } from '../../../query-api/feeders/owners.ts';
import { createQueryApi } from '../../../query-api/http/app.ts';
import type { HandOver } from '../../../query-api/http/connections/hand-over.ts';
import { HttpGuard } from '../../../query-api/http/connections/http-guard.ts';
import type { MapSettings, ServiceInfo } from '../../../query-api/http/context.ts';
import { FolderFiles } from '../../../query-api/http/files/folder-files.ts';
import type { Protocol } from '../../../query-api/protocol.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import type { Closer } from '../closing.ts';

export interface HttpOptions {
  readonly http: Endpoint;
  /** Maximum number of HTTP connections. */
  readonly connectionsMax: number;
  readonly baseUrl: string;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly info: () => ServiceInfo;
  /** Tiles and layers of the map. */
  readonly map: MapSettings;
  /** Checked by `/readyz` in addition to the view. */
  readonly readiness: Readiness;
  /** Takes connections for the streams. */
  readonly handOver?: HandOver;
  /** The published daily files. */
  readonly catalog?: Catalog;
  readonly protocols?: readonly Protocol[];
  /** Folder of a copy of tar1090; null without one. */
  readonly tar1090: string | null;
  readonly access: CallerAccess;
  /** Owners of feeders, where they are known. */
  readonly feeders?: FeederOwners;
}

/** Serves at once; `/readyz` reports when the view is complete. Returns the listening address. Errors: `listen.port_in_use`, `listen.failed`, `map.folder_unusable`. */
export async function startHttp(model: ReadModel, options: HttpOptions, closers: Closer[]): Promise<string> {
  const { connectionsMax, http, logger, tar1090, ...shared } = options;
  const displays = tar1090 === null ? {} : { tar1090: new FolderFiles(tar1090) };
  const guard = new HttpGuard({ connectionsMax, log: (level, fields, message) => logger[level](fields, message) });
  const app = createQueryApi(model, { guard, logger, ...displays, ...shared });
  closers.unshift(() => app.close());
  return await listen(app, http);
}

async function listen(app: FastifyInstance, { host, port }: Endpoint): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw error instanceof SquitterError ? error : listenError(error as Error, { host, port, flag: '--http' });
  }
  return String(endpoint(host, (app.server.address() as AddressInfo).port));
}
