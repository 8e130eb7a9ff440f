// `/metrics`: everything the process counts, for Prometheus.
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';

export function metricsRoute(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema: { summary: 'Prometheus metrics' } }, async (_request, reply) => {
    reply.headers({ 'content-type': registry.contentType, 'cache-control': 'no-store' });
    return reply.send(await registry.metrics());
  });
}
