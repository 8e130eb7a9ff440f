// Damage that the writer of the embedded log finds: log lines without repetition, and the metric.
import type { Registry } from 'prom-client';
import { SquitterError } from '../../schemas/errors.ts';
import { Metrics } from '../services/metrics.ts';

export class LogDamageWatch {
  private readonly warn: (fields: object, message: string) => void;
  private filesAside = 0;
  private failures = 0;
  private newestFailure = '';

  constructor(warn: (fields: object, message: string) => void) {
    this.warn = warn;
  }

  /** Files that are not in the index were found. */
  aside = (files: readonly string[]): void => {
    this.filesAside += files.length;
    this.warn({ files }, 'files that are not in the index of the log were moved to aside/ in its folder: they are not read');
  };

  /** Maintenance failed and is tried again. A cause is logged once until it changes. */
  failed = (error: unknown): void => {
    if (error instanceof SquitterError && error.code === 'log.damaged') this.failures += 1;
    const text = String(error);
    if (text === this.newestFailure) return;
    this.newestFailure = text;
    this.warn({ error: text }, 'log maintenance failed and is tried again');
  };

  register(registry: Registry): void {
    new Metrics(registry).counters(
      'squitter_log_damage_total',
      'Damage found in the log, by kind: files that are not in the index, batches that cannot be read',
      'kind',
      () => [
        ['file', this.filesAside],
        ['batch', this.failures],
      ],
    );
  }
}
