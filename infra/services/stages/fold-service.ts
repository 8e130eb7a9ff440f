// The fold as a service, in every profile.

import { type FoldWorkerStats, startFoldWorker, TICK_MS } from '../../../pipeline/fold/worker.ts';
import type { FoldCounts } from '../../../pipeline/fold/worker-counts.ts';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { rejectReasons } from '../../../schemas/avro/fold-progress.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { LineLogger } from '../logging.ts';
import { type Stage, type StageStats, startStage } from './stage.ts';

export interface FoldServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  readonly logger: Pick<LineLogger, 'warn'>;
}

/** Counts are since the start of the process, unless stated otherwise. */
export interface FoldStats extends StageStats, Omit<FoldWorkerStats, 'partitions' | 'nextOffsets' | 'tickMs'> {
  /** By owned partition: event time of the newest tick, ms. */
  readonly ticksMs: readonly (readonly [partition: number, tickMs: number])[];
  /** Counts of all partitions while this fold owned them. */
  readonly counts: FoldCounts;
}

/** Joins the group of the folds. `stop` also writes a snapshot of each partition. */
export function startFold({ log: plainLog, codecs, receiver, logger }: FoldServiceOptions): Promise<Stage<FoldStats>> {
  const warnOfFullTable = fullTableWarning(logger);
  return startStage(plainLog, 'frames', async (log) => {
    const { member, stats, counts } = await startFoldWorker({
      log,
      codecs,
      fold: { tickMs: TICK_MS, receiver },
      onRecovered: (recovery) =>
        logger.warn({ ...recovery }, 'the offset of the group was wrong: the fold continues where its outputs end'),
      onTakeOver: (takeOver) =>
        logger.warn(takeOver, 'another version of the fold wrote this partition: an audit compares records from this offset on'),
      onGap: (gap) => logger.warn(gap, 'frames were deleted before they were folded: the fold continues with the remaining ones'),
    });
    return {
      member,
      done: member.done,
      stats(shared) {
        const { nextOffsets: _, tickMs, ...counted } = stats;
        const folded = counts();
        warnOfFullTable(folded);
        return {
          ...{ ...counted, ...shared, counts: folded },
          ticksMs: shared.lag.map(({ partition }) => [partition, tickMs.get(partition) ?? 0] as const),
        };
      },
      stop: () => member.leave(),
    };
  });
}

/** Logs once that the table of aircraft is full, and what that means for new aircraft. */
function fullTableWarning(logger: FoldServiceOptions['logger']): (counts: FoldCounts) => void {
  const warned = new Set<string>();
  const warnOnce = (count: string, aircraft: number, message: string): void => {
    if (aircraft === 0 || warned.has(count)) return;
    warned.add(count);
    logger.warn({ aircraftMax: limits.aircraftPerPartitionMax, [count]: aircraft }, message);
  };
  return ({ displaced, rejected }) => {
    warnOnce('displaced', displaced, 'the aircraft table is full: new aircraft displace unconfirmed ones');
    const refused = rejected[rejectReasons.indexOf('aircraft_limit')]!;
    warnOnce('refused', refused, 'the aircraft table is full of confirmed aircraft: new aircraft are rejected');
  };
}
