// Holds writing while the disk is nearly full: LMDB, retention and compaction need room to work, and other programs may fill the disk.
// A held log refuses appends and commits with the retriable `log.no_space`; it can still be read.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type DiskSpace, diskSpace, mebibytes } from '../../runtime/disk-space.ts';

/** `reserve`: less than the reserve is free. `refused`: a write failed for lack of space, as with a quota. */
export type HoldReason = 'reserve' | 'refused';

export interface DiskState extends DiskSpace {
  readonly reserveBytes: number;
  readonly held: HoldReason | null;
}

interface DiskGuardOptions {
  /** A folder on the disk. */
  readonly path: string;
  /** Default: `limits.logDiskReserveBytes`, or a sixteenth of a smaller disk. */
  readonly reserveBytes?: number;
  /** Monotonic clock, ms. */
  readonly nowMs?: () => number;
  /** Queries the file system. */
  readonly query?: (path: string) => DiskSpace;
}

const SMALL_DISK_RESERVE_RATIO = 1 / 16;
/** Writing resumes only when more than the reserve is free, so that it does not stop again at once. */
const RELEASE_RATIO = 1.25;

export class DiskGuard {
  private readonly options: DiskGuardOptions;
  private readonly nowMs: () => number;
  private queriedMs = Number.NEGATIVE_INFINITY;
  private refusedMs = Number.NEGATIVE_INFINITY;
  private current: DiskState = { totalBytes: 0, freeBytes: 0, reserveBytes: 0, held: null };

  constructor(options: DiskGuardOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The disk state, at most `limits.logDiskLookMs` old: a query costs some µs. */
  state(): DiskState {
    const now = this.nowMs();
    if (now - this.queriedMs < limits.logDiskCheckMs) return this.current;
    this.queriedMs = now;
    const { path, reserveBytes: wanted, query = diskSpace } = this.options;
    const room = query(path);
    const reserveBytes = wanted ?? Math.min(limits.logDiskReserveBytes, Math.floor(room.totalBytes * SMALL_DISK_RESERVE_RATIO));
    this.current = { ...room, reserveBytes, held: this.heldWith(room.freeBytes, reserveBytes) };
    return this.current;
  }

  /** Throws `log.no_space` while writing is held. After a refused write, one write per interval is let through to try again. */
  check(): void {
    const { held, freeBytes, reserveBytes } = this.state();
    if (held === null) return;
    const now = this.nowMs();
    if (held === 'refused' && now - this.refusedMs >= limits.logDiskCheckMs) {
      this.refusedMs = now;
      return;
    }
    const detail =
      held === 'reserve'
        ? `${mebibytes(freeBytes)} MiB are free, ${mebibytes(reserveBytes)} MiB are kept in reserve`
        : 'the disk refuses writes';
    throw new SquitterError('log.no_space', { path: this.options.path, detail });
  }

  /** Call after a successful write. */
  wrote(): void {
    if (this.current.held === 'refused') this.current = { ...this.current, held: null };
  }

  /** Call after a failed write. If there was no room for it, later writes are held. */
  failed(error: unknown): void {
    if (!(error instanceof SquitterError) || error.code !== 'log.no_space' || this.current.held !== null) return;
    this.refusedMs = this.nowMs();
    this.current = { ...this.current, held: 'refused' };
  }

  private heldWith(freeBytes: number, reserveBytes: number): HoldReason | null {
    const { held } = this.current;
    if (freeBytes < reserveBytes * (held === 'reserve' ? RELEASE_RATIO : 1)) return 'reserve';
    return held === 'refused' ? held : null;
  }
}

/** Refuses a disk that could not hold the least that a service writes, whatever is free on it. The folder need not exist yet. Error: `log.disk_too_small`. */
export function checkDiskSize(path: string): void {
  let folder = resolve(path);
  while (!existsSync(folder)) folder = dirname(folder);
  const { totalBytes } = diskSpace(folder);
  if (totalBytes >= limits.logDiskBytesMin) return;
  throw new SquitterError('log.disk_too_small', { path, size: mebibytes(totalBytes), least: limits.logDiskBytesMin / 1024 ** 2 });
}
