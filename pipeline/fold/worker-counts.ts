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

type Totals = Omit<FoldCounts, 'receiversLate' | 'feedersContradicted'>;

const SINGLE = ['frames', 'messages', 'positions', 'positionsDropped', 'displaced'] as const;
const NONE: Totals = { frames: 0, messages: 0, positions: 0, positionsDropped: 0, displaced: 0, rejected: rejectReasons.map(() => 0) };

export class WorkerCounts {
  private readonly folds = new Map<number, PartitionFold>();
  /** Totals of partitions at their end here, less those at their assignment. */
  private ended = NONE;

  came(partition: number, fold: PartitionFold): void {
    this.folds.set(partition, fold);
    this.ended = sum(this.ended, totals(fold), -1);
  }

  left(partition: number): void {
    this.ended = sum(this.ended, totals(this.folds.get(partition)!));
    this.folds.delete(partition);
  }

  /** Sum over all partitions since the worker started; never decreases. */
  now(): FoldCounts {
    const folds = [...this.folds.values()];
    const observed = folds.map((fold) => fold.observed());
    return {
      ...folds.reduce((total, fold) => sum(total, totals(fold)), this.ended),
      receiversLate: observed.reduce((total, { receiversLate }) => total + receiversLate, 0),
      feedersContradicted: observed.reduce((total, { feedersContradicted }) => total + feedersContradicted, 0),
    };
  }
}

function totals(fold: PartitionFold): Totals {
  return { ...fold.progress(0), displaced: fold.observed().displaced };
}

function sum(a: Totals, b: Totals, sign = 1): Totals {
  const single = Object.fromEntries(SINGLE.map((name) => [name, a[name] + sign * b[name]])) as Record<(typeof SINGLE)[number], number>;
  return { ...single, rejected: a.rejected.map((count, i) => count + sign * b.rejected[i]!) };
}
