// Free space on the disk of the store. Inserts are refused while less than the reserve is free: merges and the log need room, too.
import { statfsSync } from 'node:fs';
import { historyLimits } from '../../schemas/history-limits.ts';

/** Twice the share that the log keeps free: the history stops first. */
const SMALL_DISK_RATIO = 1 / 8;

export class DiskRoom {
  private readonly folder: string;
  private readonly reserveBytes: number;
  private measuredMs = Number.NEGATIVE_INFINITY;
  private free = Number.POSITIVE_INFINITY;

  /** `reserveBytes` null: the limit, or an eighth of a smaller disk. */
  constructor(folder: string, reserveBytes: number | null) {
    this.folder = folder;
    this.reserveBytes =
      reserveBytes ?? Math.min(historyLimits.storeDiskReserveBytes, Math.floor(diskSpace(folder).total * SMALL_DISK_RATIO));
  }

  freeBytes(): number {
    const now = performance.now();
    if (now - this.measuredMs >= historyLimits.storeDiskLookMs) {
      this.measuredMs = now;
      this.free = diskSpace(this.folder).free;
    }
    return this.free;
  }

  /** Why inserts are refused; null if they are not. */
  refusal(): string | null {
    const free = this.freeBytes();
    return free >= this.reserveBytes ? null : `${mebibytes(free)} MiB are free, ${mebibytes(this.reserveBytes)} MiB are kept in reserve`;
  }
}

/** Size and free space of the disk of a folder, in bytes. */
export function diskSpace(folder: string): { readonly total: number; readonly free: number } {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    if (blocks > 0) return { total: blocks * bsize, free: bavail * bsize };
  } catch {
    // A file system that does not report its size has room until a write fails.
  }
  return { total: Number.POSITIVE_INFINITY, free: Number.POSITIVE_INFINITY };
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1);
}
