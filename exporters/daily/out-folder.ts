// The folder of published files: one exporter at a time, and nothing is visible before it is whole. A day is published when its manifest is there.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../../pipeline/runtime/folder-lock.ts';
import { type DailyManifest, manifestName } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { storageError } from './duck.ts';

const LOCK = '.export.lock';
/** Unfinished work is in folders with this name, which no catalogue shows. */
const SPILL = '.spill-';

/**
 * Runs the only export into a folder, which is created if missing, with an empty folder for its work. Files that a killed export left are removed first.
 * Errors: `export.in_use`, `export.no_space`, `export.failed`.
 */
export async function withExportFolder<T>(outDir: string, work: (spillFolder: string) => Promise<T>): Promise<T> {
  const lock = join(outDir, LOCK);
  const spill = join(outDir, `${SPILL}${process.pid}`);
  try {
    await mkdir(outDir, { recursive: true });
    await takeLock(lock, (pid) => new SquitterError('export.in_use', { path: lock, pid }));
  } catch (error) {
    throw storageError(outDir, error);
  }
  try {
    for (const name of await readdir(outDir))
      if (name.startsWith(SPILL) || name.endsWith('.part')) await rm(join(outDir, name), { recursive: true, force: true });
    await mkdir(spill);
    return await work(spill);
  } catch (error) {
    throw error instanceof Error && error.name === 'AbortError' ? error : storageError(outDir, error);
  } finally {
    await rm(spill, { recursive: true, force: true });
    await rm(lock, { force: true });
  }
}

/** The manifest of a published day; null if the day is not published. A manifest that cannot be read counts as none: the day is then made again. */
export async function publishedManifest(outDir: string, day: string): Promise<DailyManifest | null> {
  try {
    const manifest = JSON.parse(await readFile(join(outDir, manifestName(day)), 'utf8')) as DailyManifest;
    return manifest.day === day && Array.isArray(manifest.files) ? manifest : null;
  } catch {
    return null;
  }
}

/** Makes finished files visible under their names, the last one last. They survive a power failure. */
export async function publishFiles(spill: string, outDir: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const file = await open(join(spill, name), 'r+');
    await file.sync();
    await file.close();
  }
  // A replaced day is unpublished first: its manifest never names files of another one.
  await rm(join(outDir, names.at(-1)!), { force: true });
  for (const name of names) await rename(join(spill, name), join(outDir, name));
  const folder = await open(outDir, 'r');
  // Some systems cannot flush folders.
  await folder.sync().catch(() => {});
  await folder.close();
}

/** Bytes and SHA-256 of a file. */
export async function digestOf(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}
