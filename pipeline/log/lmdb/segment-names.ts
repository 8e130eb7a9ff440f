// The files in segments/, from their names.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { logFailure } from './failures.ts';

const ENDING = '.seg';

export interface SegmentFile {
  readonly name: string;
  readonly id: number;
  readonly bytes: number;
}

/** Segment files, by name. Errors: those of the disk. */
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

/** Number and size of segments, as text. */
export function segmentsInWords(files: readonly SegmentFile[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${files.length} ${files.length === 1 ? 'segment' : 'segments'} with ${bytes.toLocaleString('en')} bytes`;
}
