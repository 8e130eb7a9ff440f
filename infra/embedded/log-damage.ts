// Damage of the embedded log that its writer met: log lines, not one every few seconds, and the metric.
import type { Registry } from 'prom-client';
import { SquitterError } from '../../schemas/errors.ts';
import { Metrics } from '../services/metrics.ts';

export class LogDamageWatch {
  private readonly warn: (fields: object, message: string) => void;
  private filesAside = 0;
  private failures = 0;
  private told = '';

  constructor(warn: (fields: object, message: string) => void) {
    this.warn = warn;
  }

  /** Files were found that the index does not know. */
  aside = (files: readonly string[]): void => {
    this.filesAside += files.length;
    this.warn({ files }, 'files that the index of the log does not know were moved to aside/ in its folder: nothing reads them');
  };

  /** Maintenance failed, and is tried again: a cause is told once until it changes. */
  failed = (error: unknown): void => {
    if (error instanceof SquitterError && error.code === 'log.damaged') this.failures += 1;
    const text = String(error);
    if (text === this.told) return;
    this.told = text;
    this.warn({ error: text }, 'log maintenance failed and is tried again');
  };

  register(registry: Registry): void {
    new Metrics(registry).counters(
      'squitter_log_damage_total',
      'Damage of the log that was met, by kind: files that the index does not know, batches that cannot be read',
      'kind',
      () => [
        ['file', this.filesAside],
        ['batch', this.failures],
      ],
    );
  }
}
