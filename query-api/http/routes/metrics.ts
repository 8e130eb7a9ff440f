// `/metrics`: all metrics of the process, for Prometheus.
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';

const schema = {
  summary: 'Prometheus metrics',
  description: 'All metrics of the process, in the Prometheus text format.',
  response: { 200: { content: { 'text/plain': { schema: { type: 'string', description: 'Prometheus text format' } } } } },
};

export function metricsRoute(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema }, async (_request, reply) => {
    reply.headers({ 'content-type': registry.contentType, 'cache-control': 'no-store' });
    return reply.send(await registry.metrics());
  });
}
