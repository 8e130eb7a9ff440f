// Prometheus metrics of ingest, fold, flights and project stage, with the same names in every profile. A scrape reads the newest statistics.
import type { Registry } from 'prom-client';
import { noFlightCounts } from '../../../pipeline/flights/partition-flights.ts';
import type { DropReason } from '../../../pipeline/ingest/batcher.ts';
import type { OffsetProblem } from '../../../pipeline/log/group-offset.ts';
import { exportMetrics, type LabelledRow } from '../../../pipeline/runtime/metrics.ts';
import { rejectReasons } from '../../../schemas/avro/fold-progress.ts';
import { topics } from '../../../schemas/topics.ts';
import type { FlightsStats } from './flights-service.ts';
import type { FoldStats } from './fold-service.ts';
import type { IngestStats } from './ingest-service.ts';
import type { PartitionLag } from './lag.ts';
import type { ProjectStats, SinkFigures } from './project-service.ts';

/** Counters of received data. All other counters of the ingest are reasons for rejection. */
const FLOWS = new Set(['frames', 'bytes', 'garbage_bytes']);
// Exported from the start.
const NO_LOSSES: Readonly<Record<DropReason, number>> = { backlog: 0, append_failed: 0 };
const NO_PROBLEMS: Readonly<Record<OffsetProblem, number>> = { missing: 0, behind: 0, ahead: 0 };
const NO_FLIGHTS = noFlightCounts();
const SINK_TOPICS = [topics.positions.name, topics.flightsEnded.name];
const CODES = ['history.unreachable', 'history.busy', 'history.no_space', 'history.cancelled', 'history.query_failed', 'history.forbidden'];

const seconds = (ms = 0): number => ms / 1000;

export function registerIngestMetrics(registry: Registry, newest: () => IngestStats | null): void {
  exportMetrics(registry, {
    squitter_ingest_frames_total: () => newest()?.counters['frames'],
    squitter_ingest_bytes_total: () => newest()?.counters['bytes'],
    squitter_ingest_garbage_bytes_total: () => newest()?.counters['garbage_bytes'],
    squitter_ingest_rejected_total: () => Object.entries({ ...NO_LOSSES, ...newest()?.counters }).filter(([name]) => !FLOWS.has(name)),
    squitter_ingest_connections: () => newest()?.connections,
    squitter_ingest_without_feeder_seconds: () => seconds(newest()?.withoutFeederMs),
    squitter_ingest_clock_steps_total: () => [
      ['forward', newest()?.clock.stepsForward ?? 0],
      ['back', newest()?.clock.stepsBack ?? 0],
    ],
    squitter_ingest_event_time_raised_total: () => newest()?.clock.raised,
    squitter_ingest_ahead_seconds: () => seconds(newest()?.clock.aheadMs),
    squitter_ingest_connections_max: () => newest()?.connectionsMax,
    squitter_ingest_backlog_bytes: () => newest()?.backlogBytes,
    squitter_ingest_append_age_seconds: () => newest()?.appendAgeSeconds,
    squitter_ingest_simulated_aircraft: () => newest()?.simulatedAircraft,
    squitter_ingest_wall_timestamp_seconds: () => Date.now() / 1000,
  });
}

/** By partition, without unknown values. */
function byPartition(
  newest: () => { readonly lag: readonly PartitionLag[] } | null,
  read: (lag: PartitionLag) => number | null,
): () => LabelledRow[] {
  return () => (newest()?.lag ?? []).flatMap((lag) => rowOf(read(lag), lag.partition));
}

function rowOf(value: number | null, ...labels: (string | number)[]): LabelledRow[] {
  return value === null ? [] : [[...labels, value]];
}

const tickRows = (now: Pick<FoldStats, 'ticksMs'> | null): LabelledRow[] =>
  (now?.ticksMs ?? []).map(([partition, tickMs]) => [partition, seconds(tickMs)]);

