// Prometheus metrics of ingest and fold, with the same names in every profile. A scrape reads the newest statistics.
import type { Registry } from 'prom-client';
import type { DropReason } from '../../pipeline/ingest/batcher.ts';
import type { OffsetProblem } from '../../pipeline/log/group-offset.ts';
import { type Labelled, Metrics, type MetricTable } from '../../pipeline/runtime/metrics.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import type { FoldStats } from './fold-service.ts';
import type { IngestStats } from './ingest-service.ts';
import type { PartitionLag } from './lag.ts';

/** Counters of received data. All other counters of the ingest are reasons for rejection. */
const FLOWS = new Set(['frames', 'bytes', 'garbage_bytes']);

/** Lost frames. Exported from the start: `increase()` would miss the first loss of a counter that appears with it. */
const LOSSES: Readonly<Record<DropReason, number>> = { backlog: 0, append_failed: 0 };

/** Exported from the start, for the same reason. */
const NO_PROBLEMS: Readonly<Record<OffsetProblem, number>> = { missing: 0, behind: 0, ahead: 0 };

const ingestMetrics: MetricTable<IngestStats> = [
  ['squitter_ingest_frames_total', 'Frames received', (now) => now.counters['frames'] ?? 0],
  ['squitter_ingest_bytes_total', 'Bytes received from feeders', (now) => now.counters['bytes'] ?? 0],
  ['squitter_ingest_garbage_bytes_total', 'Received bytes that are part of no message', (now) => now.counters['garbage_bytes'] ?? 0],
  ['squitter_ingest_rejected_total', 'Rejected input of the ingest, by reason', 'reason', rejected],
  ['squitter_ingest_connections', 'Feeder connections', (now) => now.connections],
  [
    'squitter_ingest_without_feeder_seconds',
    'Time without a feeder or simulated traffic at this ingest; 0 while there is one',
    (now) => now.withoutFeederMs / 1000,
  ],
  ['squitter_ingest_clock_steps_total', 'Steps of the wall clock, also by a suspended machine, by direction', 'direction', clockSteps],
  [
    'squitter_ingest_event_time_raised_total',
    'Times that event time advanced to that of records from other ingests',
    (now) => now.clock.raised,
  ],
  ['squitter_ingest_ahead_seconds', 'Event time minus wall clock; 0 while the wall clock is not behind', (now) => now.clock.aheadMs / 1000],
  ['squitter_ingest_connections_max', 'Maximum number of feeder connections', (now) => now.connectionsMax],
  ['squitter_ingest_backlog_bytes', 'Bytes of frames that wait for the log', (now) => now.backlogBytes],
  ['squitter_ingest_append_age_seconds', 'Time that the oldest append has waited for the log', (now) => now.appendAgeSeconds],
  ['squitter_ingest_simulated_aircraft', 'Simulated aircraft in the air', (now) => now.simulatedAircraft],
];

function rejected(now: IngestStats | null): Labelled {
  return Object.entries({ ...LOSSES, ...now?.counters }).filter(([name]) => !FLOWS.has(name));
}

function clockSteps(now: IngestStats | null): Labelled {
  return [
    ['forward', now?.clock.stepsForward ?? 0],
    ['back', now?.clock.stepsBack ?? 0],
  ];
}

export function registerIngestMetrics(registry: Registry, stats: () => IngestStats | null): void {
  const metrics = new Metrics(registry);
  metrics.table(ingestMetrics, stats);
  metrics.gauge('squitter_ingest_wall_timestamp_seconds', 'Wall clock of this machine', () => Date.now() / 1000);
}

