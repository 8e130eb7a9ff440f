// The worker's side of a thread: runs its work, reports statistics, stops on request, and reports its error.

import { parentPort } from 'node:worker_threads';
import { collectEvery } from '../../pipeline/runtime/full-collections.ts';
import { toThreadError } from '../../pipeline/runtime/thread-errors.ts';
import type { LineLogger } from '../services/logging.ts';
import type { FromThread, ToThread } from './thread-host.ts';

const STATS_INTERVAL_MS = 1000;
/** A collection takes 10 to 20 ms. In this time 5,000 aircraft leave up to 5 MB of garbage in the old space. */
const COLLECTION_INTERVAL_MS = 60_000;

export interface ThreadWork<Stats> {
  readonly info: Readonly<Record<string, string>>;
  stats(): Promise<Stats>;
  /** Drains, commits and closes. */
  stop(): Promise<void>;
  /** Rejects when the work fails. */
  readonly failed: Promise<unknown>;
}

/** Runs the work of an entry file. The thread ends when the work has stopped. */
export async function runThread<Stats>(start: (logger: LineLogger) => Promise<ThreadWork<Stats>>): Promise<void> {
  const port = parentPort!;
  const post = (message: FromThread<Stats>): void => port.postMessage(message);
  let timer: NodeJS.Timeout | undefined;
  let endCollections = (): void => {};
  try {
    const stopRequested = new Promise<void>((resolve) => {
      port.on('message', (message: ToThread) => {
        if (message.type === 'stop') resolve();
      });
    });
    const line = (level: 'info' | 'warn') => (fields: object, message: string) =>
      post({ type: 'log', level, fields: { ...fields }, message });
    const work = await start({ info: line('info'), warn: line('warn') });
    endCollections = collectEvery(COLLECTION_INTERVAL_MS);
    post({ type: 'stats', stats: await work.stats() });
    post({ type: 'ready', info: work.info });
    timer = setInterval(() => {
      work.stats().then(
        (stats) => post({ type: 'stats', stats }),
        (error: unknown) => post({ type: 'failed', error: toThreadError(error) }),
      );
    }, STATS_INTERVAL_MS);
    const failure = work.failed.then(
      () => new Promise<void>(() => {}),
      (error: unknown) => {
        throw error;
      },
    );
    await Promise.race([stopRequested, failure]);
    clearInterval(timer);
    await work.stop();
  } catch (error) {
    post({ type: 'failed', error: toThreadError(error) });
  }
  clearInterval(timer);
  endCollections();
  port.close();
}