export function registerFoldMetrics(registry: Registry, newest: () => FoldStats | null): void {
  exportMetrics(registry, {
    squitter_fold_commits_total: () => newest()?.commits,
    squitter_fold_commit_seconds_total: () => seconds(newest()?.commitMs),
    squitter_fold_snapshots_total: () => newest()?.snapshots,
    squitter_fold_kept_snapshots_total: () => newest()?.keptSnapshots,
    squitter_fold_unreadable_snapshots_total: () => newest()?.unreadableSnapshots,
    squitter_fold_offsets_recovered_total: () => Object.entries({ ...NO_PROBLEMS, ...newest()?.offsetsRecovered }),
    squitter_fold_take_overs_total: () => newest()?.takeOvers,
    squitter_fold_gaps_total: () => newest()?.gaps,
    squitter_fold_dead_letters_total: () => newest()?.deadLetters,
    squitter_fold_frames_total: () => newest()?.counts.frames,
    squitter_fold_messages_total: () => newest()?.counts.messages,
    squitter_fold_positions_total: () => newest()?.counts.positions,
    squitter_fold_rejected_total: () => rejectReasons.map((reason, i) => [reason, newest()?.counts.rejected[i] ?? 0]),
    squitter_fold_positions_dropped_total: () => newest()?.counts.positionsDropped,
    squitter_fold_receivers_late: () => newest()?.counts.receiversLate,
    squitter_fold_feeders_contradicted: () => newest()?.counts.feedersContradicted,
    squitter_fold_aircraft_displaced_total: () => newest()?.counts.displaced,
    squitter_fold_partitions: () => newest()?.partitions,
    squitter_fold_rebalances_total: () => newest()?.rebalances,
    squitter_fold_partitions_assigned_total: () => newest()?.assigned,
    squitter_fold_partitions_revoked_total: () => newest()?.revoked,
    squitter_fold_restores_total: () => newest()?.restores,
    squitter_fold_restore_seconds_total: () => seconds(newest()?.restoreMs),
    squitter_fold_restore_last_seconds: () => seconds(newest()?.lastRestoreMs),
    squitter_fold_replayed_records_total: () => newest()?.replayedRecords,
    squitter_fold_next_offset: byPartition(newest, ({ nextOffset }) => nextOffset),
    squitter_fold_lag_records: byPartition(newest, ({ records }) => records),
    squitter_fold_lag_seconds: byPartition(newest, ({ seconds: age }) => age),
    squitter_fold_lag_age_seconds: byPartition(newest, ({ ageSeconds }) => ageSeconds),
    squitter_fold_tick_timestamp_seconds: () => tickRows(newest()),
  });
}

export function registerFlightsMetrics(registry: Registry, newest: () => FlightsStats | null): void {
  const counts = () => newest()?.counts ?? NO_FLIGHTS;
  exportMetrics(registry, {
    squitter_flights_partitions: () => newest()?.partitions,
    squitter_flights_current: () => newest()?.flights,
    squitter_flights_plans: () => newest()?.plans,
    squitter_flights_restore_last_seconds: () => seconds(newest()?.lastRestoreMs),
    squitter_flights_states_total: () => newest()?.states,
    squitter_flights_commits_total: () => newest()?.commits,
    squitter_flights_commit_seconds_total: () => seconds(newest()?.commitMs),
    squitter_flights_replayed_records_total: () => newest()?.replayedRecords,
    squitter_flights_rebalances_total: () => newest()?.rebalances,
    squitter_flights_malformed_total: () => newest()?.malformed,
    squitter_flights_plans_dropped_total: () => newest()?.plansDropped,
    squitter_flights_unobserved_total: () => newest()?.unobserved,
    squitter_flights_offsets_recovered_total: () => Object.entries({ ...NO_PROBLEMS, ...newest()?.offsetsRecovered }),
    squitter_flights_observed_total: () => [
      ['landing', counts().landings],
      ['takeoff', counts().takeoffs],
    ],
    squitter_flights_ended_total: () => Object.entries(counts().ended),
    squitter_flights_implausible_total: () => Object.entries(counts().implausible),
    squitter_flights_next_offset: byPartition(newest, ({ nextOffset }) => nextOffset),
    squitter_flights_lag_records: byPartition(newest, ({ records }) => records),
    squitter_flights_lag_seconds: byPartition(newest, ({ seconds: age }) => age),
    squitter_flights_tick_timestamp_seconds: () => tickRows(newest()),
  });
}

export function registerProjectMetrics(registry: Registry, newest: () => ProjectStats | null): void {
  const byTopic = (read: (sink: SinkFigures) => number) => (): LabelledRow[] =>
    newest()?.sinks.map((sink) => [sink.topic, read(sink)]) ?? SINK_TOPICS.map((topic) => [topic, 0]);
  const byLag = (read: (lag: PartitionLag) => number | null) => (): LabelledRow[] =>
    (newest()?.sinks ?? []).flatMap(({ topic, lag }) => lag.flatMap((each) => rowOf(read(each), each.partition, topic)));
  exportMetrics(registry, {
    squitter_project_partitions: byTopic(({ partitions }) => partitions.length),
    squitter_project_rows_total: byTopic(({ rows }) => rows),
    squitter_project_batches_total: byTopic(({ batches }) => batches),
    squitter_project_bytes_total: byTopic(({ bytes }) => bytes),
    squitter_project_insert_seconds_total: byTopic(({ insertMs }) => seconds(insertMs)),
    squitter_project_malformed_total: byTopic(({ malformed }) => malformed),
    squitter_project_restored_total: byTopic(({ restored }) => restored),
    squitter_project_expired_total: byTopic(({ expired }) => expired),
    squitter_project_rejoins_total: byTopic(({ rejoins }) => rejoins),
    squitter_project_refused: byTopic(({ problem }) => Number(problem !== null)),
    squitter_project_retries_total: () => [
      ...CODES.map((code) => [code, 0] as const),
      ...(newest()?.sinks ?? []).flatMap(({ retries }) => Object.entries(retries)),
    ],
    squitter_project_next_offset: byLag(({ nextOffset }) => nextOffset),
    squitter_project_lag_records: byLag(({ records }) => records),
    squitter_project_lag_seconds: byLag(({ seconds: age }) => age),
  });
}
