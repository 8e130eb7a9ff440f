// When a partition's snapshot is written: by event time, each partition at its own second of the period, and between ticks. A snapshot
// costs more than a tick; all partitions at once, together with their ticks, would delay that tick by a second.

/**
 * A restart replays at most this many frames, or this much event time and two ticks. A moment of the past is folded from the snapshot before it, which takes
 * longer than all else: with a minute in between its median is twice as long.
 */
const SNAPSHOT_FRAMES = 8_000_000;
const SNAPSHOT_EVENT_MS = 20_000;

interface SnapshotMoment {
  /** Frames folded so far. */
  readonly frames: number;
  /** The newest tick; 0 before the first. */
  readonly tickMs: number;
  /** Event time of the newest record. */
  readonly eventMs: number;
  /** A tick waits for this commit. */
  readonly withTick: boolean;
}

export class SnapshotSchedule {
  private readonly tickLengthMs: number;
  private readonly phaseMs: number;
  /** The period, by this partition's second, in which the newest snapshot was due; null before the first tick. */
  private period: number | null = null;
  private framesBefore = 0;

  /** `partition` of `partitions`. */
  constructor(partition: number, partitions: number, tickLengthMs: number) {
    this.tickLengthMs = tickLengthMs;
    this.phaseMs = Math.floor((partition * SNAPSHOT_EVENT_MS) / partitions);
  }

  isDue({ frames, tickMs, eventMs, withTick }: SnapshotMoment): boolean {
    if (tickMs === 0) return false;
    this.period ??= this.periodOf(tickMs);
    if (frames - this.framesBefore >= SNAPSHOT_FRAMES) return true;
    const period = this.periodOf(tickMs);
    if (period === this.period) return false;
    // In the second half of a tick its readers have it already. When frames come faster than that, there is no such moment.
    if (!withTick) return eventMs - tickMs >= this.tickLengthMs / 2;
    return tickMs - period * SNAPSHOT_EVENT_MS - this.phaseMs >= 2 * this.tickLengthMs;
  }

  note({ frames, tickMs }: Pick<SnapshotMoment, 'frames' | 'tickMs'>): void {
    this.framesBefore = frames;
    this.period = this.periodOf(tickMs);
  }

  private periodOf(tickMs: number): number {
    return Math.floor((tickMs - this.phaseMs) / SNAPSHOT_EVENT_MS);
  }
}
