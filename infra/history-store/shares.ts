// Sessions, connections and threads of the store, by the limit of open files of its process.
import { limits } from '../../schemas/limits/index.ts';

export interface Shares {
  readonly readers: number;
  readonly connections: number;
  /** Threads of the engine: each holds three descriptors. */
  readonly threads: number;
  /** Few descriptors: merges take fewer parts, and results are sorted in memory instead of read in order from all parts at once. */
  readonly isFew: boolean;
}

/** `limit` null: unknown. Null: too few for a store. */
export function sharesOf(limit: number | null, readers: number): Shares | null {
  if (limit !== null && limit < limits.storeDescriptorsMin) return null;
  if (limit === null || limit >= limits.storeDescriptorsAmple)
    return { readers, connections: limits.storeConnectionsMax, threads: limits.storeThreadsMax, isFew: false };
  return {
    readers: Math.min(readers, limits.storeFewReaders),
    connections: limits.storeFewConnectionsMax,
    threads: limits.storeFewThreadsMax,
    isFew: true,
  };
}
