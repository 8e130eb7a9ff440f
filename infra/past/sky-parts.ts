// Parts of the thread that shows the past, started before it opens the log. Threads take seconds to load their code on a busy machine, and the reference
// data as long: both load at the same time. None of them holds the log, so that the thread may still be terminated.
import { availableParallelism } from 'node:os';
import type { PastFolder } from '../../pipeline/past/moments.ts';
import type { PartitionSky } from '../../pipeline/past/partition-past.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { CalledThread } from '../../pipeline/runtime/thread-calls.ts';
import type { FoldRequest, FoldResponse } from './fold-thread.ts';
import type { PastSource } from './source.ts';

const foldThreadFile = programFile('infra/past/fold-thread');

export type FoldThread = Pick<CalledThread<FoldRequest, FoldResponse>, 'call' | 'close'>;

export interface SkyParts<Reference> {
  readonly reference: Reference;
  readonly folder: PastFolder;
  /** Ends the threads that fold. */
  closeFolds(): Promise<void>;
}

export interface SkyPartsOptions<Reference> {
  readonly partitions: number;
  /** Starts a thread that folds partitions; it opens the log with its first call. */
  startFold(number: number): FoldThread;
  openReference(): Promise<Reference>;
}

/** One thread for each processor folds, at most one for each partition. Errors: those of `openReference`. */
export async function startSkyParts<Reference>(options: SkyPartsOptions<Reference>): Promise<SkyParts<Reference>> {
  const { partitions, startFold, openReference } = options;
  const threads = Array.from({ length: Math.min(partitions, availableParallelism()) }, (_, i) => startFold(i));
  return {
    reference: await openReference(),
    folder: folderOf(threads, partitions),
    async closeFolds() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

export function startFoldThread(source: PastSource, number: number): FoldThread {
  return new CalledThread<FoldRequest, FoldResponse>(`past-fold-${number}`, foldThreadFile, source);
}

/** Each partition has its thread; a thread has every n-th. */
function folderOf(threads: readonly FoldThread[], partitions: number): PastFolder {
  const threadOf = (partition: number): FoldThread => threads[partition % threads.length]!;
  return {
    async at(folds, atMs) {
      const calls = Array.from({ length: partitions }, (_, partition) => threadOf(partition).call({ folds, partition, atMs }));
      // All of them end before the next moment begins.
      await Promise.allSettled(calls);
      return (await Promise.all(calls)) as PartitionSky[];
    },
    drop(folds) {
      for (const thread of threads) thread.call({ folds, atMs: null }).catch(() => {});
    },
  };
}
