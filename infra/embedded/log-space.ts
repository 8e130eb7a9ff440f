// Disk space of the embedded log: the line at the start, log lines, readiness and metrics.

import type { Registry } from 'prom-client';
import type { DiskState, HoldReason } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { SpaceReport } from '../../pipeline/log/lmdb/space.ts';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topicIds, topics } from '../../schemas/topics.ts';
import type { LineLogger } from '../services/logging.ts';

const holdReasons: readonly HoldReason[] = ['reserve', 'refused'];

/** The log, which measures the disk. */
export interface SpaceSource {
  disk(): DiskState;
}

export class LogSpaceWatch {
  private readonly source: SpaceSource;
  private readonly log: LineLogger;
  /** Why writes of other threads to the same log are held. */
  private readonly heldElsewhere: () => readonly (HoldReason | null)[];
  private report: SpaceReport;
  /** Limits in the newest log line. */
  private loggedLimits: SpaceReport['limits'];
  private held: HoldReason | null = null;

  constructor(source: SpaceSource, log: LineLogger, heldElsewhere: LogSpaceWatch['heldElsewhere'], report: SpaceReport) {
    this.source = source;
    this.log = log;
    this.heldElsewhere = heldElsewhere;
    this.report = report;
    this.loggedLimits = report.wanted;
    this.update(report);
  }

  update(report: SpaceReport): void {
    this.report = report;
    this.logLimits();
    this.logHold();
  }

  /** Logs when writes begin to be held, and when they continue. */
  logHold(): void {
    const held = this.heldNow();
    if ((held === null) === (this.held === null)) return;
    this.held = held;
    if (held === null) this.log.info({ freeBytes: this.source.disk().freeBytes }, 'the disk has room again: writes continue');
    else this.log.warn({ ...this.source.disk(), held }, this.reason()!);
  }

  /** Why writes are held; null if they are not. */
  reason(): string | null {
    const held = this.heldNow();
    if (held === null) return null;
    const { freeBytes, reserveBytes } = this.source.disk();
    return held === 'reserve'
      ? `the disk is nearly full: ${size(freeBytes)} are free, ${size(reserveBytes)} are reserved. No frames are accepted until there is room`
      : 'the disk refuses writes although it has room (a quota?). No frames are accepted until it allows them';
  }

  /** Size limits and free space, as text. */
  summary(): string {
    const { limits: sizes, disk } = this.report;
    const sized = topicIds
      .filter((topic) => sizes[topic] !== undefined)
      .map((topic) => `${topics[topic].shortName} ${size(sizes[topic]!)}`);
    return `at most ${sized.join(', ')}; ${size(disk.freeBytes)} are free`;
  }

  register(registry: Registry): void {
    exportMetrics(registry, {
      squitter_log_size_bytes: () => {
        const { topics, indexBytes } = this.report.usage;
        return [...topicIds.map((topic) => [topic, topics[topic]] as const), ['index', indexBytes]];
      },
      squitter_log_limit_bytes: () => Object.entries(this.report.limits),
      squitter_log_disk_free_bytes: () => this.source.disk().freeBytes,
      squitter_log_disk_reserve_bytes: () => this.source.disk().reserveBytes,
      squitter_log_writes_held: () => holdReasons.map((reason) => [reason, Number(this.heldNow() === reason)]),
    });
  }

  private heldNow(): HoldReason | null {
    return this.source.disk().held ?? this.heldElsewhere().find((held) => held !== null) ?? null;
  }

  private logLimits(): void {
    const { limits: sizes, wanted, disk } = this.report;
    const changed = topicIds.some((topic) => {
      const logged = this.loggedLimits[topic] ?? 0;
      return Math.abs((sizes[topic] ?? 0) - logged) > limits.logLimitChangeRatioMin * logged;
    });
    if (!changed) return;
    this.loggedLimits = sizes;
    const isLowered = topicIds.some((topic) => sizes[topic] !== wanted[topic]);
    const message = isLowered ? 'the size limits are lowered: the disk has no room for more' : 'the size limits are as requested';
    this.log.warn({ limits: sizes, wanted, freeBytes: disk.freeBytes }, message);
  }
}

function size(bytes: number): string {
  if (!Number.isFinite(bytes)) return 'unknown';
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
