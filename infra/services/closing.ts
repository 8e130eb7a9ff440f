// Closes the parts of a process in order, within a time limit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

export type Closer = () => Promise<unknown>;

/**
 * Closes one part after the other. Failures are logged and do not stop the rest. Returns true if nothing failed.
 * Error: `service.stop_timeout`; the caller must then end what is still open.
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
