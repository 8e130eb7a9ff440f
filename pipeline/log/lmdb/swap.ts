// A log that is made beside the old one and takes its place when it is complete. A process that is killed at any point leaves one of them usable: the old
// one is moved away only for a complete one, which the next opening for writing moves into its place.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const besideOf = (path: string): string => `${path}.new`;

/** Data folder of the new log. Its owner has the old one open for writing, until the swap. */
export const newDataDir = besideOf;
const newLog = (path: string): string => join(besideOf(path), 'log');

/** The new log, which is closed, takes the place of the old one, whose process still owns it. Errors: those of the disk. */
export function swapLogs(path: string): void {
  renameSync(path, join(besideOf(path), 'before'));
  finishSwap(path);
}

/** Ends a swap that its process did not. */
export function finishSwap(path: string): void {
  if (!existsSync(path) && existsSync(newLog(path))) renameSync(newLog(path), path);
}

/** Removes what a swap, or the end of its process, left beside the log. Only for the owner of the log. */
export function removeBeside(path: string): void {
  if (existsSync(path)) rmSync(besideOf(path), { recursive: true, force: true });
}
