// Waiting in tests for a condition or a value.

const PAUSE_MS_FIRST = 5;
const PAUSE_MS_MAX = 100;

/** Calls `read` until it returns something other than undefined, null or false; the error after too long contains `what`. The limit is for what never comes, also on a busy machine. */
export async function until<T>(
  read: () => T | Promise<T>,
  what: string = String(read),
  msMax = 120_000,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + msMax;
  for (let pauseMs = PAUSE_MS_FIRST; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    const value = await read();
    if (value !== undefined && value !== null && value !== false) return value as Exclude<T, undefined | null | false>;
    if (performance.now() > deadline) throw new Error(`not within ${msMax / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
