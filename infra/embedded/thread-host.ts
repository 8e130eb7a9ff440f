// The main thread's side of a worker thread: starts it, waits until it is ready, stops it, receives its failure.

import { Worker } from 'node:worker_threads';
import type { Damage } from '../../pipeline/log/damage.ts';
import type { HoldReason } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { LmdbLogOptions } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { isMissingModule } from '../../pipeline/runtime/package-root.ts';
import { fromThreadError, type ThreadError } from '../../pipeline/runtime/thread-errors.ts';
import type { LineLogger } from '../services/logging.ts';

/** How the log is opened, the same in every thread. */
export type WriterLogOptions = Pick<LmdbLogOptions, 'diskReserveBytes' | 'changes'>;

/** Statistics of a thread that writes to the log. */
export type WriterStats<Stats> = Stats & { readonly held: HoldReason | null; readonly damages: readonly Damage[] };

/** Main → worker. */
export type ToThread = { readonly type: 'stop' };

/** Worker → main. */
export type FromThread<Stats> =
  | { readonly type: 'ready'; readonly info: Readonly<Record<string, string>> }
  | { readonly type: 'stats'; readonly stats: Stats }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }
  | { readonly type: 'failed'; readonly error: ThreadError };

/** Starts a worker thread. Resolves when it is ready. */
export async function startThread<Stats>(
  name: string,
  file: URL,
  workerData: unknown,
  logger: LineLogger,
  onStats: (stats: Stats) => void,
) {
  const worker = new Worker(file, { workerData, name });
  let stopping = false;
  let reportFailure: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    reportFailure = reject;
  });
  failed.catch(() => {});
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      if (!stopping) reportFailure(fromThreadError(name, { code: null, details: {}, text: 'the thread ended unexpectedly' }));
      resolve();
    });
  });
  worker.on('error', (error) =>
    reportFailure(isMissingModule(error) ? error : fromThreadError(name, { code: null, details: {}, text: error.stack ?? error.message })),
  );
  const ready = new Promise<Readonly<Record<string, string>>>((resolve) => {
    worker.on('message', (message: FromThread<Stats>) => {
      if (message.type === 'ready') resolve(message.info);
      else if (message.type === 'stats') onStats(message.stats);
      else if (message.type === 'log') logger[message.level](message.fields, message.message);
      else if (message.type === 'failed') reportFailure(fromThreadError(name, message.error));
    });
  });
  const info = await Promise.race([ready, failed]).catch(async (error: unknown) => {
    stopping = true;
    await worker.terminate();
    throw error;
  });
  return {
    info,
    /** Rejects when the thread fails, or ends without a request. */
    failed,
    /** Drains and ends the thread. Resolves when the thread has closed its log. */
    async stop(): Promise<void> {
      stopping = true;
      worker.postMessage({ type: 'stop' } satisfies ToThread);
      // A failed thread may not end because of open sockets; the process ends soon anyway.
      await Promise.race([exited, failed.catch(() => {})]);
    },
  };
}
