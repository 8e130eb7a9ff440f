// The fold as a service, whatever its profile: the worker over a log, what it tells of itself, how it drains and stops.
import { setTimeout as sleep } from 'node:timers/promises';
import { startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import type { FoldCounts } from '../../pipeline/fold/worker-counts.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits.ts';
import { LagMeter, type PartitionLag } from './lag.ts';
import { observeLog } from './observed-log.ts';
import { patientLog } from './patient-log.ts';

/** How long a stop may wait for the fold to reach the end of the frames. */
const DRAIN_MS_MAX = 10_000;
const POLL_MS = 20;

export interface FoldServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  readonly logger: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
}

/** What a fold tells; counts are since the start of the process unless they say otherwise. */
export interface FoldStats {
  readonly partitions: number;
  readonly commits: number;
  readonly commitMs: number;
  readonly snapshots: number;
  readonly unreadableSnapshots: number;
  /** Partitions that another fold version had written. */
  readonly takeOvers: number;
  /** Partitions whose frames were deleted before they were folded, or since their newest snapshot. */
  readonly gaps: number;
  readonly deadLetters: number;
  readonly replayedRecords: number;
  /** Group offsets that contradicted the outputs and were put right, by problem. */
  readonly offsetsRecovered: Readonly<Record<string, number>>;
  /** Partitions handed to this fold, and taken back. */
  readonly assigned: number;
  readonly revoked: number;
  /** Times that the group told this fold its share. */
  readonly rebalances: number;
  readonly restores: number;
  readonly restoreMs: number;
  readonly lastRestoreMs: number;
  readonly lag: readonly PartitionLag[];
  /** By partition that is here: event time of the newest tick, ms. */
  readonly ticksMs: readonly (readonly [partition: number, tickMs: number])[];
  /** Of the partitions, while they were here. */
  readonly counts: FoldCounts;
  readonly heapBytes: number;
}

export interface FoldService {
  /** Settles when the worker has ended; rejects with what broke it. */
  readonly ended: Promise<void>;
  /** Partitions that this fold has, and how many of them have their states again. */
  owned(): { readonly partitions: number; readonly restored: number };
  /** False until the group has told what this fold's share is. */
  hasShare(): boolean;
  stats(): Promise<FoldStats>;
  /** Waits until all frames of its partitions are folded, for 10 s at most, and not while the disk has no room for what they give. */
  drain(): Promise<void>;
  /** Commits, leaves a snapshot of each partition, leaves the group, closes the log. */
  stop(): Promise<void>;
}

/** Joins the group of the folds. */
export async function startFold({ log: plainLog, codecs, receiver, logger }: FoldServiceOptions): Promise<FoldService> {
  const steadyMs = (): number => performance.now();
  const patience = patientLog(plainLog);
  const { log, observation } = observeLog(patience.log, steadyMs);
  const { member, stats, counts } = await startFoldWorker({
    log,
    codecs,
    fold: { tickMs: TICK_MS, receiver },
    onRecovered: (recovery) => logger.warn({ ...recovery }, 'the offset of the group was wrong: the fold goes on where its outputs end'),
    onTakeOver: (takeOver) =>
      logger.warn(takeOver, 'another version of the fold wrote this partition: an audit compares what is written from here on'),
    onGap: (gap) =>
      logger.warn(gap, 'frames that the fold needs are deleted: it goes on with those that are left, and knows nothing of the others'),
  });
  const { owned } = observation;
  const fullTable = fullTableWarning(logger);
  const lagMeter = new LagMeter(log, 'frames', owned, steadyMs);

  return {
    ended: member.done,
    owned: () => ({ partitions: owned.size, restored: [...owned.values()].filter(({ restored }) => restored).length }),
    hasShare: () => member.rebalances > 0,
    async stats() {
      const lag = await lagMeter.measure();
      const { commits, snapshots, unreadableSnapshots, takeOvers, gaps, deadLetters, replayedRecords, offsetsRecovered } = stats;
      const { assigned, revoked, restores, restoreMs, lastRestoreMs, commitMs } = observation;
      const folded = counts();
      fullTable(folded);
      return {
        partitions: owned.size,
        commits,
        commitMs,
        snapshots,
        unreadableSnapshots,
        takeOvers,
        gaps,
        deadLetters,
        replayedRecords,
        offsetsRecovered: { ...offsetsRecovered },
        assigned,
        revoked,
        rebalances: member.rebalances,
        restores,
        restoreMs,
        lastRestoreMs,
        lag,
        ticksMs: lag.map(({ partition }) => [partition, stats.tickMs.get(partition) ?? 0] as const),
        counts: folded,
        heapBytes: process.memoryUsage().heapUsed,
      };
    },
    async drain() {
      const deadline = performance.now() + DRAIN_MS_MAX;
      const goesOn = (): boolean => performance.now() < deadline && patience.waiting() === 0;
      while (goesOn() && (await lagMeter.measure()).some(({ records }) => records !== 0)) await sleep(POLL_MS);
    },
    async stop() {
      patience.giveUp();
      await member.leave();
      await log.close();
    },
  };
}

/** Says once what a full table of aircraft means for those that are new. */
function fullTableWarning(logger: FoldServiceOptions['logger']): (counts: FoldCounts) => void {
  let saidDisplaced = false;
  let saidRefused = false;
  return ({ displaced, rejected }) => {
    const aircraftMax = limits.aircraftPerPartitionMax;
    if (displaced > 0 && !saidDisplaced)
      logger.warn({ aircraftMax, displaced }, 'the table of aircraft is full: aircraft that are not confirmed give way to new ones');
    saidDisplaced ||= displaced > 0;
    const refused = rejected[rejectReasons.indexOf('aircraft_limit')]!;
    if (refused > 0 && !saidRefused)
      logger.warn({ aircraftMax, refused }, 'the table of aircraft is full of confirmed ones: new aircraft are refused');
    saidRefused ||= refused > 0;
  };
}
