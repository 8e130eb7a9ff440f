// Lag of a stage behind its input, by partition. While the log does not respond, the last measurement ages; when it is too old, the lag is unknown.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import type { OwnedPartition } from './stage-log.ts';

/** Lag of one partition. */
export interface PartitionLag {
  readonly partition: number;
  /** Position of the next record to read in its partition. */
  readonly nextOffset: number;
  /** Records not read yet; null if the measurement is too old. */
  readonly records: number | null;
  /** Age of the newest record read, while others are not read yet; 0 without any; null like `records`. */
  readonly seconds: number | null;
  /** Age of the measurement. */
  readonly ageSeconds: number;
}

/** The part of an owned partition that the lag is measured from. */
type MeasuredPartition = Pick<OwnedPartition, 'nextOffset' | 'sinceMs' | 'timestampMs'>;

interface Measured {
  readonly records: number;
  readonly seconds: number;
  readonly atMs: number;
}

export class LagMeter {
  private readonly log: EventLog;
  private readonly topic: TopicId;
  private readonly owned: ReadonlyMap<number, MeasuredPartition>;
  private readonly nowMs: () => number;
  /** Keyed by ownership, not by partition number: a partition that leaves and returns starts without a measurement. */
  private readonly measured = new WeakMap<MeasuredPartition, Measured>();
  private readonly pending = new Map<MeasuredPartition, Promise<void>>();

  /** `nowMs` is a monotonic clock. */
  constructor(log: EventLog, topic: TopicId, owned: ReadonlyMap<number, MeasuredPartition>, nowMs: () => number) {
    this.log = log;
    this.topic = topic;
    this.owned = owned;
    this.nowMs = nowMs;
  }

  /** Asks the log for the end of every partition without a pending request. Waits 500 ms at most. */
  async measure(): Promise<readonly PartitionLag[]> {
    for (const [partition, owned] of this.owned)
      if (!this.pending.has(owned))
        this.pending.set(
          owned,
          this.measureOne(partition, owned).finally(() => this.pending.delete(owned)),
        );
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.pending.values()),
      sleep(limits.stageLagResponseMsMax, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    return this.newest();
  }

  private async measureOne(partition: number, owned: MeasuredPartition): Promise<void> {
    try {
      const { next } = await this.log.bounds(this.topic, partition);
      const records = Math.max(0, next - owned.nextOffset);
      const seconds = records === 0 || owned.timestampMs === 0 ? 0 : Math.max(0, Date.now() - owned.timestampMs) / 1000;
      this.measured.set(owned, { records, seconds, atMs: this.nowMs() });
    } catch {
      // The age of the measurement shows the failure; the log itself reports that it cannot be reached.
    }
  }

  private newest(): PartitionLag[] {
    const nowMs = this.nowMs();
    const lags = [...this.owned].map(([partition, owned]) => {
      const measured = this.measured.get(owned);
      const ageMs = nowMs - (measured?.atMs ?? owned.sinceMs);
      const known = measured !== undefined && ageMs <= limits.statisticsAgeMsMax ? measured : null;
      const { nextOffset } = owned;
      return { partition, nextOffset, records: known?.records ?? null, seconds: known?.seconds ?? null, ageSeconds: ageMs / 1000 };
    });
    return lags.sort((a, b) => a.partition - b.partition);
  }
}

/** A service that shares the partitions of a topic with others of its group. */
export interface GroupStage {
  /** Number of owned partitions, of those whose state is restored, and of those that damage of the log holds. */
  owned(): { readonly partitions: number; readonly restored: number; readonly held: number };
  /** False until the group has assigned partitions. The assignment may be empty. */
  hasShare(): boolean;
}

/** Why a stage is not caught up; null if it is. A stage that owns no partition, because others own all of them, is caught up. */
export function notCaughtUp(stage: GroupStage, stats: { readonly lag: readonly PartitionLag[] } | null): string | null {
  if (!stage.hasShare()) return 'no partitions are assigned yet';
  const { partitions, restored, held } = stage.owned();
  if (held > 0) return `${held} of ${partitions} partitions are held by damage of the log`;
  if (restored < partitions) return `${partitions - restored} of ${partitions} partitions are being restored`;
  const lag = stats?.lag ?? [];
  const unknown = lag.filter(({ records, ageSeconds }) => records === null && 1000 * ageSeconds > limits.statisticsAgeMsMax);
  if (unknown.length > 0) {
    const seconds = Math.floor(Math.max(...unknown.map(({ ageSeconds }) => ageSeconds)));
    return `the lag of partitions ${numbers(unknown)} is unknown: Kafka has not responded for ${seconds} s`;
  }
  const behind = lag.filter(({ seconds }) => (seconds ?? 0) > limits.stageLagSecondsMax);
  return behind.length === 0 ? null : `partitions ${numbers(behind)} are more than ${limits.stageLagSecondsMax} s behind`;
}

function numbers(lags: readonly PartitionLag[]): string {
  return lags.map(({ partition }) => partition).join(', ');
}
