// Metrics of reference data: rows in memory and loads.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReferenceStats } from './open-reference.ts';

/** Registers the metrics of open reference data. Values are read at each scrape. */
export function registerReferenceMetrics(registry: Registry, stats: Readonly<ReferenceStats>): void {
  const registers = [registry];
  new Gauge({
    name: 'squitter_reference_rows',
    help: 'Rows of reference data in memory, by kind',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, rows] of Object.entries(stats.rows)) this.set({ kind }, rows);
    },
  });
  new Gauge({
    name: 'squitter_reference_loaded_timestamp_seconds',
    help: 'Time of the last load of reference data',
    registers,
    collect() {
      this.set(stats.loadedAtMs / 1000);
    },
  });
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name: `squitter_reference_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  counter('loads', 'Imports loaded', () => stats.loads);
  counter('load_failures', 'Imports that could not be loaded; the previous data stay in use', () => stats.failures);
}
