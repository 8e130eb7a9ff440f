// How far a stage is behind its input, by partition. The log is asked for the ends; where it does not answer, what is known grows old, and then unknown.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { limits } from '../../schemas/limits.ts';
import type { TopicId } from '../../schemas/topics.ts';
import type { OwnedPartition } from './observed-log.ts';

/** How far one partition is behind. */
export interface PartitionLag {
  readonly partition: number;
  /** First record not taken yet. */
  readonly nextOffset: number;
  /** Records not taken yet; null where the log has not told for too long. */
  readonly records: number | null;
  /** Age of the newest record that is taken, while there are others; 0 when there are none; null like `records`. */
  readonly seconds: number | null;
  /** How old that knowledge is. */
  readonly ageSeconds: number;
}

interface Measured {
  readonly records: number;
  readonly seconds: number;
  readonly atMs: number;
}

/** Further behind than this, a stage is not ready. */
const LAG_SECONDS_MAX = 5;
/** How long stats wait for the log. */
const ANSWER_MS_MAX = 500;

export class LagMeter {
  private readonly log: EventLog;
  private readonly topic: TopicId;
  private readonly owned: ReadonlyMap<number, OwnedPartition>;
  private readonly nowMs: () => number;
  /** By what stands for a partition while it is here. */
  private readonly measured = new WeakMap<OwnedPartition, Measured>();
  private readonly asking = new Map<OwnedPartition, Promise<void>>();

  /** `nowMs` is a steady clock. */
  constructor(log: EventLog, topic: TopicId, owned: ReadonlyMap<number, OwnedPartition>, nowMs: () => number) {
    this.log = log;
    this.topic = topic;
    this.owned = owned;
    this.nowMs = nowMs;
  }

  /** Asks the log about every partition that is not being asked about; waits for what answers soon. */
  async measure(): Promise<readonly PartitionLag[]> {
    for (const [partition, place] of this.owned)
      if (!this.asking.has(place))
        this.asking.set(
          place,
          this.ask(partition, place).finally(() => this.asking.delete(place)),
        );
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.asking.values()),
      sleep(ANSWER_MS_MAX, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    return this.newest();
  }

  private async ask(partition: number, place: OwnedPartition): Promise<void> {
    try {
      const { next } = await this.log.bounds(this.topic, partition);
      const records = Math.max(0, next - place.nextOffset);
      const seconds = records === 0 || place.timestampMs === 0 ? 0 : Math.max(0, Date.now() - place.timestampMs) / 1000;
      this.measured.set(place, { records, seconds, atMs: this.nowMs() });
    } catch {
      // The log's own way of telling that it cannot be reached is elsewhere; the age of what is known tells it here.
    }
  }

  private newest(): PartitionLag[] {
    const nowMs = this.nowMs();
    const lags = [...this.owned].map(([partition, place]) => {
      const measured = this.measured.get(place);
      const ageMs = nowMs - (measured?.atMs ?? place.sinceMs);
      const known = measured !== undefined && ageMs <= limits.statisticsAgeMsMax ? measured : null;
      const { nextOffset } = place;
      return { partition, nextOffset, records: known?.records ?? null, seconds: known?.seconds ?? null, ageSeconds: ageMs / 1000 };
    });
    return lags.sort((a, b) => a.partition - b.partition);
  }
}

/** A service that shares partitions with others of its kind. */
export interface GroupStage {
  /** Partitions that it has, and how many of them have their states again. */
  owned(): { readonly partitions: number; readonly restored: number };
  /** False until the group has told what its share is. */
  hasShare(): boolean;
}

/** Why a stage is not caught up, null where it is; one that has no partition, because others have them all, is. */
export function notCaughtUp(stage: GroupStage, stats: { readonly lag: readonly PartitionLag[] } | null): string | null {
  if (!stage.hasShare()) return 'it waits for its share of the partitions';
  const { partitions, restored } = stage.owned();
  if (restored < partitions) return `${partitions - restored} of ${partitions} partitions are being restored`;
  const lag = stats?.lag ?? [];
  const unknown = lag.filter(({ records, ageSeconds }) => records === null && 1000 * ageSeconds > limits.statisticsAgeMsMax);
  if (unknown.length > 0) {
    const seconds = Math.floor(Math.max(...unknown.map(({ ageSeconds }) => ageSeconds)));
    return `how far partitions ${numbers(unknown)} are behind is unknown: Kafka has not answered for ${seconds} s`;
  }
  const behind = lag.filter(({ seconds }) => (seconds ?? 0) > LAG_SECONDS_MAX);
  return behind.length === 0 ? null : `partitions ${numbers(behind)} are more than ${LAG_SECONDS_MAX} s behind`;
}

function numbers(lags: readonly PartitionLag[]): string {
  return lags.map(({ partition }) => partition).join(', ');
}
