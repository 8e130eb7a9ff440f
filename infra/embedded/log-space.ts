// The disk of the embedded service: what it says of it at start and in its log, when it is not ready for want of room, and the metrics.
import type { Registry } from 'prom-client';
import type { DiskState, HoldReason } from '../../pipeline/log/lmdb/disk-guard.ts';
import type { SpaceReport } from '../../pipeline/log/lmdb/space.ts';
import { type TopicId, topicIds } from '../../schemas/topics.ts';
import { Metrics } from '../services/metrics.ts';

/** A limit that changed by less than this part is not worth a line. */
const CHANGE_MIN = 0.1;
const holdReasons: readonly HoldReason[] = ['reserve', 'refused'];

/** The log, whose guard knows the disk. */
export interface SpaceSource {
  disk(): DiskState;
  space(): Promise<SpaceReport>;
}

export interface SpaceLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export class LogSpaceWatch {
  private readonly source: SpaceSource;
  private readonly log: SpaceLog;
  /** What other threads met that write to the same log. */
  private readonly heldElsewhere: () => readonly (HoldReason | null)[];
  private report: SpaceReport;
  private told: SpaceReport['limits'];
  private held: HoldReason | null = null;

  static async open(source: SpaceSource, log: SpaceLog, heldElsewhere: () => readonly (HoldReason | null)[]): Promise<LogSpaceWatch> {
    return new LogSpaceWatch(source, log, heldElsewhere, await source.space());
  }

  private constructor(source: SpaceSource, log: SpaceLog, heldElsewhere: LogSpaceWatch['heldElsewhere'], report: SpaceReport) {
    this.source = source;
    this.log = log;
    this.heldElsewhere = heldElsewhere;
    this.report = report;
    this.told = report.wanted;
    this.take(report);
  }

  /** The newest report. */
  take(report: SpaceReport): void {
    this.report = report;
    this.tellLimits();
    this.tellHold();
  }

  /** Says when writing begins to be held, and when it goes on. */
  tellHold(): void {
    const held = this.heldNow();
    if ((held === null) === (this.held === null)) return;
    this.held = held;
    if (held === null) this.log.info({ freeBytes: this.source.disk().freeBytes }, 'the disk has room again: writing goes on');
    else this.log.warn({ ...this.source.disk(), held }, this.reason()!);
  }

  /** Why nothing is written; null while it is. */
  reason(): string | null {
    const held = this.heldNow();
    if (held === null) return null;
    const { freeBytes, reserveBytes } = this.source.disk();
    return held === 'reserve'
      ? `the disk is nearly full: ${size(freeBytes)} are free, ${size(reserveBytes)} are kept in reserve; nothing is taken in until there is room`
      : 'the disk takes no more, though it has room: a quota? Nothing is taken in until it does';
  }

  /** What the log may take of the disk. */
  summary(): string {
    const { limits, disk } = this.report;
    const sized = topicIds.filter((topic) => limits[topic] !== undefined).map((topic) => `${topic} ${size(limits[topic]!)}`);
    return `at most ${sized.join(', ')}; ${size(disk.freeBytes)} are free`;
  }

  register(registry: Registry): void {
    const metrics = new Metrics(registry);
    metrics.gauges(
      'squitter_log_size_bytes',
      'Bytes on the disk, by topic; index: small batches, and where the others are',
      'topic',
      () => {
        const { topics, indexBytes } = this.report.usage;
        return [...topicIds.map((topic) => [topic, topics[topic]] as const), ['index', indexBytes]];
      },
    );
    metrics.gauges(
      'squitter_log_limit_bytes',
      'Bytes beyond which the oldest records of a topic are deleted, or compacted before their time',
      'topic',
      () => (Object.entries(this.report.limits) as [TopicId, number][]).map(([topic, bytes]) => [topic, bytes]),
    );
    metrics.gauge('squitter_log_disk_free_bytes', 'Free bytes of the disk that the log is on', () => this.source.disk().freeBytes);
    metrics.gauge('squitter_log_disk_reserve_bytes', 'Free bytes below which nothing is written', () => this.source.disk().reserveBytes);
    metrics.gauges('squitter_log_writes_held', 'Whether writing waits for room on the disk, by reason', 'reason', () => {
      const held = this.heldNow();
      return holdReasons.map((reason) => [reason, held === reason ? 1 : 0]);
    });
  }

  private heldNow(): HoldReason | null {
    return this.source.disk().held ?? this.heldElsewhere().find((held) => held !== null) ?? null;
  }

  private tellLimits(): void {
    const { limits, wanted, disk } = this.report;
    const changed = topicIds.some(
      (topic) => Math.abs((limits[topic] ?? 0) - (this.told[topic] ?? 0)) > CHANGE_MIN * (this.told[topic] ?? 0),
    );
    if (!changed) return;
    this.told = limits;
    const isLowered = topicIds.some((topic) => limits[topic] !== wanted[topic]);
    const message = isLowered ? 'the size limits are lowered: the disk has no room for more' : 'the size limits are as asked for';
    this.log.warn({ limits, wanted, freeBytes: disk.freeBytes }, message);
  }
}

function size(bytes: number): string {
  if (!Number.isFinite(bytes)) return 'unknown';
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
