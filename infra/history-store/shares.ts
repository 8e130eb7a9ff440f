// Sessions, connections and threads of the store, chosen by the limit of open files of its process and the memory of the machine.
import { isSmallMemory, memoryBytes } from '../../pipeline/runtime/memory.ts';
import { limits } from '../../schemas/limits/index.ts';

export interface Shares {
  readonly readers: number;
  readonly connections: number;
  /** Threads of the engine: each holds three descriptors. */
  readonly threads: number;
  /** Few descriptors, or little memory: merges take fewer parts, and results are sorted in memory instead of read in order from all parts at once. */
  readonly isFew: boolean;
}

/** Memory of the engine: on a machine with 1 GB, 256 MB. */
export function storeMemoryBytes(bytes = memoryBytes()): number {
  return Math.min(limits.storeMemoryBytesMax, Math.floor(bytes * limits.storeMemoryRatio));
}

/** `limit` null: unknown. Null: too few for a store. */
export function sharesOf(limit: number | null, readers: number, isSmall = isSmallMemory()): Shares | null {
  if (limit !== null && limit < limits.storeDescriptorsMin) return null;
  if (!isSmall && (limit === null || limit >= limits.storeDescriptorsAmple))
    return { readers, connections: limits.storeConnectionsMax, threads: limits.storeThreadsMax, isFew: false };
  return {
    readers: Math.min(readers, limits.storeFewReaders),
    connections: limits.storeFewConnectionsMax,
    threads: limits.storeFewThreadsMax,
    isFew: true,
  };
}
