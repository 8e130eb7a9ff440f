// Prometheus metrics of the flights stage, with the same names in every profile. A scrape reads the newest statistics.
import type { Registry } from 'prom-client';
import { noFlightCounts } from '../../pipeline/flights/partition-flights.ts';
import { type Labelled, Metrics } from '../../pipeline/runtime/metrics.ts';
import type { FlightsStats } from './flights-service.ts';
import type { PartitionLag } from './lag.ts';

/** Exported from the start: `increase()` would miss the first event of a counter that appears with it. */
const NOTHING = noFlightCounts();
const NO_PROBLEMS = { missing: 0, behind: 0, ahead: 0 };

export function registerFlightsMetrics(registry: Registry, stats: () => FlightsStats | null): void {
  const metrics = new Metrics(registry);
  const counter = (name: string, help: string, read: (stats: FlightsStats) => number): void =>
    metrics.counter(`squitter_flights_${name}`, help, () => of(read));
  const gauge = (name: string, help: string, read: (stats: FlightsStats) => number): void =>
    metrics.gauge(`squitter_flights_${name}`, help, () => of(read));
  const of = (read: (stats: FlightsStats) => number): number => {
    const current = stats();
    return current === null ? 0 : read(current);
  };
  gauge('partitions', 'Partitions that this flights stage owns', ({ partitions }) => partitions);
  gauge('current', 'Flights in memory of the flights stage', ({ flights }) => flights);
  gauge('plans', 'Flight plans in memory', ({ plans }) => plans);
  gauge('restore_last_seconds', 'Duration of the newest restore of a partition', ({ lastRestoreMs }) => lastRestoreMs / 1000);
  counter('states_total', 'Aircraft states read', ({ states }) => states);
  counter('commits_total', 'Commits (transactions) of flights and their input offset', ({ commits }) => commits);
  counter('commit_seconds_total', 'Total duration of commits', ({ commitMs }) => commitMs / 1000);
  counter(
    'replayed_records_total',
    'Aircraft records replayed to restore the motion of aircraft',
    ({ replayedRecords }) => replayedRecords,
  );
  counter('rebalances_total', 'Rebalances of the consumer group of the flights stage', ({ rebalances }) => rebalances);
  counter('malformed_total', 'Malformed aircraft states and flight plans', ({ malformed }) => malformed);
  counter('plans_dropped_total', 'Flight plans dropped because memory for plans was full', ({ plansDropped }) => plansDropped);
  counter(
    'unobserved_total',
    'Flights in progress while the stage missed states, after a long stop or a repair of the log; their take-offs and landings may be missing',
    ({ unobserved }) => unobserved,
  );
  metrics.counters(
    'squitter_flights_offsets_recovered_total',
    'Group offsets that contradicted the outputs and were corrected, by problem',
    'problem',
    () => Object.entries({ ...NO_PROBLEMS, ...stats()?.offsetsRecovered }),
  );
  metrics.counters('squitter_flights_observed_total', 'Take-offs and landings observed', 'kind', () => {
    const { landings, takeoffs } = stats()?.counts ?? NOTHING;
    return [
      ['landing', landings],
      ['takeoff', takeoffs],
    ];
  });
  metrics.counters('squitter_flights_ended_total', 'Flights that ended, by reason', 'end', () =>
    Object.entries((stats()?.counts ?? NOTHING).ended),
  );
  metrics.counters(
    'squitter_flights_implausible_total',
    'Routes rejected because position or track contradicted them, by reason',
    'reason',
    () => Object.entries((stats()?.counts ?? NOTHING).implausible),
  );
  registerLag(metrics, stats);
}

function registerLag(metrics: Metrics, stats: () => FlightsStats | null): void {
  /** Leaves unknown values out: a stale value would look current. */
  const byPartition = (read: (lag: PartitionLag) => number | null) => (): Labelled =>
    (stats()?.lag ?? []).flatMap((lag) => {
      const value = read(lag);
      return value === null ? [] : [[String(lag.partition), value] as const];
    });
  metrics.gauges(
    'squitter_flights_next_offset',
    'Offset of the next aircraft record to read',
    'partition',
    byPartition(({ nextOffset }) => nextOffset),
  );
  metrics.gauges(
    'squitter_flights_lag_records',
    'Aircraft records not read yet',
    'partition',
    byPartition(({ records }) => records),
  );
  metrics.gauges(
    'squitter_flights_lag_seconds',
    'Age of the newest aircraft record read, while others are not read yet; 0 without any',
    'partition',
    byPartition(({ seconds }) => seconds),
  );
  metrics.gauges('squitter_flights_tick_timestamp_seconds', 'Event time of the flights stage', 'partition', () =>
    (stats()?.ticksMs ?? []).map(([partition, tickMs]) => [String(partition), tickMs / 1000]),
  );
}
