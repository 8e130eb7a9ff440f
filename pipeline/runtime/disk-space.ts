// Size and free space of the disk that a folder is on.
import { statfsSync } from 'node:fs';

export interface DiskSpace {
  readonly totalBytes: number;
  /** Free for a process without privileges. */
  readonly freeBytes: number;
}

/** Without end if the file system does not report its size. It has room until a write fails. */
export function diskSpace(folder: string): DiskSpace {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    if (blocks > 0) return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    // A special file system.
  }
  return { totalBytes: Number.POSITIVE_INFINITY, freeBytes: Number.POSITIVE_INFINITY };
}

/** For texts. */
export function mebibytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1);
}
