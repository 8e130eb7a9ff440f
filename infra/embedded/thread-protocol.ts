// Messages between the main thread and its worker threads.
import type { Damage } from '../../pipeline/log/damage.ts';
import type { HoldReason } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { LmdbLogOptions } from '../../pipeline/log/lmdb/lmdb-log.ts';
import type { ThreadError } from '../../pipeline/runtime/thread-errors.ts';

/** How the log is opened, the same in every thread. */
export type WriterLogOptions = Pick<LmdbLogOptions, 'diskReserveBytes'>;

/** Statistics of a thread that writes to the log. */
export type WriterStats<Stats> = Stats & { readonly held: HoldReason | null; readonly damages: readonly Damage[] };

/** Main → worker. */
export type ToThread = { readonly type: 'stop' };

/** Worker → main. */
export type FromThread<Stats> =
  | { readonly type: 'ready'; readonly info: Readonly<Record<string, string>> }
  | { readonly type: 'stats'; readonly stats: Stats }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly error: ThreadError };
