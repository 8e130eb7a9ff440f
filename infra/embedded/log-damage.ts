// Damage that the embedded log's readers, maintenance and opening find: log lines without repetition, readiness and the metric.

import type { Registry } from 'prom-client';
import { type Damage, DamageList, damageText } from '../../pipeline/log/damage.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import type { LineLogger } from '../services/logging.ts';

export class LogDamageWatch {
  private readonly log: Pick<LineLogger, 'warn'>;
  private readonly lines: LogLimiter;
  /** Stretches that each log object of the process has met. */
  private readonly damages: () => readonly (readonly Damage[] | undefined)[];
  private readonly bounds: EventLog['bounds'];
  private readonly met = new DamageList();
  /** First offset that retention has left, of `topic/partition` with damage. */
  private readonly earliest = new Map<string, number>();
  private filesAside = 0;
  private newestFailure = '';

  constructor(log: Pick<LineLogger, 'warn'>, damages: LogDamageWatch['damages'], bounds: EventLog['bounds']) {
    this.log = log;
    this.bounds = bounds;
    this.lines = new LogLimiter((_, fields, message) => log.warn(fields, message));
    this.damages = damages;
  }

  /** Files that are not in the index were found. */
  aside = (files: readonly string[]): void => {
    this.filesAside += files.length;
    this.log.warn({ files }, 'files that are not in the index of the log were moved to aside/ in its folder: they are not read');
  };

  /** Maintenance failed and is tried again. A cause is logged once until it changes. */
  failed = (error: unknown): void => {
    const text = String(error);
    if (text === this.newestFailure) return;
    this.newestFailure = text;
    this.log.warn({ error: text }, 'log maintenance failed and is tried again');
  };

  /** Logs the stretches that are new: one line for a partition, and a sum of further ones. */
  update(): void {
    for (const damage of this.damages().flatMap((damages) => damages ?? [])) {
      if (!this.met.add(damage)) continue;
      this.lines.line('warn', { damage: damageText(damage) }, `the log is damaged: ${REMEDY}`, keyOf(damage));
    }
    void this.updateBounds();
  }

  /** The first damage that the log still has, and the remedy, for `/readyz`; null without any. */
  reason(): string | null {
    this.update();
    const [first, ...others] = this.met.all().filter((damage) => damage.to >= (this.earliest.get(keyOf(damage)) ?? 0));
    if (first === undefined) return null;
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return `the log is damaged: ${damageText(first)}${more}: ${REMEDY}`;
  }

  private async updateBounds(): Promise<void> {
    const partitions = new Map(this.met.all().map((damage) => [keyOf(damage), damage]));
    for (const [key, { topic, partition }] of partitions) {
      const found = await this.bounds(topic, partition).catch(() => null);
      if (found !== null) this.earliest.set(key, found.earliest);
    }
  }

  close(): void {
    this.lines.flush();
  }

  register(registry: Registry): void {
    exportMetrics(registry, {
      squitter_log_damage_total: () => {
        this.update();
        return Object.entries({ file: this.filesAside, batch: this.met.all().length });
      },
    });
  }
}

const keyOf = ({ topic, partition }: Damage): string => `${topic}/${partition}`;

const REMEDY = 'what needs these records waits, everything else continues. Stop the service and run `squitter log repair`';
