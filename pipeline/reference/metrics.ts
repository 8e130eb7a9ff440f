// Metrics of reference data: rows in memory and loads.
import type { Registry } from 'prom-client';
import { Metrics } from '../runtime/metrics.ts';
import type { ReferenceStats } from './open-reference.ts';

/** Registers the metrics of open reference data. Values are read at each scrape. */
export function registerReferenceMetrics(registry: Registry, stats: Readonly<ReferenceStats>): void {
  const metrics = new Metrics(registry);
  metrics.gauges('squitter_reference_rows', 'Rows of reference data in memory, by kind', 'kind', () => Object.entries(stats.rows));
  metrics.gauge('squitter_reference_loaded_timestamp_seconds', 'Time of the last load of reference data', () => stats.loadedAtMs / 1000);
  metrics.counter('squitter_reference_loads_total', 'Imports loaded', () => stats.loads);
  metrics.counter(
    'squitter_reference_load_failures_total',
    'Imports that could not be loaded; the previous data stay in use',
    () => stats.failures,
  );
}
