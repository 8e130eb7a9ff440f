// `/healthz`: the process answers. `/readyz`: it has live data and everything behind it works.
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../answer.ts';
import type { ApiContext } from '../context.ts';
import { freshSnapshot, shownAgeS } from '../freshness.ts';
import { ApiError } from '../problems.ts';

const RETRY_AFTER_S = 1;

export function healthRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/healthz', { schema: { summary: 'The process is alive' } }, (_request, reply) => {
    reply.headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' }).send('{"status":"ok"}\n');
  });

  app.get('/readyz', { schema: { summary: 'The service has live data' } }, (_request, reply) => {
    const reasons = [...(context.view.isReady() ? [] : ['the view is still reading the log']), ...context.checks()];
    if (reasons.length > 0)
      throw new ApiError('api.not_ready', { detail: reasons.join('; ') }, { headers: { 'retry-after': String(RETRY_AFTER_S) } });
    const snapshot = freshSnapshot(context.view, context.clock());
    const body = { status: 'ready', aircraft: snapshot.totals.total, data_age_seconds: shownAgeS(snapshot, context.clock()) };
    reply.headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' }).send(`${JSON.stringify(body)}\n`);
  });
}
