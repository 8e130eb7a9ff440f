// Messages between the main thread and its worker threads.
import type { HoldReason } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { LmdbLogOptions } from '../../pipeline/log/lmdb/lmdb-log.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { SquitterError } from '../../schemas/errors.ts';

/** How the log is opened, the same in every thread. */
export type WriterLogOptions = Pick<LmdbLogOptions, 'diskReserveBytes'>;

/** Statistics of a thread that writes to the log. */
export type WriterStats<Stats> = Stats & { readonly held: HoldReason | null };

/** Main → worker. */
export type ToThread = { readonly type: 'stop' };

/** Worker → main. */
export type FromThread<Stats> =
  | { readonly type: 'ready'; readonly info: Readonly<Record<string, string>> }
  | { readonly type: 'stats'; readonly stats: Stats }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly error: ThreadError };

/** An error that can be posted between threads. */
export interface ThreadError {
  readonly code: ErrorCode | null;
  readonly details: Readonly<Record<string, string | number>>;
  readonly text: string;
}

export function toThreadError(error: unknown): ThreadError {
  if (error instanceof SquitterError) return { code: error.code, details: { ...error.details }, text: error.message };
  return { code: null, details: {}, text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromThreadError(worker: string, error: ThreadError): SquitterError {
  if (error.code !== null) return new SquitterError(error.code, error.details);
  return new SquitterError('worker.failed', { worker, detail: error.text });
}
