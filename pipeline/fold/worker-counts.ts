// What a worker's partitions counted while they were here. A partition brings its totals since the log began from worker to worker; counters
// made of those would jump with every partition that comes or goes.
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits.ts';
import type { PartitionFold } from './partition-fold.ts';
import { addCounts, type ReceiverCounts } from './receivers.ts';

export interface FoldCounts {
  /** Frames read, and those of them that took effect. */
  readonly frames: number;
  readonly messages: number;
  readonly positions: number;
  /** Positions that found no room among those waiting for their tick. */
  readonly positionsDropped: number;
  /** Aircraft that were not confirmed and gave way to new ones in a full table. */
  readonly displaced: number;
  /** Frames without effect, in the order of `rejectReasons`. */
  readonly rejected: readonly number[];
  /** Of each partition at most `limits.receiversInMetricsMax` by name. Lateness and last time are those of partitions that are here, else 0. */
  readonly receivers: readonly ReceiverCounts[];
}

const NONE: FoldCounts = {
  frames: 0,
  messages: 0,
  positions: 0,
  positionsDropped: 0,
  displaced: 0,
  rejected: rejectReasons.map(() => 0),
  receivers: [],
};

export class WorkerCounts {
  /** Partitions that are here, with their totals when they came. */
  private readonly here = new Map<number, { readonly fold: PartitionFold; readonly before: FoldCounts }>();
  /** What those that are gone counted here. */
  private gone = NONE;

  came(partition: number, fold: PartitionFold): void {
    this.here.set(partition, { fold, before: totals(fold) });
  }

  left(partition: number): void {
    const counts = this.of(partition);
    this.here.delete(partition);
    const receivers = counts.receivers.map((receiver) => ({ ...receiver, lateMs: 0, heardMs: 0 }));
    this.gone = sum(this.gone, { ...counts, receivers });
  }

  /** All partitions together, since the worker started; never less than before. */
  now(): FoldCounts {
    return [...this.here.keys()].reduce((total, partition) => sum(total, this.of(partition)), this.gone);
  }

  private of(partition: number): FoldCounts {
    const { fold, before } = this.here.get(partition)!;
    return growth(before, totals(fold));
  }
}

function totals(fold: PartitionFold): FoldCounts {
  const { frames, messages, positions, positionsDropped, rejected } = fold.progress(0);
  return {
    frames,
    messages,
    positions,
    positionsDropped,
    displaced: fold.displaced,
    rejected,
    receivers: fold.receiverCounts(limits.receiversInMetricsMax),
  };
}

function sum(a: FoldCounts, b: FoldCounts): FoldCounts {
  const receivers = new Map(a.receivers.map((counts) => [counts.id, counts]));
  for (const counts of b.receivers) {
    const known = receivers.get(counts.id);
    receivers.set(counts.id, known === undefined ? counts : addCounts(known, counts));
  }
  return {
    frames: a.frames + b.frames,
    messages: a.messages + b.messages,
    positions: a.positions + b.positions,
    positionsDropped: a.positionsDropped + b.positionsDropped,
    displaced: a.displaced + b.displaced,
    rejected: a.rejected.map((count, i) => count + b.rejected[i]!),
    receivers: [...receivers.values()],
  };
}

function growth(before: FoldCounts, now: FoldCounts): FoldCounts {
  const known = new Map(before.receivers.map((counts) => [counts.id, counts]));
  return {
    frames: now.frames - before.frames,
    messages: now.messages - before.messages,
    positions: now.positions - before.positions,
    positionsDropped: now.positionsDropped - before.positionsDropped,
    displaced: now.displaced - before.displaced,
    rejected: now.rejected.map((count, i) => count - before.rejected[i]!),
    receivers: now.receivers.map((counts) => receiverGrowth(known.get(counts.id), counts)),
  };
}

function receiverGrowth(before: ReceiverCounts | undefined, now: ReceiverCounts): ReceiverCounts {
  if (before === undefined) return now;
  return {
    ...now,
    frames: now.frames - before.frames,
    messages: now.messages - before.messages,
    copies: now.copies - before.copies,
    positions: now.positions - before.positions,
    disagreements: now.disagreements - before.disagreements,
  };
}
