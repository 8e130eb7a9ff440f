// HTTP endpoints for operators of a service without an API: `/healthz`, `/readyz`, `/metrics`.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { listenOn } from '../../pipeline/runtime/listening.ts';
import { type Endpoint, endpoint } from '../../pipeline/runtime/options.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { HttpGuard } from '../../query-api/http/connections/http-guard.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Closer } from '../services/closing.ts';

export interface OperationHttpOptions {
  readonly http: Endpoint;
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly logger: Pick<Logger, 'info'>;
}

/** Responds from the start, so that a supervisor can distinguish starting from hanging. Returns its closer. Errors: `listen.port_in_use`, `listen.failed`. */
export async function startOperationHttp({ http, registry, readiness, logger }: OperationHttpOptions): Promise<Closer> {
  const routes: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/healthz': async (response) => sendJson(response, 200, { status: 'ok' }),
    '/readyz': async (response) => {
      const reasons = readiness.reasons();
      const warnings = readiness.warnings();
      const more = warnings.length === 0 ? {} : { warnings };
      if (reasons.length === 0) sendJson(response, 200, { status: 'ready', ...more });
      else sendJson(response, 503, { status: 'not ready', reasons, ...more });
    },
    '/metrics': async (response) => send(response, 200, registry.contentType, await registry.metrics()),
  };
  const guard = new HttpGuard({ connectionsMax: limits.operationConnectionsMax });
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const route = Object.hasOwn(routes, path) ? routes[path]! : null;
    if (route === null) sendJson(response, 404, { status: 'not found', paths: Object.keys(routes) });
    else if (request.method !== 'GET' && request.method !== 'HEAD') sendJson(response, 405, { status: 'method not allowed' });
    else route(response).catch((error: unknown) => sendJson(response, 500, { status: 'failed', detail: String(error) }));
  };
  const server = createServer(guard.gate(respond));
  guard.attach(server);
  const port = await listenOn(server, { host: http.host, port: http.port, flag: '--http' });
  logger.info({ http: String(endpoint(http.host, port)) }, 'probes and metrics');
  return () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        guard.close();
        resolve();
      });
      server.closeAllConnections();
      guard.stop(0);
    });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'content-length': Buffer.byteLength(body) }).end(body);
}
