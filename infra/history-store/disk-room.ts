// Free space on the disk of the store. Inserts are refused while less than the reserve is free: merges and the log need room, too.
import { diskSpace, mebibytes } from '../../pipeline/runtime/disk-space.ts';
import { limits } from '../../schemas/limits/index.ts';

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
    this.reserveBytes = reserveBytes ?? Math.min(limits.storeDiskReserveBytes, Math.floor(diskSpace(folder).totalBytes * SMALL_DISK_RATIO));
  }

  /** Why inserts are refused; null if they are not. */
  refusal(): string | null {
    const now = performance.now();
    if (now - this.measuredMs >= limits.storeDiskCheckMs) {
      this.measuredMs = now;
      this.free = diskSpace(this.folder).freeBytes;
    }
    const { free, reserveBytes } = this;
    return free >= reserveBytes ? null : `${mebibytes(free)} MiB are free, ${mebibytes(reserveBytes)} MiB are kept in reserve`;
  }
}
