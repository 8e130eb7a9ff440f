// Checks for free file descriptors before LMDB opens its files: with too few of them LMDB ends the process with a signal.
import { closeSync, openSync } from 'node:fs';
import { logFailure } from './failures.ts';

/** LMDB's data file, its lock file, its data file again for flushing; and a segment. */
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
