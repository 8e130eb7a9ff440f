// A lock file between processes.
import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TOUCH_MS = 1000;
const STALE_MS = 10_000;

/**
 * Waits for the lock file, works, and removes it. The holder touches the file regularly; a file that is not touched for 10 s is taken over.
 * A holder that was only frozen then works in parallel with another one, so the work must end in a rename.
 */
export async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      writeFileSync(path, '', { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const touchedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touchedAtMs > STALE_MS) rmSync(path, { force: true });
    else await sleep(TOUCH_MS / 4);
  }
  const touch = setInterval(() => {
    if (existsSync(path)) utimesSync(path, new Date(), new Date());
  }, TOUCH_MS);
  try {
    await work();
  } finally {
    clearInterval(touch);
    rmSync(path, { force: true });
  }
}
