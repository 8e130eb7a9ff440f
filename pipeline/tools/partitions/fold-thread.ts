// Entry of a thread that folds a new log while its frames are written: its share of the partitions, up to the ends of the second call.
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { startFoldWorker, TICK_MS } from '../../fold/worker.ts';
import { type PartitionShare, sharedPartitions } from '../../log/group.ts';
import { openData } from '../../log/open-data.ts';
import { serveCalls } from '../../runtime/thread-calls.ts';

export interface FoldThreadData {
  readonly dataDir: string;
  readonly share: PartitionShare;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

/** End offsets of all partitions; null while they are not known. */
export type FoldUpTo = readonly number[] | null;

const POLL_MS = 50;

serveCalls<FoldUpTo, null>(async ({ note }) => {
  const { dataDir, share, receiver } = workerData as FoldThreadData;
  const { log, codecs } = await openData(dataDir, 'write', { share });
  const { member, stats, counts } = await startFoldWorker({ log, codecs, fold: { tickMs: TICK_MS, receiver } });
  member.done.catch(() => {});
  const timer = setInterval(() => note(counts().frames), POLL_MS);
  return {
    async handle(ends) {
      const isBehind = (partition: number): boolean => (stats.nextOffsets.get(partition) ?? 0) < ends![partition]!;
      while (ends !== null && sharedPartitions(ends.length, share).some(isBehind)) await Promise.race([sleep(POLL_MS), member.done]);
      note(counts().frames);
      return null;
    },
    async close() {
      clearInterval(timer);
      // Writes a snapshot of each partition.
      await member.leave();
      await log.close();
    },
  };
});
