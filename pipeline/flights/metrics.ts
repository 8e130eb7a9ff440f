// Metrics of the flights that a query API follows.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FollowedFlights } from './follower.ts';

/** Registers the metrics; they are read at each scrape. */
export function registerFlightMetrics(registry: Registry, flights: FollowedFlights): void {
  const { stats } = flights;
  new Gauge({
    name: 'squitter_flights_known',
    help: 'Flights in memory of the query API: one for each aircraft with one',
    registers: [registry],
    collect() {
      this.set(flights.size());
    },
  });
  new Gauge({
    name: 'squitter_flights_newest_timestamp_seconds',
    help: 'Event time of the newest flight record that the query API has read',
    registers: [registry],
    collect() {
      this.set(stats.newestMs / 1000);
    },
  });
  new Counter({
    name: 'squitter_flights_unread_total',
    help: 'Flight records that the query API could not read',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(stats.malformed);
    },
  });
}
