// Prometheus metrics that are read when somebody asks: the service counts, the metric shows its count.
import { Counter, Gauge, type Registry } from 'prom-client';

export type Labelled = readonly (readonly [label: string, value: number])[];

/** Metrics read from what the service last told. */
export class Metrics {
  private readonly registers: Registry[];

  constructor(registry: Registry) {
    this.registers = [registry];
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

  /** The service counts; the metric shows its count. */
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
