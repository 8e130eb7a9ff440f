// Prometheus metrics of the flights stage, under the same names in every profile: its newest stats, read when somebody asks.
import type { Registry } from 'prom-client';
import { noFlightCounts } from '../../pipeline/flights/partition-flights.ts';
import type { FlightsStats } from './flights-service.ts';
import type { PartitionLag } from './lag.ts';
import { type Labelled, Metrics } from './metrics.ts';

/** Shown from the start: a counter that begins with its first event has not risen yet. */
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
  gauge('partitions', 'Partitions that this flights stage has', ({ partitions }) => partitions);
  gauge('current', 'Flights in memory of the flights stage', ({ flights }) => flights);
  gauge('plans', 'Flight plans in memory', ({ plans }) => plans);
  gauge('restore_last_seconds', 'Time that the newest restoring of a partition took', ({ lastRestoreMs }) => lastRestoreMs / 1000);
  counter('states_total', 'Aircraft states read', ({ states }) => states);
  counter('commits_total', 'Commits of flights with their input offset: transactions', ({ commits }) => commits);
  counter('commit_seconds_total', 'Time that commits took', ({ commitMs }) => commitMs / 1000);
  counter(
    'replayed_records_total',
    'Aircraft records read again to restore what was known of motion',
    ({ replayedRecords }) => replayedRecords,
  );
  counter('rebalances_total', 'Rebalances of the consumer group of the flights stage', ({ rebalances }) => rebalances);
  counter('malformed_total', 'Aircraft states and flight plans that could not be read', ({ malformed }) => malformed);
  counter('plans_dropped_total', 'Flight plans that found no room in memory', ({ plansDropped }) => plansDropped);
  counter(
    'unobserved_total',
    'Flights under way when states were lost to the stage, by a long stop or a repair of the log: their take-offs and landings may be missing',
    ({ unobserved }) => unobserved,
  );
  metrics.counters(
    'squitter_flights_offsets_recovered_total',
    'Group offsets that contradicted the outputs and were put right, by problem',
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
  metrics.counters('squitter_flights_implausible_total', 'Routes that position or direction contradicted, by reason', 'reason', () =>
    Object.entries((stats()?.counts ?? NOTHING).implausible),
  );
  registerLag(metrics, stats);
}

function registerLag(metrics: Metrics, stats: () => FlightsStats | null): void {
  /** What is unknown is not shown: an old figure would pass for a new one. */
  const byPartition = (read: (lag: PartitionLag) => number | null) => (): Labelled =>
    (stats()?.lag ?? []).flatMap((lag) => {
      const value = read(lag);
      return value === null ? [] : [[String(lag.partition), value] as const];
    });
  metrics.gauges(
    'squitter_flights_next_offset',
    'First aircraft record not read yet',
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
    'Age of the newest aircraft record read while there are records not read yet',
    'partition',
    byPartition(({ seconds }) => seconds),
  );
  metrics.gauges('squitter_flights_tick_timestamp_seconds', 'Event time of the flights stage', 'partition', () =>
    (stats()?.ticksMs ?? []).map(([partition, tickMs]) => [String(partition), tickMs / 1000]),
  );
}
