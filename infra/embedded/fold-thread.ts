// Entry of the fold's worker thread: decode and fold, all partitions, against the embedded log.
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { rejectedByReason, startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { runThread } from './thread-body.ts';
import type { FoldThreadStats } from './thread-protocol.ts';

export interface FoldThreadData {
  readonly dataDir: string;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

/** How long a stop may wait for the fold to reach the end of the frames. */
const DRAIN_MS_MAX = 10_000;
const POLL_MS = 20;

await runThread<FoldThreadStats>(async () => {
  const { dataDir, receiver } = workerData as FoldThreadData;
  const { log, codecs } = await openData(dataDir, 'write');
  const { member, stats, receivers } = await startFoldWorker({ log, codecs, fold: { tickMs: TICK_MS, receiver } });

  // Ready means: every state is rebuilt.
  const assigned = async (): Promise<void> => {
    while (stats.partitions < log.partitions('frames')) await sleep(POLL_MS);
  };
  await Promise.race([assigned(), member.done]);

  const lagOf = async (partition: number) => {
    const { next } = await log.bounds('frames', partition);
    const at = stats.nextOffsets.get(partition) ?? 0;
    return { partition, records: Math.max(0, next - at), tickMs: stats.tickMs.get(partition) ?? 0 };
  };
  const lags = () => Promise.all(Array.from({ length: log.partitions('frames') }, (_, partition) => lagOf(partition)));

  return {
    info: {},
    failed: member.done,
    async stats() {
      const { partitions, commits, snapshots, unreadableSnapshots, deadLetters, replayedRecords, positionsDropped } = stats;
      const heapBytes = process.memoryUsage().heapUsed;
      const rejected = rejectedByReason(stats.rejected);
      return {
        partitions,
        commits,
        snapshots,
        unreadableSnapshots,
        deadLetters,
        replayedRecords,
        lag: await lags(),
        rejected,
        receivers: receivers(),
        positionsDropped,
        heapBytes,
      };
    },
    async stop() {
      const deadline = performance.now() + DRAIN_MS_MAX;
      while (performance.now() < deadline && (await lags()).some(({ records }) => records > 0)) await sleep(POLL_MS);
      await member.leave();
      await log.close();
    },
  };
});
