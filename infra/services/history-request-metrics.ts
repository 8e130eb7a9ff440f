// Metrics of requests to the history store.
import type { Registry } from 'prom-client';
import { Metrics } from '../../pipeline/runtime/metrics.ts';
import type { HistoryStore } from '../../query-api/queries/history/history-store.ts';

/** Registers the metrics; they are read at each scrape. */
export function registerHistoryRequestMetrics(registry: Registry, { stats }: HistoryStore): void {
  new Metrics(registry).counters(
    'squitter_http_history_requests_total',
    'Requests to the history store, by outcome; refused: without a query, because the store did not answer or too many requests waited',
    'outcome',
    () => (['done', 'failed', 'refused'] as const).map((outcome) => [outcome, stats[outcome]]),
  );
}
