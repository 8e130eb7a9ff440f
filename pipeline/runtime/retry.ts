// Work that is repeated until it succeeds, and the pauses between the attempts.
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or less if the signal aborts. Never rejects. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** The pause after a number of failures in a row: it doubles with each. */
export function pauseAfter(failures: number, firstMs: number, mostMs: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), mostMs);
}

/**
 * Repeats the work until it succeeds. `onFailure` gets each error and the number of failures in a row: it throws what ends the attempts, or returns
 * the pause before the next one, ms. The signal ends a pause.
 */
export async function retrying<T>(
  work: () => Promise<T>,
  onFailure: (error: unknown, failures: number) => number | Promise<number>,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      await pause(await onFailure(error, failures), signal);
    }
  }
}
