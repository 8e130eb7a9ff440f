// The fold as a service, whatever its profile: the worker over a log, what it tells of itself, how it drains and stops.
import { setTimeout as sleep } from 'node:timers/promises';
import { startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import type { FoldCounts } from '../../pipeline/fold/worker-counts.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { observeLog } from './observed-log.ts';

/** How long a stop may wait for the fold to reach the end of the frames. */
const DRAIN_MS_MAX = 10_000;
const POLL_MS = 20;

export interface FoldServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

/** How far one partition is behind. */
export interface PartitionLag {
  readonly partition: number;
  /** First frame record not folded yet. */
  readonly nextOffset: number;
  /** Frame records not folded yet. */
  readonly records: number;
  /** Age of the newest record that is folded, while there are others; 0 when there are none. */
  readonly seconds: number;
  /** Event time of the newest tick. */
  readonly tickMs: number;
}

/** What a fold tells; counts are since the start of the process unless they say otherwise. */
export interface FoldStats {
  readonly partitions: number;
  readonly commits: number;
  readonly commitMs: number;
  readonly snapshots: number;
  readonly unreadableSnapshots: number;
  readonly deadLetters: number;
  readonly replayedRecords: number;
  /** Partitions handed to this fold, and taken back. */
  readonly assigned: number;
  readonly revoked: number;
  /** Times that the group told this fold its share. */
  readonly rebalances: number;
  readonly restores: number;
  readonly restoreMs: number;
  readonly lastRestoreMs: number;
  readonly lag: readonly PartitionLag[];
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
  /** Waits until all frames of its partitions are folded, for 10 s at most. */
  drain(): Promise<void>;
  /** Commits, leaves a snapshot of each partition, leaves the group, closes the log. */
  stop(): Promise<void>;
}

/** Joins the group of the folds. */
export async function startFold({ log: plainLog, codecs, receiver }: FoldServiceOptions): Promise<FoldService> {
  const { log, observation } = observeLog(plainLog, () => performance.now());
  const { member, stats, counts } = await startFoldWorker({ log, codecs, fold: { tickMs: TICK_MS, receiver } });
  const { owned } = observation;

  const lagOf = async (partition: number, nextOffset: number, timestampMs: number): Promise<PartitionLag> => {
    const { next } = await log.bounds('frames', partition);
    const records = Math.max(0, next - nextOffset);
    const seconds = records === 0 || timestampMs === 0 ? 0 : Math.max(0, Date.now() - timestampMs) / 1000;
    return { partition, nextOffset, records, seconds, tickMs: stats.tickMs.get(partition) ?? 0 };
  };
  const lags = () => Promise.all([...owned].map(([partition, place]) => lagOf(partition, place.nextOffset, place.timestampMs)));

  return {
    ended: member.done,
    owned: () => ({ partitions: owned.size, restored: [...owned.values()].filter(({ restored }) => restored).length }),
    hasShare: () => member.rebalances > 0,
    async stats() {
      const { commits, snapshots, unreadableSnapshots, deadLetters, replayedRecords } = stats;
      const { assigned, revoked, restores, restoreMs, lastRestoreMs, commitMs } = observation;
      return {
        partitions: owned.size,
        commits,
        commitMs,
        snapshots,
        unreadableSnapshots,
        deadLetters,
        replayedRecords,
        assigned,
        revoked,
        rebalances: member.rebalances,
        restores,
        restoreMs,
        lastRestoreMs,
        lag: (await lags()).sort((a, b) => a.partition - b.partition),
        counts: counts(),
        heapBytes: process.memoryUsage().heapUsed,
      };
    },
    async drain() {
      const deadline = performance.now() + DRAIN_MS_MAX;
      while (performance.now() < deadline && (await lags()).some(({ records }) => records > 0)) await sleep(POLL_MS);
    },
    async stop() {
      await member.leave();
      await log.close();
    },
  };
}
