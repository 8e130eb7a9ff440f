// The project stage as a service, in every profile: positions and ended flights into the history store.

import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { flightProjection } from '../../../pipeline/project/flight-projection.ts';
import { type KeptSink, keepSink } from '../../../pipeline/project/kept-sink.ts';
import { positionProjection } from '../../../pipeline/project/position-projection.ts';
import type { HistoryWriter, Projection } from '../../../pipeline/project/projection.ts';
import type { SinkStats } from '../../../pipeline/project/sink-stats.ts';
import { LogLimiter } from '../../../pipeline/runtime/log-limiter.ts';
import { topics } from '../../../schemas/topics.ts';
import type { LineLogger } from '../logging.ts';
import { LagMeter, notCaughtUp, type PartitionLag } from './lag.ts';
import { patientLog } from './stage-log.ts';

export interface ProjectServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly writer: HistoryWriter;
  readonly logger: LineLogger;
}

export interface SinkFigures extends Pick<SinkStats, 'batches' | 'rows' | 'bytes' | 'insertMs' | 'malformed' | 'restored' | 'expired'> {
  readonly topic: string;
  readonly partitions: readonly number[];
  readonly rejoins: number;
  readonly hasShare: boolean;
  readonly retries: Readonly<Record<string, number>>;
  /** Behind what the store has confirmed. */
  readonly lag: readonly PartitionLag[];
  /** Why the store does not take rows; null when it does. */
  readonly problem: string | null;
}

export interface ProjectStats {
  readonly sinks: readonly SinkFigures[];
}

export async function startProject({ log: plainLog, codecs, writer, logger }: ProjectServiceOptions) {
  // A full disk of the log pauses the sinks, too.
  const patient = patientLog(plainLog);
  const { log } = patient;
  const lines = new LogLimiter((level, fields, message) => logger[level === 'info' ? 'info' : 'warn'](fields, message));
  const projections = [positionProjection(codecs.PositionBatch), flightProjection(codecs.EndedFlight)];
  const sinks: Measured[] = [];
  for (const projection of projections) sinks.push(await measured(projection, { log, writer, lines }));
  return {
    /** Rejects when a sink has ended for good. */
    ended: Promise.race(sinks.map(({ sink }) => sink.ended)),
    /** True in the process that owns partition 0 of the positions: it also writes what only one process may write. */
    isFirst: () => sinks[0]!.sink.stats.owned.has(0),
    stats: async (): Promise<ProjectStats> => ({ sinks: await Promise.all(sinks.map(figures)) }),
    /** Writes all rows that were read, unless the store refuses them, then leaves the groups and closes the log. */
    async stop(): Promise<void> {
      patient.giveUp();
      await Promise.all(sinks.map(({ sink }) => sink.stop()));
      lines.flush();
      await log.close();
    },
  };
}

interface Measured {
  readonly topic: string;
  readonly sink: KeptSink;
  readonly lag: LagMeter;
}

async function measured(
  projection: Projection,
  { log, writer, lines }: { log: EventLog; writer: HistoryWriter; lines: LogLimiter },
): Promise<Measured> {
  const { name: topic } = topics[projection.topic];
  const steadyMs = (): number => performance.now();
  const sink = await keepSink({
    ...{ log, projection, writer, steadyMs },
    onRetry: (partition, error) =>
      lines.line('warn', { topic, partition, error: String(error) }, 'the history store did not take a batch: it is inserted again'),
    onExpired: (lost) =>
      lines.line('warn', { ...lost }, 'the topic no longer has records that the history store did not take in time: the history has a gap'),
    onRejoin: (error) => lines.line('warn', { topic, code: error.code, error: error.message }, 'the sink joins its group again'),
  });
  return { topic, sink, lag: new LagMeter(log, projection.topic, sink.stats.owned, steadyMs) };
}

async function figures({ topic, sink, lag }: Measured): Promise<SinkFigures> {
  const { stats } = sink;
  const { batches, rows, bytes, insertMs, malformed, restored, expired } = stats;
  const measuredLag = await lag.measure();
  return {
    ...{ topic, batches, rows, bytes, insertMs, malformed, restored, expired },
    partitions: [...stats.owned.keys()],
    rejoins: sink.rejoins(),
    hasShare: sink.rebalances() > 0,
    retries: Object.fromEntries(stats.retries),
    lag: measuredLag,
    problem: stats.problem(),
  };
}

/** Why the history is not up to date; null when it is. */
export function historyProblem(stats: ProjectStats | null): string | null {
  if (stats === null) return 'the history is starting';
  for (const { problem, topic, lag } of stats.sinks)
    if (problem !== null) return `the history store does not take ${topic}${behindText(lag)}: ${problem}`;
  for (const { topic, partitions, hasShare, lag } of stats.sinks) {
    const stage = { owned: () => ({ partitions: partitions.length, restored: partitions.length, held: 0 }), hasShare: () => hasShare };
    const reason = notCaughtUp(stage, { lag });
    if (reason !== null) return `the history of ${topic}: ${reason}`;
  }
  return null;
}

function behindText(lag: readonly PartitionLag[]): string {
  const seconds = Math.max(0, ...lag.map((each) => each.seconds ?? 0));
  return seconds < 1 ? '' : `, ${Math.floor(seconds)} s behind`;
}
