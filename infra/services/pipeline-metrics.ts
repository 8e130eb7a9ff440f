// Prometheus metrics of ingest and fold, under the same names in every profile: their newest stats, read when somebody asks.

import type { Registry } from 'prom-client';
import type { ReceiverCounts } from '../../pipeline/fold/receivers.ts';
import type { DropReason } from '../../pipeline/ingest/batcher.ts';
import type { OffsetProblem } from '../../pipeline/log/group-offset.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import type { FoldStats } from './fold-service.ts';
import type { IngestStats } from './ingest-service.ts';
import type { PartitionLag } from './lag.ts';
import { type Labelled, Metrics } from './metrics.ts';

/** Counters of the ingest that are sizes and flows; all others are reasons for which something was not used. */
const FLOWS = new Set(['frames', 'bytes', 'garbage_bytes']);

/** Frames lost: shown from the start, because a counter that begins at its first loss has not risen yet. */
const LOSSES: Readonly<Record<DropReason, number>> = { backlog: 0, append_failed: 0 };

/** Shown from the start, likewise. */
const NO_PROBLEMS: Readonly<Record<OffsetProblem, number>> = { missing: 0, behind: 0, ahead: 0 };

export function registerIngestMetrics(registry: Registry, stats: () => IngestStats | null): void {
  const metrics = new Metrics(registry);
  const count = (name: string) => (): number => stats()?.counters[name] ?? 0;
  metrics.counter('squitter_ingest_frames_total', 'Frames received', count('frames'));
  metrics.counter('squitter_ingest_bytes_total', 'Bytes received from feeders', count('bytes'));
  metrics.counter('squitter_ingest_garbage_bytes_total', 'Bytes received that belong to no message', count('garbage_bytes'));
  metrics.counters('squitter_ingest_rejected_total', 'What ingest did not use, by reason', 'reason', () =>
    Object.entries({ ...LOSSES, ...stats()?.counters }).filter(([name]) => !FLOWS.has(name)),
  );
  metrics.counters('squitter_ingest_feeder_frames_total', 'Frames by feeder since it connected', 'feeder', () =>
    Object.entries(stats()?.feeders ?? {}),
  );
  metrics.gauge('squitter_ingest_connections', 'Feeder connections', () => stats()?.connections ?? 0);
  metrics.gauge(
    'squitter_ingest_without_feeder_seconds',
    'How long nobody has fed this ingest; 0 while somebody does, simulated traffic too',
    () => (stats()?.withoutFeederMs ?? 0) / 1000,
  );
  metrics.counters(
    'squitter_ingest_clock_steps_total',
    'Times that the wall clock was set, or the machine slept, by direction',
    'direction',
    () => [
      ['forward', stats()?.clock.stepsForward ?? 0],
      ['back', stats()?.clock.stepsBack ?? 0],
    ],
  );
  metrics.counter(
    'squitter_ingest_event_time_raised_total',
    'Times that event time went forward to what other ingests had appended',
    () => stats()?.clock.raised ?? 0,
  );
  metrics.gauge(
    'squitter_ingest_ahead_seconds',
    'Event time less the wall clock; 0 while the wall clock is not behind',
    () => (stats()?.clock.aheadMs ?? 0) / 1000,
  );
  metrics.gauge('squitter_ingest_wall_timestamp_seconds', 'Wall clock of this machine', () => Date.now() / 1000);
  metrics.gauge('squitter_ingest_connections_max', 'Feeder connections that are accepted at a time', () => stats()?.connectionsMax ?? 0);
  metrics.gauge('squitter_ingest_backlog_bytes', 'Frames waiting for the log', () => stats()?.backlogBytes ?? 0);
  metrics.gauge(
    'squitter_ingest_append_age_seconds',
    'Time that the oldest append has waited for the log',
    () => stats()?.appendAgeSeconds ?? 0,
  );
  metrics.gauge('squitter_ingest_simulated_aircraft', 'Simulated aircraft in the air', () => stats()?.simulatedAircraft ?? 0);
}

