// Metrics of reference data: rows in memory and loads.
import type { Registry } from 'prom-client';
import { exportMetrics } from '../runtime/metrics.ts';
import type { ReferenceStats } from './open-reference.ts';

export function registerReferenceMetrics(registry: Registry, stats: Readonly<ReferenceStats>): void {
  exportMetrics(registry, {
    squitter_reference_rows: () => Object.entries(stats.rows),
    squitter_reference_loaded_timestamp_seconds: () => stats.loadedAtMs / 1000,
    squitter_reference_loads_total: () => stats.loads,
    squitter_reference_load_failures_total: () => stats.failures,
  });
}
