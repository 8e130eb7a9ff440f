// `/healthz`: the process responds. `/readyz`: it has live data and everything that it depends on works.
import type { FastifyInstance } from 'fastify';
import { freshSnapshot, shownAgeS, shownAheadS } from '../../queries/freshness.ts';
import { whyNotReady } from '../../queries/why-not-ready.ts';
import type { ApiContext } from '../context.ts';
import { JSON_TYPE } from '../response.ts';
import { problemResponse } from '../schemas/envelope.ts';

const healthSchema = {
  summary: 'The process is alive',
  description: 'For supervisors: 200 as long as the process serves requests, with or without live data.',
  response: {
    200: { type: 'object', required: ['status'], properties: { status: { type: 'string', const: 'ok', description: 'always ok' } } },
  },
};

const readySchema = {
  summary: 'The service has live data',
  description: 'For load balancers: 200 while the data are live; otherwise 503 with the reasons.',
  response: {
    200: {
      type: 'object',
      required: ['status', 'aircraft', 'data_age_seconds'],
      properties: {
        status: { type: 'string', const: 'ready', description: 'always ready' },
        aircraft: { type: 'integer', minimum: 0, description: 'aircraft listed' },
        data_age_seconds: { type: 'integer', minimum: 0, maximum: 3600, description: 's since the newest message of an aircraft' },
        data_ahead_seconds: {
          type: 'integer',
          minimum: 2,
          description: 's by which the data are ahead of the local clock; absent when they are not',
        },
        warnings: {
          type: 'array',
          items: { type: 'string' },
          description: 'problems that do not stop the service; absent without any',
        },
      },
    },
    503: problemResponse,
  },
};

export function healthRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/healthz', { schema: healthSchema }, (_request, reply) => {
    reply.headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' }).send('{"status":"ok"}\n');
  });

  app.get('/readyz', { schema: readySchema }, (_request, reply) => {
    const problem = whyNotReady(context, context.readiness);
    if (problem !== null) throw problem;
    const snapshot = freshSnapshot(context);
    const warnings = context.readiness.warnings();
    const clockMs = context.clock();
    const aheadS = shownAheadS(snapshot, clockMs);
    const body = {
      status: 'ready',
      aircraft: snapshot.totals.total,
      data_age_seconds: shownAgeS(snapshot, clockMs, context.steadyMs()),
      ...(aheadS === null ? {} : { data_ahead_seconds: aheadS }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    reply.headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' }).send(`${JSON.stringify(body)}\n`);
  });
}
