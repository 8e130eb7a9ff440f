// Metrics of the flights that a query API follows.
import type { Registry } from 'prom-client';
import { Metrics } from '../runtime/metrics.ts';
import type { FollowedFlights } from './follower.ts';

/** Registers the metrics; they are read at each scrape. */
export function registerFlightMetrics(registry: Registry, { size, stats }: FollowedFlights): void {
  const metrics = new Metrics(registry);
  metrics.gauge('squitter_flights_known', 'Flights in memory of the query API: one for each aircraft with one', size);
  metrics.gauge(
    'squitter_flights_newest_timestamp_seconds',
    'Event time of the newest flight record that the query API has read',
    () => stats.newestMs / 1000,
  );
  metrics.counter('squitter_flights_unread_total', 'Flight records that the query API could not read', () => stats.malformed);
}
