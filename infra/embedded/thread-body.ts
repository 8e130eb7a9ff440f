// The worker's side of a thread: runs its work, reports statistics, stops on request, and reports its error.
import { parentPort } from 'node:worker_threads';
import { collectEvery } from '../../pipeline/runtime/full-collections.ts';
import { toThreadError } from '../../pipeline/runtime/thread-errors.ts';
import type { FromThread, ToThread } from './thread-protocol.ts';

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

export type ThreadLog = (level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Runs the work of an entry file. The thread ends when the work has stopped. */
export async function runThread<Stats>(start: (log: ThreadLog) => Promise<ThreadWork<Stats>>): Promise<void> {
  const port = parentPort!;
  const say = (message: FromThread<Stats>): void => port.postMessage(message);
  let timer: NodeJS.Timeout | undefined;
  const endCollections = collectEvery(COLLECTION_INTERVAL_MS);
  try {
    const stopAsked = new Promise<void>((resolve) => {
      port.on('message', (message: ToThread) => {
        if (message.type === 'stop') resolve();
      });
    });
    const work = await start((level, fields, message) => say({ type: 'log', level, fields, message }));
    say({ type: 'stats', stats: await work.stats() });
    say({ type: 'ready', info: work.info });
    timer = setInterval(() => {
      work.stats().then(
        (stats) => say({ type: 'stats', stats }),
        (error: unknown) => say({ type: 'failed', error: toThreadError(error) }),
      );
    }, STATS_INTERVAL_MS);
    const failure = work.failed.then(
      () => new Promise<void>(() => {}),
      (error: unknown) => {
        throw error;
      },
    );
    await Promise.race([stopAsked, failure]);
    clearInterval(timer);
    await work.stop();
    say({ type: 'stopped' });
  } catch (error) {
    say({ type: 'failed', error: toThreadError(error) });
  }
  clearInterval(timer);
  endCollections();
  port.close();
}
