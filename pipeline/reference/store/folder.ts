// The folder of imported tables. Its manifest names the valid files. An import writes new files beside the old ones and then renames the manifest,
// so that an import takes effect as a whole or not at all.
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { takeLock } from '../../runtime/folder-lock.ts';
import type { PackedTable } from './column-file.ts';

const MANIFEST = 'manifest.json';
const LOCK = 'import.lock';
const MANIFEST_VERSION = 1;
const HASH_CHARACTERS = 16;

export interface ManifestTable {
  /** Name of its file in the folder. */
  readonly file: string;
  readonly rows: number;
}

export interface Manifest {
  readonly version: number;
  /** ISO 8601. */
  readonly importedAt: string;
  readonly tables: Readonly<Record<string, ManifestTable>>;
}

/** The manifest of a folder; null if nothing was imported. Errors: `reference.damaged`, `input.unreadable`. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw new SquitterError('input.unreadable', { path, detail: (error as Error).message }, error);
  }
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch (error) {
    throw new SquitterError('reference.damaged', { path, detail: 'the manifest is not JSON' }, error);
  }
  if (manifest?.version !== MANIFEST_VERSION || typeof manifest.tables !== 'object')
    throw new SquitterError('reference.damaged', { path, detail: `expected a manifest of version ${MANIFEST_VERSION}` });
  return manifest;
}

/** A text that changes with every new manifest: null if there is none, the error if it cannot be read. */
export async function manifestMark(folder: string): Promise<string | null> {
  try {
    const { mtimeMs, ino, size } = await stat(join(folder, MANIFEST));
    return `${mtimeMs} ${ino} ${size}`;
  } catch (error) {
    return isMissing(error) ? null : String(error);
  }
}

/** Writes a table's file. It has no effect until a manifest names it. Error: `output.not_writable`. */
export async function writeTable(folder: string, table: PackedTable): Promise<ManifestTable> {
  const file = `${table.kind}-${table.sha256.slice(0, HASH_CHARACTERS)}.table`;
  await writeWhole(join(folder, file), table.pieces);
  return { file, rows: table.rows };
}

/** Makes these the tables of the folder and removes unused files. Error: `output.not_writable`. */
export async function commitManifest(folder: string, tables: Manifest['tables'], nowMs: number): Promise<void> {
  const manifest: Manifest = { version: MANIFEST_VERSION, importedAt: new Date(nowMs).toISOString(), tables };
  await writeWhole(join(folder, MANIFEST), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  const named = new Set([MANIFEST, LOCK, ...Object.values(tables).map(({ file }) => file)]);
  const ours = /\.table$|\.part$/;
  for (const file of await readdir(folder)) if (ours.test(file) && !named.has(file)) await rm(join(folder, file), { force: true });
}

/** Runs the only import into a folder, which is created if missing. Errors: `reference.in_use`, `output.not_writable`. */
export async function withImportLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, LOCK);
  await writing(folder, () => mkdir(folder, { recursive: true }));
  await writing(path, () => takeLock(path, (pid) => new SquitterError('reference.in_use', { path, pid })));
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes a temporary file, flushes it and renames it: a crash leaves the old file or the new one. */
async function writeWhole(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  await writing(path, async () => {
    const part = `${path}.part`;
    const file = await open(part, 'w');
    try {
      for (const piece of pieces) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
    const folder = await open(join(path, '..'), 'r');
    // Flushes the name; not every system can flush folders.
    await folder.sync().catch(() => {});
    await folder.close();
  });
}

async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SquitterError) throw error;
    throw new SquitterError('output.not_writable', { path, detail: (error as Error).message }, error);
  }
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
