// `/healthz`: the process responds. `/readyz`: it has live data and everything that it depends on works. `/metrics`: all metrics, for Prometheus.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { freshSnapshot, shownAgeS, shownAheadS, whyNotReady } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { successHeaders } from '../headers/headers.ts';
import { JSON_TYPE, setHeaders } from '../responses/content.ts';
import { amount, listOf, object, schemaOf } from '../schemas/build.ts';
import { problemResponse } from '../schemas/envelope.ts';

const state = {
  status: { type: 'string', const: 'ready', description: 'always ready' },
  aircraft: amount('aircraft listed'),
  data_age_seconds: { type: 'integer', minimum: 0, maximum: 3600, description: 's since the newest message of an aircraft' },
};

const healthSchema = schemaOf({
  summary: 'The process is alive',
  cost: 'none',
  description: 'For supervisors: 200 as long as the process serves requests, with or without live data.',
  response: object({ status: { type: 'string', const: 'ok', description: 'always ok' } }),
});

const readySchema = schemaOf({
  summary: 'The service has live data',
  cost: 'none',
  description: 'For load balancers: 200 while the data are live; otherwise 503 with the reasons.',
  response: object(
    {
      ...state,
      data_ahead_seconds: {
        ...{ type: 'integer', minimum: 2 },
        description: 's by which the data are ahead of the local clock; absent when they are not',
      },
      warnings: listOf({ type: 'string' }, 'problems that do not stop the service; absent without any'),
    },
    Object.keys(state),
  ),
  more: { 503: problemResponse },
});

const metricsSchema = {
  summary: 'Prometheus metrics',
  cost: 'none' as const,
  description: 'All metrics of the process, in the Prometheus text format.',
  response: { 200: { content: { 'text/plain': { schema: { type: 'string', description: 'Prometheus text format' } } } } },
};

export function healthRoutes(app: FastifyInstance, context: ApiContext, registry: Registry): void {
  const send = (request: FastifyRequest, reply: FastifyReply, body: object): void => {
    setHeaders(reply, successHeaders(context, request, 'state'))
      .header('content-type', JSON_TYPE)
      .send(`${JSON.stringify(body)}\n`);
  };
  app.get('/healthz', { schema: healthSchema }, (request, reply) => {
    send(request, reply, { status: 'ok' });
  });

  app.get('/readyz', { schema: readySchema }, (request, reply) => {
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
    send(request, reply, body);
  });

  app.get('/metrics', { schema: metricsSchema }, async (request, reply) => {
    setHeaders(reply, successHeaders(context, request, 'state')).header('content-type', registry.contentType);
    return reply.send(await registry.metrics());
  });
}