/** Reads one count of the newest stats; 0 while there are none. */
function countsOf(stats: () => FoldStats | null): (read: (stats: FoldStats) => number) => () => number {
  return (read) => () => {
    const current = stats();
    return current === null ? 0 : read(current);
  };
}

export function registerFoldMetrics(registry: Registry, stats: () => FoldStats | null): void {
  const metrics = new Metrics(registry);
  const count = countsOf(stats);
  metrics.counter(
    'squitter_fold_commits_total',
    'Commits of outputs with their input offset: transactions',
    count(({ commits }) => commits),
  );
  metrics.counter(
    'squitter_fold_commit_seconds_total',
    'Time that commits took',
    count(({ commitMs }) => commitMs / 1000),
  );
  metrics.counter(
    'squitter_fold_snapshots_total',
    'Snapshots written',
    count(({ snapshots }) => snapshots),
  );
  metrics.counter(
    'squitter_fold_unreadable_snapshots_total',
    'Snapshots that could not be read: a replay from the first frame took their place',
    count(({ unreadableSnapshots }) => unreadableSnapshots),
  );
  metrics.counters(
    'squitter_fold_offsets_recovered_total',
    'Group offsets that contradicted the outputs and were put right, by problem',
    'problem',
    () => Object.entries({ ...NO_PROBLEMS, ...stats()?.offsetsRecovered }),
  );
  metrics.counter(
    'squitter_fold_take_overs_total',
    'Partitions that another version of the fold had written',
    count(({ takeOvers }) => takeOvers),
  );
  metrics.counter(
    'squitter_fold_gaps_total',
    'Partitions whose frames were deleted before they were folded, or since their newest snapshot',
    count(({ gaps }) => gaps),
  );
  metrics.counter(
    'squitter_fold_dead_letters_total',
    'Frame records that could not be read',
    count(({ deadLetters }) => deadLetters),
  );
  metrics.counter(
    'squitter_fold_frames_total',
    'Frames folded',
    count(({ counts }) => counts.frames),
  );
  metrics.counter(
    'squitter_fold_messages_total',
    'Frames that took effect',
    count(({ counts }) => counts.messages),
  );
  metrics.counter(
    'squitter_fold_positions_total',
    'Positions accepted',
    count(({ counts }) => counts.positions),
  );
  metrics.counters('squitter_fold_rejected_total', 'Frames without effect, by reason', 'reason', () =>
    rejectReasons.map((reason, i) => [reason, stats()?.counts.rejected[i] ?? 0]),
  );
  metrics.counter(
    'squitter_fold_positions_dropped_total',
    'Positions that found no room among those waiting for their tick',
    count(({ counts }) => counts.positionsDropped),
  );
  metrics.counter(
    'squitter_fold_aircraft_displaced_total',
    'Aircraft that were not confirmed and gave way to new ones in a full table',
    count(({ counts }) => counts.displaced),
  );
  registerPartitionMetrics(metrics, stats);
  registerReceiverMetrics(metrics, stats);
}

