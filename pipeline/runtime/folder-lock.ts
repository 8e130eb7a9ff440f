// A lock file: one process at a time works in a folder.
import { open, readFile, rm } from 'node:fs/promises';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

const ATTEMPTS = 3;
/** Holder of an unreadable lock. */
const NOBODY: ProcessIdentity = { pid: 0, startedAt: '', bootId: 'none' };

/** Creates the file; the caller removes it. A lock whose process is gone is replaced. Errors: `inUse` with the holder's pid, those of the system. */
export async function takeLock(path: string, inUse: (pid: number | '?') => Error): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(JSON.stringify(thisProcess()));
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readFile(path, 'utf8').then(
      (text) => parseIdentity(text),
      () => NOBODY,
    );
    if (isAlive(holder)) throw inUse(holder.pid);
    await rm(path, { force: true });
  }
  throw inUse('?');
}

function parseIdentity(text: string): ProcessIdentity {
  try {
    return { ...NOBODY, ...(JSON.parse(text) as ProcessIdentity) };
  } catch {
    return NOBODY;
  }
}
