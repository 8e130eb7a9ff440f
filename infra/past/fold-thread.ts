// Entry of a thread that folds the past: some partitions of the log, for one moment or more, at low priority.
import { setMaxListeners } from 'node:events';
import { workerData } from 'node:worker_threads';
import { PartitionPast, type PartitionSky } from '../../pipeline/past/partition-past.ts';
import { serveCalls, yieldToOthers } from '../../pipeline/runtime/thread-calls.ts';
import { openSource, type PastSource } from './source.ts';

/** `folds`: number of a moment's folds. `atMs` null forgets them. */
export type FoldRequest =
  | { readonly folds: number; readonly partition: number; readonly atMs: number }
  | { readonly folds: number; readonly atMs: null };
export type FoldResponse = PartitionSky | null;

yieldToOthers();
serveCalls<FoldRequest, FoldResponse>(async ({ isEnding }) => {
  const { log, codecs } = await openSource(workerData as PastSource);
  const stop = new AbortController();
  // Each partition reads with it.
  setMaxListeners(0, stop.signal);
  /** The newest fold. Folds wait for each other: those that wait are read by others meanwhile. */
  let folding: Promise<unknown> = Promise.resolve();
  /** By folds and partition. */
  const partitionsOf = new Map<number, Map<number, PartitionPast>>();

  const past = (folds: number, partition: number): PartitionPast => {
    const partitions = partitionsOf.get(folds) ?? new Map<number, PartitionPast>();
    partitionsOf.set(folds, partitions);
    const found = partitions.get(partition) ?? new PartitionPast(log, codecs, partition);
    partitions.set(partition, found);
    return found;
  };

  return {
    async handle(request) {
      if (request.atMs === null) {
        partitionsOf.delete(request.folds);
        return null;
      }
      const { folds, partition, atMs } = request;
      const sky = folding.then(() => past(folds, partition).at(atMs, { signal: stop.signal, isEnding }));
      folding = sky.catch(() => {});
      return sky;
    },
    transferOf: (response) => (response === null ? [] : [response.values.buffer, response.ends.buffer]),
    async close() {
      stop.abort();
      await folding;
      await log.close();
    },
  };
});
