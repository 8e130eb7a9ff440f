// HTTP endpoints for operators of a service without an API: `/healthz`, `/readyz`, `/metrics`.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Endpoint, endpoint } from '../../pipeline/runtime/options.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { ConnectionGuard } from '../../query-api/http/connections/connection-guard.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';

export interface OperationHttpOptions {
  readonly http: Endpoint;
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly logger: Pick<Logger, 'info'>;
}

export interface OperationHttp {
  readonly address: string;
  close(): Promise<void>;
}

/** Responds from the start, so that a supervisor can distinguish starting from hanging. Errors: `listen.port_in_use`, `listen.failed`. */
export async function startOperationHttp({ http, registry, readiness, logger }: OperationHttpOptions): Promise<OperationHttp> {
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
  const guard = new ConnectionGuard({ connectionsMax: limits.operationConnectionsMax });
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const route = Object.hasOwn(routes, path) ? routes[path]! : null;
    if (route === null) sendJson(response, 404, { status: 'not found', paths: Object.keys(routes) });
    else if (request.method !== 'GET' && request.method !== 'HEAD') sendJson(response, 405, { status: 'method not allowed' });
    else route(response).catch((error: unknown) => sendJson(response, 500, { status: 'failed', detail: String(error) }));
  };
  const server = createServer(guard.gate(respond));
  guard.attach(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const inUse = code === 'EADDRINUSE';
      reject(
        inUse
          ? new SquitterError('listen.port_in_use', { address: String(http), flag: '--http' })
          : new SquitterError('listen.failed', { address: String(http), detail: message }),
      );
    });
    server.listen(http.port, http.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const address = String(endpoint(http.host, port));
  logger.info({ http: address }, 'probes and metrics');
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          guard.close();
          resolve();
        });
        server.closeAllConnections();
        guard.stop(0);
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'content-length': Buffer.byteLength(body) }).end(body);
}
