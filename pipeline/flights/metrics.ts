// Metrics of the flights that a query API follows.
import type { Registry } from 'prom-client';
import { exportMetrics } from '../runtime/metrics.ts';
import type { FollowedFlights } from './follower.ts';

export function registerFlightMetrics(registry: Registry, { size, stats }: FollowedFlights): void {
  exportMetrics(registry, {
    squitter_flights_known: size,
    squitter_flights_newest_timestamp_seconds: () => stats.newestMs / 1000,
    squitter_flights_unread_total: () => stats.malformed,
  });
}
