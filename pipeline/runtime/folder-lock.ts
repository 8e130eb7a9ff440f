// A lock file: one process at a time works in a folder.
import { createHash, randomUUID } from 'node:crypto';
import { constants, copyFile, link, readFile, rm, writeFile } from 'node:fs/promises';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

const HASH_CHARACTERS = 16;
/** Holder of an unreadable lock. */
const NOBODY: ProcessIdentity = { pid: 0, startedAt: '', bootId: 'none' };

/** Creates the file, whole; the caller removes it. A lock whose process is gone is replaced. Errors: `inUse` with the holder's pid, those of the system. */
export async function takeLock(path: string, inUse: (pid: number) => Error): Promise<void> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify(thisProcess()));
  try {
    while (!(await isLinked(own, path))) {
      const text = await lockText(path);
      if (text === null) continue;
      const holder = parseIdentity(text);
      if (isAlive(holder)) throw inUse(holder.pid);
      await removeLock(path, text, inUse);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes the lock of a process that died. If several processes find the lock, only one of them removes it: the others might remove a lock that
 * was taken since.
 */
async function removeLock(path: string, text: string, inUse: (pid: number) => Error): Promise<void> {
  const claim = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)}`;
  await takeLock(claim, inUse);
  try {
    if ((await lockText(path)) === text) await rm(path, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

async function isLinked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      // Not every file system has links.
      return copyFile(own, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The content of the lock file; null if it is gone. */
async function lockText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseIdentity(text: string): ProcessIdentity {
  try {
    return { ...NOBODY, ...(JSON.parse(text) as ProcessIdentity) };
  } catch {
    return NOBODY;
  }
}