function registerPartitionMetrics(metrics: Metrics, stats: () => FoldStats | null): void {
  const count = countsOf(stats);
  /** What is unknown is not shown: an old figure would pass for a new one. */
  const byPartition = (read: (lag: PartitionLag) => number | null) => (): Labelled =>
    (stats()?.lag ?? []).flatMap((lag) => {
      const value = read(lag);
      return value === null ? [] : [[String(lag.partition), value] as const];
    });
  metrics.gauge(
    'squitter_fold_partitions',
    'Partitions that this fold has',
    count(({ partitions }) => partitions),
  );
  metrics.counter(
    'squitter_fold_rebalances_total',
    'Times that the group told this fold its share of the partitions',
    count(({ rebalances }) => rebalances),
  );
  metrics.counter(
    'squitter_fold_partitions_assigned_total',
    'Partitions handed to this fold',
    count(({ assigned }) => assigned),
  );
  metrics.counter(
    'squitter_fold_partitions_revoked_total',
    'Partitions that this fold gave back',
    count(({ revoked }) => revoked),
  );
  metrics.counter(
    'squitter_fold_restores_total',
    'States of partitions rebuilt from snapshot and replay',
    count(({ restores }) => restores),
  );
  metrics.counter(
    'squitter_fold_restore_seconds_total',
    'Time that rebuilding states took',
    count(({ restoreMs }) => restoreMs / 1000),
  );
  metrics.gauge(
    'squitter_fold_restore_last_seconds',
    'Time that the newest rebuilding of a state took',
    count(({ lastRestoreMs }) => lastRestoreMs / 1000),
  );
  metrics.counter(
    'squitter_fold_replayed_records_total',
    'Frame records replayed silently to rebuild states',
    count(({ replayedRecords }) => replayedRecords),
  );
  metrics.gauges(
    'squitter_fold_next_offset',
    'First frame record not folded yet',
    'partition',
    byPartition(({ nextOffset }) => nextOffset),
  );
  metrics.gauges(
    'squitter_fold_lag_records',
    'Frame records not folded yet',
    'partition',
    byPartition(({ records }) => records),
  );
  metrics.gauges(
    'squitter_fold_lag_seconds',
    'Age of the newest folded record while there are records not folded yet',
    'partition',
    byPartition(({ seconds }) => seconds),
  );
  metrics.gauges(
    'squitter_fold_lag_age_seconds',
    'How old the knowledge of the lag is; beyond 10 s the lag is unknown and not shown',
    'partition',
    byPartition(({ ageSeconds }) => ageSeconds),
  );
  metrics.gauges('squitter_fold_tick_timestamp_seconds', 'Event time of the newest tick', 'partition', () =>
    (stats()?.ticksMs ?? []).map(([partition, tickMs]) => [String(partition), tickMs / 1000]),
  );
}

function registerReceiverMetrics(metrics: Metrics, stats: () => FoldStats | null): void {
  const receivers = (): readonly ReceiverCounts[] => stats()?.counts.receivers ?? [];
  const byReceiver = (read: (counts: ReceiverCounts) => number) => (): Labelled => receivers().map((counts) => [counts.id, read(counts)]);
  /** Of receivers in partitions that are here. */
  const heardHere = (read: (counts: ReceiverCounts) => number) => (): Labelled =>
    receivers()
      .filter(({ heardMs }) => heardMs > 0)
      .map((counts) => [counts.id, read(counts)]);
  metrics.counters(
    'squitter_fold_receiver_frames_total',
    'Frames that a receiver gave, noise and copies too',
    'receiver',
    byReceiver(({ frames }) => frames),
  );
  metrics.counters(
    'squitter_fold_receiver_messages_total',
    'Frames of a receiver that took effect: it was the first to give them',
    'receiver',
    byReceiver(({ messages }) => messages),
  );
  metrics.counters(
    'squitter_fold_receiver_copies_total',
    'Frames of a receiver that another one had given before',
    'receiver',
    byReceiver(({ copies }) => copies),
  );
  metrics.counters(
    'squitter_fold_receiver_positions_total',
    'Positions of a receiver that were taken',
    'receiver',
    byReceiver(({ positions }) => positions),
  );
  metrics.counters(
    'squitter_fold_receiver_disagreements_total',
    'Positions of a receiver that cannot be, and times beyond the lateness that is followed',
    'receiver',
    byReceiver(({ disagreements }) => disagreements),
  );
  metrics.gauges(
    'squitter_fold_receiver_late_seconds',
    'How much later than the earliest a receiver is: its frames are dated back by it',
    'receiver',
    heardHere(({ lateMs }) => lateMs / 1000),
  );
  metrics.gauges(
    'squitter_fold_receiver_heard_timestamp_seconds',
    'Event time of the last frame of a receiver',
    'receiver',
    heardHere(({ heardMs }) => heardMs / 1000),
  );
}
