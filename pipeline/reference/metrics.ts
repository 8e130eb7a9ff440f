// Metrics of reference data: what is in memory, and when it came there.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReferenceStats } from './open-reference.ts';

/** Registers the figures of open reference data; they are read when somebody scrapes. */
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
    help: 'When reference data were last taken up',
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
  counter('loads', 'Imports taken up', () => stats.loads);
  counter('load_failures', 'Imports that could not be read: look-ups go on in what was there before', () => stats.failures);
}
