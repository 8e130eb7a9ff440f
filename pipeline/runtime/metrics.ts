// Prometheus metrics that a scrape reads from a service's own counts.
import { Counter, Gauge, type Registry } from 'prom-client';

export type Labelled = readonly (readonly [label: string, value: number])[];

/** Name and help of a metric, and how to read it from a service's statistics. Names that end in `_total` are counters, all others gauges. */
export type MetricRow<Stats> =
  /** The value is 0 while there are no statistics. */
  | readonly [name: string, help: string, read: (now: Stats) => number]
  | readonly [name: string, help: string, label: string, read: (now: Stats | null) => Labelled];

export type MetricTable<Stats> = readonly MetricRow<Stats>[];

export class Metrics {
  private readonly registers: Registry[];

  constructor(registry: Registry) {
    this.registers = [registry];
  }

  /** Registers a table. `newest` returns null while there are no statistics. */
  table<Stats>(rows: MetricTable<Stats>, newest: () => Stats | null): void {
    for (const row of rows) {
      const [name, help] = row;
      const isCounter = name.endsWith('_total');
      if (row.length === 3) {
        const [, , read] = row;
        const readNewest = (): number => {
          const now = newest();
          return now === null ? 0 : read(now);
        };
        if (isCounter) this.counter(name, help, readNewest);
        else this.gauge(name, help, readNewest);
      } else {
        const [, , label, read] = row;
        const readNewest = (): Labelled => read(newest());
        if (isCounter) this.counters(name, help, label, readNewest);
        else this.gauges(name, help, label, readNewest);
      }
    }
  }

  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.registers,
      collect() {
        this.set(read());
      },
    });
  }

  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  gauges(name: string, help: string, label: string, read: () => Labelled): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: this.registers,
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) this.set({ [label]: labelValue }, value);
      },
    });
  }

  counters(name: string, help: string, label: string, read: () => Labelled): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: this.registers,
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) this.inc({ [label]: labelValue }, value);
      },
    });
  }
}
