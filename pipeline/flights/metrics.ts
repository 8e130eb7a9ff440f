// Metrics of flights: plans known, take-offs and landings observed, routes not believed.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FollowedFlights } from './flights.ts';
import { implausibleReasons } from './plausibility.ts';

/** Registers the figures; they are read when somebody scrapes. */
export function registerFlightMetrics(registry: Registry, { book, stats, planStats }: FollowedFlights): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name: `squitter_flights_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  const counter = (name: string, label: string, help: string, read: () => Readonly<Record<string, number>>): void => {
    new Counter({
      name: `squitter_flights_${name}_total`,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  };
  gauge('plans', 'Flight plans in memory', () => book.size);
  gauge('tick_seconds', 'Time that the newest tick took to judge routes', () => stats.lastTickMs / 1000);
  counter('observed', 'kind', 'Take-offs and landings observed', () => ({ landing: stats.landings, takeoff: stats.takeoffs }));
  counter('implausible', 'reason', 'Routes that position or direction contradicted, by reason', () =>
    Object.fromEntries(implausibleReasons.map((reason) => [reason, stats.implausible[reason]])),
  );
  counter('plans_lost', 'reason', 'Flight plans that were not taken or not written, by reason', () => ({
    malformed: planStats.malformed,
    no_room: book.dropped,
    not_written: planStats.lost,
  }));
}
