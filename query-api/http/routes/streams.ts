// The paths of streams, where this process hands connections over. GET requests never come here: see connections/hand-over.ts. The AsyncAPI contract has them.
import type { FastifyInstance } from 'fastify';
import { SquitterError } from '../../../schemas/errors.ts';
import { EVENTS_PATH, SNAPSHOT_PATH, socketPaths } from '../../../schemas/push.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { pathOf } from '../errors/error-responses.ts';
import { successHeaders } from '../headers/headers.ts';
import { setHeaders } from '../responses/content.ts';

const typeOf: Readonly<Record<string, string>> = {
  [EVENTS_PATH]: 'text/event-stream; charset=utf-8',
  [SNAPSHOT_PATH]: 'application/octet-stream',
};

/** Methods, preflight requests and HEAD. */
export function streamRoutes(app: FastifyInstance, context: ApiContext): void {
  const paths = new Set([...socketPaths, EVENTS_PATH, SNAPSHOT_PATH].map((path) => path.replace(/\/$/, '')));
  for (const path of paths)
    app.get(path, { schema: { hide: true, cost: 'none' } }, (request, reply) => {
      if (request.method !== 'HEAD') throw new SquitterError('api.not_found', { path: pathOf(request.url) });
      const type = typeOf[path];
      if (type === undefined) throw new SquitterError('api.bad_request', { detail: 'expected an upgrade to WebSocket' });
      freshSnapshot(context);
      return setHeaders(reply, successHeaders(context, request, 'state'))
        .header('content-type', type)
        .send();
    });
}
