// Prometheus metrics of the pipeline: the worker threads' newest stats, read when somebody asks.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FoldThreadStats, IngestThreadStats } from './thread-protocol.ts';

export interface PipelineMetrics {
  readonly onFold: (stats: FoldThreadStats) => void;
  readonly onIngest: (stats: IngestThreadStats) => void;
  simulatedAircraft(): number;
}

/** Counters of the ingest that are sizes and flows; all others are reasons for which something was not used. */
const FLOWS = new Set(['frames', 'bytes', 'garbage_bytes']);

type Labelled = readonly (readonly [label: string, value: number])[];

/** Metrics read from what the threads last told. */
class Metrics {
  private readonly registers: Registry[];

  constructor(registry: Registry) {
    this.registers = [registry];
  }

  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.registers,
      collect() {
        this.set(read());
      },
    });
  }

  /** The thread counts; the metric shows its count. */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  gauges(name: string, help: string, label: string, read: () => Labelled): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: this.registers,
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) this.set({ [label]: labelValue }, value);
      },
    });
  }

  counters(name: string, help: string, label: string, read: () => Labelled): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: this.registers,
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) this.inc({ [label]: labelValue }, value);
      },
    });
  }
}

export function createPipelineMetrics(registry: Registry): PipelineMetrics {
  const metrics = new Metrics(registry);
  let fold: FoldThreadStats | null = null;
  let ingest: IngestThreadStats | null = null;
  ingestMetrics(metrics, () => ingest);
  foldMetrics(metrics, () => fold);
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

function ingestMetrics(metrics: Metrics, stats: () => IngestThreadStats | null): void {
  const count = (name: string) => (): number => stats()?.counters[name] ?? 0;
  metrics.counter('squitter_ingest_frames_total', 'Frames received', count('frames'));
  metrics.counter('squitter_ingest_bytes_total', 'Bytes received from feeders', count('bytes'));
  metrics.counter('squitter_ingest_garbage_bytes_total', 'Bytes received that belong to no message', count('garbage_bytes'));
  metrics.counters('squitter_ingest_rejected_total', 'What ingest did not use, by reason', 'reason', () =>
    Object.entries(stats()?.counters ?? {}).filter(([name]) => !FLOWS.has(name)),
  );
  metrics.counters('squitter_ingest_feeder_frames_total', 'Frames by feeder since it connected', 'feeder', () =>
    Object.entries(stats()?.feeders ?? {}),
  );
  metrics.gauge('squitter_ingest_connections', 'Feeder connections', () => stats()?.connections ?? 0);
  metrics.gauge('squitter_ingest_backlog_bytes', 'Frames waiting for the log', () => stats()?.backlogBytes ?? 0);
  metrics.gauge('squitter_ingest_simulated_aircraft', 'Simulated aircraft in the air', () => stats()?.simulatedAircraft ?? 0);
}

function foldMetrics(metrics: Metrics, stats: () => FoldThreadStats | null): void {
  const byPartition = (read: (lag: FoldThreadStats['lag'][number]) => number) => (): Labelled =>
    (stats()?.lag ?? []).map((lag) => [String(lag.partition), read(lag)]);
  metrics.counter('squitter_fold_commits_total', 'Commits of outputs with their input offset', () => stats()?.commits ?? 0);
  metrics.counter('squitter_fold_snapshots_total', 'Snapshots written', () => stats()?.snapshots ?? 0);
  metrics.counter(
    'squitter_fold_unreadable_snapshots_total',
    'Snapshots of another version that a replay from the first frame took the place of',
    () => stats()?.unreadableSnapshots ?? 0,
  );
  metrics.counter('squitter_fold_dead_letters_total', 'Frame records that could not be read', () => stats()?.deadLetters ?? 0);
  metrics.counter(
    'squitter_fold_replayed_records_total',
    'Frame records replayed silently to rebuild states',
    () => stats()?.replayedRecords ?? 0,
  );
  metrics.counters('squitter_fold_rejected_total', 'Frames without effect since the log began, by reason', 'reason', () =>
    Object.entries(stats()?.rejected ?? {}),
  );
  metrics.counter(
    'squitter_fold_positions_dropped_total',
    'Positions that found no room among those waiting for their tick',
    () => stats()?.positionsDropped ?? 0,
  );
  const byReceiver = (read: (counts: FoldThreadStats['receivers'][number]) => number) => (): Labelled =>
    (stats()?.receivers ?? []).map((counts) => [counts.id, read(counts)]);
  metrics.counters(
    'squitter_fold_receiver_frames_total',
    'Frames that a receiver gave since the log began, noise and copies too',
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
    byReceiver(({ lateMs }) => lateMs / 1000),
  );
  metrics.gauges(
    'squitter_fold_receiver_heard_timestamp_seconds',
    'Event time of the last frame of a receiver',
    'receiver',
    byReceiver(({ heardMs }) => heardMs / 1000),
  );
  metrics.gauge('squitter_fold_partitions', 'Partitions that this fold has', () => stats()?.partitions ?? 0);
  metrics.gauges(
    'squitter_fold_lag_records',
    'Frame records not folded yet',
    'partition',
    byPartition(({ records }) => records),
  );
  metrics.gauges(
    'squitter_fold_tick_timestamp_seconds',
    'Event time of the newest tick',
    'partition',
    byPartition(({ tickMs }) => tickMs / 1000),
  );
}
