// The files in segments/ as their names tell of them.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { logFailure } from './failures.ts';

const ENDING = '.seg';

export interface SegmentFile {
  readonly name: string;
  readonly id: number;
  readonly bytes: number;
}

/** Files that look like segments, by their names. Errors: those of the disk. */
export function segmentFilesIn(path: string): SegmentFile[] {
  const folder = join(path, 'segments');
  try {
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => name.endsWith(ENDING));
    return names.sort().map((name) => ({ name, id: Number.parseInt(name, 10), bytes: statSync(join(folder, name)).size }));
  } catch (error) {
    throw logFailure(path, error, 'log.not_readable');
  }
}

/** What stands in segments/, in words. */
export function segmentsInWords(files: readonly SegmentFile[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${files.length} ${files.length === 1 ? 'segment' : 'segments'} with ${bytes.toLocaleString('en')} bytes`;
}
