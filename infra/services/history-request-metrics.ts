// Metrics of requests to the history store.
import { Counter, type Registry } from 'prom-client';
import type { HistoryStore } from '../../query-api/queries/history/history-store.ts';

/** Registers the metrics; they are read at each scrape. */
export function registerHistoryRequestMetrics(registry: Registry, { stats }: HistoryStore): void {
  new Counter({
    name: 'squitter_http_history_requests_total',
    help: 'Requests to the history store, by outcome; refused: without a query, because the store did not answer or too many requests waited',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of ['done', 'failed', 'refused'] as const) this.inc({ outcome }, stats[outcome]);
    },
  });
}