const foldMetrics: MetricTable<FoldStats> = [
  ['squitter_fold_commits_total', 'Commits (transactions) of outputs and their input offset', (now) => now.commits],
  ['squitter_fold_commit_seconds_total', 'Total duration of commits', (now) => now.commitMs / 1000],
  ['squitter_fold_snapshots_total', 'Snapshots written', (now) => now.snapshots],
  ['squitter_fold_kept_snapshots_total', 'Snapshots written that are kept as long as the frames', (now) => now.keptSnapshots],
  [
    'squitter_fold_unreadable_snapshots_total',
    'Unreadable snapshots; the fold replayed from the first frame instead',
    (now) => now.unreadableSnapshots,
  ],
  [
    'squitter_fold_offsets_recovered_total',
    'Group offsets that contradicted the outputs and were corrected, by problem',
    'problem',
    (now) => Object.entries({ ...NO_PROBLEMS, ...now?.offsetsRecovered }),
  ],
  ['squitter_fold_take_overs_total', 'Partitions taken over from another version of the fold', (now) => now.takeOvers],
  [
    'squitter_fold_gaps_total',
    'Partitions whose frames were deleted before they were folded, or since their newest snapshot',
    (now) => now.gaps,
  ],
  ['squitter_fold_dead_letters_total', 'Frame records that could not be read', (now) => now.deadLetters],
  ['squitter_fold_frames_total', 'Frames folded', (now) => now.counts.frames],
  ['squitter_fold_messages_total', 'Frames that changed a state', (now) => now.counts.messages],
  ['squitter_fold_positions_total', 'Positions accepted', (now) => now.counts.positions],
  [
    'squitter_fold_rejected_total',
    'Rejected frames, by reason',
    'reason',
    (now) => rejectReasons.map((reason, i) => [reason, now?.counts.rejected[i] ?? 0]),
  ],
  [
    'squitter_fold_positions_dropped_total',
    'Positions dropped because too many waited for their tick',
    (now) => now.counts.positionsDropped,
  ],
  [
    'squitter_fold_receivers_late',
    'Receivers whose frames are dated back because they are late, summed over the partitions',
    (now) => now.counts.receiversLate,
  ],
  [
    'squitter_fold_feeders_contradicted',
    'Feeders most of whose positions of the last minute others contradict, summed over the partitions',
    (now) => now.counts.feedersContradicted,
  ],
  ['squitter_fold_aircraft_displaced_total', 'Unconfirmed aircraft displaced by new ones in a full table', (now) => now.counts.displaced],
];

/** Leaves unknown values out: a stale value would look current. */
function byPartition(read: (lag: PartitionLag) => number | null): (now: FoldStats | null) => Labelled {
  return (now) =>
    (now?.lag ?? []).flatMap((lag) => {
      const value = read(lag);
      return value === null ? [] : [[String(lag.partition), value] as const];
    });
}

const partitionMetrics: MetricTable<FoldStats> = [
  ['squitter_fold_partitions', 'Partitions that this fold owns', (now) => now.partitions],
  ['squitter_fold_rebalances_total', "Rebalances of this fold's consumer group", (now) => now.rebalances],
  ['squitter_fold_partitions_assigned_total', 'Partitions assigned to this fold', (now) => now.assigned],
  ['squitter_fold_partitions_revoked_total', 'Partitions revoked from this fold', (now) => now.revoked],
  ['squitter_fold_restores_total', 'Restores of partition states from snapshot and replay', (now) => now.restores],
  ['squitter_fold_restore_seconds_total', 'Total duration of restores', (now) => now.restoreMs / 1000],
  ['squitter_fold_restore_last_seconds', 'Duration of the newest restore of a partition', (now) => now.lastRestoreMs / 1000],
  ['squitter_fold_replayed_records_total', 'Frame records replayed without output to restore states', (now) => now.replayedRecords],
  ['squitter_fold_next_offset', 'Offset of the next frame record to fold', 'partition', byPartition(({ nextOffset }) => nextOffset)],
  ['squitter_fold_lag_records', 'Frame records not folded yet', 'partition', byPartition(({ records }) => records)],
  [
    'squitter_fold_lag_seconds',
    'Age of the newest folded record, while others are not folded yet; 0 without any',
    'partition',
    byPartition(({ seconds }) => seconds),
  ],
  [
    'squitter_fold_lag_age_seconds',
    'Age of the lag measurement; beyond 10 s the lag is unknown and not exported',
    'partition',
    byPartition(({ ageSeconds }) => ageSeconds),
  ],
  [
    'squitter_fold_tick_timestamp_seconds',
    'Event time of the newest tick',
    'partition',
    (now) => (now?.ticksMs ?? []).map(([partition, tickMs]) => [String(partition), tickMs / 1000]),
  ],
];

export function registerFoldMetrics(registry: Registry, stats: () => FoldStats | null): void {
  const metrics = new Metrics(registry);
  for (const table of [foldMetrics, partitionMetrics]) metrics.table(table, stats);
}
