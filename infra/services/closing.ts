// Closes the parts of a process in order, within the time that whoever stops it will wait.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';

export type Closer = () => Promise<unknown>;

/**
 * Closes one after the other; what fails is told, the rest is closed all the same. True when nothing failed.
 * Error: `service.stop_timeout`; what is open then is the caller's to end.
 */
export async function closeAll(closers: readonly Closer[], logger: Logger, msMax: number = limits.shutdownMsMax): Promise<boolean> {
  const late = new AbortController();
  const timeout = sleep(msMax, undefined, { signal: late.signal }).then(
    () => {
      throw new SquitterError('service.stop_timeout', { seconds: msMax / 1000 });
    },
    () => {},
  );
  const closed = async (): Promise<boolean> => {
    let clean = true;
    for (const close of closers) {
      await close().catch((error: unknown) => {
        clean = false;
        logger.warn({ error: String(error) }, 'closing failed');
      });
    }
    late.abort();
    return clean;
  };
  const closing = closed();
  return await Promise.race([closing, timeout.then(() => closing)]);
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
