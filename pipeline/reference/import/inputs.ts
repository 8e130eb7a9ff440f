// Inputs of an import: turns files, folders and archives, compressed or not, into single files with their bytes.
import { createReadStream, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { ByteSource } from '../../runtime/byte-source.ts';
import { type InputFile, isTar, tarFiles } from './tar.ts';

const READ_BYTES = 256 * 1024;

/** One FILE of the command line. */
export interface Input {
  readonly path: string;
  /** Bytes on the disk. */
  readonly storedBytes: number;
  /** Stored bytes read so far. */
  storedBytesRead(): number;
  /** Read each file to its end before requesting the next. Errors: `input.unreadable`. */
  files(): AsyncGenerator<InputFile>;
}

/** Error: `input.unreadable`. */
export async function openInput(path: string): Promise<Input> {
  const info = await statOf(path);
  const stored = info.isDirectory() ? await filesIn(path) : [{ path, bytes: info.size }];
  let done = 0;
  let current: ByteSource | null = null;
  return {
    path,
    storedBytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
    storedBytesRead: () => done + (current?.storedBytesRead ?? 0),
    async *files() {
      for (const file of stored) {
        current = new ByteSource(file.path, createReadStream(file.path, { highWaterMark: READ_BYTES }));
        try {
          yield* filesOf(current, file.path, info.isDirectory() ? relative(path, file.path) : '');
        } finally {
          await current.close();
          current = null;
          done += file.bytes;
        }
      }
    },
  };
}

async function* filesOf(source: ByteSource, storedPath: string, path: string): AsyncGenerator<InputFile> {
  const head = await source.peek();
  if (!isTar(head)) {
    yield { path, bytes: source.bytes() };
    return;
  }
  for await (const file of tarFiles(source.bytes(), storedPath)) yield { ...file, path: join(path, file.path) };
}

async function statOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw new SquitterError('input.unreadable', { path, detail: (error as Error).message }, error);
  }
}

/** All files below a folder, sorted by path. */
async function filesIn(folder: string): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  return await Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(path)).size })));
}
