// File descriptors, before LMDB needs them: where it gets too few while it opens its files, the process ends with a signal.
import { closeSync, openSync } from 'node:fs';
import { logFailure } from './failures.ts';

/** Its data file, its lock file, its data file again for flushing; and a segment. */
const NEEDED = 4;

/** Error: `log.no_descriptors`. `path` is a file or a folder that exists. */
export function needDescriptors(path: string): void {
  const files: number[] = [];
  try {
    for (let i = 0; i < NEEDED; i += 1) files.push(openSync(path, 'r'));
  } catch (error) {
    throw logFailure(path, error, 'log.not_readable');
  } finally {
    for (const file of files) closeSync(file);
  }
}
