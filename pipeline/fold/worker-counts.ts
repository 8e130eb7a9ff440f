// Counts of a worker's partitions while they were assigned to it. A partition brings its totals since the log began; counters made
// of those would jump whenever a partition comes or goes.
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import type { PartitionFold } from './partition-fold.ts';

export interface FoldCounts {
  /** Frames read, and those that changed a state. */
  readonly frames: number;
  readonly messages: number;
  readonly positions: number;
  /** Positions without room among those that wait for their tick. */
  readonly positionsDropped: number;
  /** Unconfirmed aircraft displaced by new ones in a full table. */
  readonly displaced: number;
  /** Rejected frames, in the order of `rejectReasons`. */
  readonly rejected: readonly number[];
  /** Receivers dated back, and feeders that others contradicted in the last minute: now, a receiver counts in each assigned partition. */
  readonly receiversLate: number;
  readonly feedersContradicted: number;
}

const NONE: FoldCounts = {
  frames: 0,
  messages: 0,
  positions: 0,
  positionsDropped: 0,
  displaced: 0,
  rejected: rejectReasons.map(() => 0),
  receiversLate: 0,
  feedersContradicted: 0,
};

export class WorkerCounts {
  /** Assigned partitions, with their totals at assignment. */
  private readonly here = new Map<number, { readonly fold: PartitionFold; readonly before: FoldCounts }>();
  /** Counts of partitions that have left. */
  private gone = NONE;

  came(partition: number, fold: PartitionFold): void {
    this.here.set(partition, { fold, before: totals(fold) });
  }

  left(partition: number): void {
    const counts = this.of(partition);
    this.here.delete(partition);
    this.gone = sum(this.gone, { ...counts, receiversLate: 0, feedersContradicted: 0 });
  }

  /** Sum over all partitions since the worker started; never decreases. */
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
    rejected,
    ...fold.observed(),
  };
}

function sum(a: FoldCounts, b: FoldCounts): FoldCounts {
  return {
    frames: a.frames + b.frames,
    messages: a.messages + b.messages,
    positions: a.positions + b.positions,
    positionsDropped: a.positionsDropped + b.positionsDropped,
    displaced: a.displaced + b.displaced,
    rejected: a.rejected.map((count, i) => count + b.rejected[i]!),
    receiversLate: a.receiversLate + b.receiversLate,
    feedersContradicted: a.feedersContradicted + b.feedersContradicted,
  };
}

function growth(before: FoldCounts, now: FoldCounts): FoldCounts {
  return {
    frames: now.frames - before.frames,
    messages: now.messages - before.messages,
    positions: now.positions - before.positions,
    positionsDropped: now.positionsDropped - before.positionsDropped,
    displaced: now.displaced - before.displaced,
    rejected: now.rejected.map((count, i) => count - before.rejected[i]!),
    receiversLate: now.receiversLate,
    feedersContradicted: now.feedersContradicted,
  };
}
