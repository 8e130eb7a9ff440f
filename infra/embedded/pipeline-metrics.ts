// Prometheus metrics of the pipeline: the worker threads' newest stats, read when somebody asks.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ViewStats } from '../../pipeline/view/follower.ts';
import type { FoldThreadStats, IngestThreadStats } from './thread-protocol.ts';

export interface PipelineMetrics {
  readonly onFold: (stats: FoldThreadStats) => void;
  readonly onIngest: (stats: IngestThreadStats) => void;
  simulatedAircraft(): number;
}

/** Counters of the ingest that are sizes and flows; all others are reasons for which something was not used. */
const FLOWS = new Set(['frames', 'bytes', 'garbage_bytes']);

export function createPipelineMetrics(registry: Registry, view: ViewStats): PipelineMetrics {
  let fold: FoldThreadStats | null = null;
  let ingest: IngestThreadStats | null = null;
  const registers = [registry];

  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  /** The worker counts; the metric shows its count. */
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };

  counter('squitter_ingest_frames_total', 'Frames received', () => ingest?.counters['frames'] ?? 0);
  counter('squitter_ingest_bytes_total', 'Bytes received from feeders', () => ingest?.counters['bytes'] ?? 0);
  counter('squitter_ingest_garbage_bytes_total', 'Bytes received that belong to no message', () => ingest?.counters['garbage_bytes'] ?? 0);
  gauge('squitter_ingest_connections', 'Feeder connections', () => ingest?.connections ?? 0);
  gauge('squitter_ingest_backlog_bytes', 'Frames waiting for the log', () => ingest?.backlogBytes ?? 0);
  gauge('squitter_ingest_simulated_aircraft', 'Simulated aircraft in the air', () => ingest?.simulatedAircraft ?? 0);
  new Counter({
    name: 'squitter_ingest_rejected_total',
    help: 'What ingest did not use, by reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(ingest?.counters ?? {})) if (!FLOWS.has(reason)) this.inc({ reason }, count);
    },
  });
  new Counter({
    name: 'squitter_ingest_feeder_frames_total',
    help: 'Frames by feeder since it connected',
    labelNames: ['feeder'],
    registers,
    collect() {
      this.reset();
      for (const [feeder, frames] of Object.entries(ingest?.feeders ?? {})) this.inc({ feeder }, frames);
    },
  });

  counter('squitter_fold_commits_total', 'Commits of outputs with their input offset', () => fold?.commits ?? 0);
  counter('squitter_fold_snapshots_total', 'Snapshots written', () => fold?.snapshots ?? 0);
  counter('squitter_fold_dead_letters_total', 'Frame records that could not be read', () => fold?.deadLetters ?? 0);
  counter('squitter_fold_replayed_records_total', 'Frame records replayed silently to rebuild states', () => fold?.replayedRecords ?? 0);
  gauge('squitter_fold_partitions', 'Partitions that this fold has', () => fold?.partitions ?? 0);
  new Gauge({
    name: 'squitter_fold_lag_records',
    help: 'Frame records not folded yet',
    labelNames: ['partition'],
    registers,
    collect() {
      for (const { partition, records } of fold?.lag ?? []) this.set({ partition }, records);
    },
  });
  new Gauge({
    name: 'squitter_fold_tick_timestamp_seconds',
    help: 'Event time of the newest tick',
    labelNames: ['partition'],
    registers,
    collect() {
      for (const { partition, tickMs } of fold?.lag ?? []) this.set({ partition }, tickMs / 1000);
    },
  });
  new Counter({
    name: 'squitter_fold_rejected_total',
    help: 'Frames without effect since the log began, by reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(fold?.rejected ?? {})) this.inc({ reason }, count);
    },
  });

  counter('squitter_view_snapshots_total', 'Snapshots built', () => view.snapshots);
  counter('squitter_view_states_total', 'Aircraft states applied', () => view.states);
  counter('squitter_view_malformed_total', 'Records that could not be read', () => view.malformed);
  gauge('squitter_view_build_seconds', 'Time of the newest rebuild', () => view.lastBuildMs / 1000);

  return {
    onFold(stats) {
      fold = stats;
    },
    onIngest(stats) {
      ingest = stats;
    },
    simulatedAircraft: () => ingest?.simulatedAircraft ?? 0,
  };
}
