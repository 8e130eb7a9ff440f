// `/metrics`: all metrics of the process, for Prometheus.
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { ApiContext } from '../context.ts';
import { successHeaders } from '../headers/headers.ts';
import { setHeaders } from '../responses/content.ts';

const schema = {
  summary: 'Prometheus metrics',
  cost: 'none' as const,
  description: 'All metrics of the process, in the Prometheus text format.',
  response: { 200: { content: { 'text/plain': { schema: { type: 'string', description: 'Prometheus text format' } } } } },
};

export function metricsRoute(app: FastifyInstance, context: ApiContext, registry: Registry): void {
  app.get('/metrics', { schema }, async (request, reply) => {
    setHeaders(reply, successHeaders(context, request, 'state')).header('content-type', registry.contentType);
    return reply.send(await registry.metrics());
  });
}
