// How far a fold is behind, by partition. The log is asked for the ends; where it does not answer, what is known grows old, and then unknown.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { limits } from '../../schemas/limits.ts';
import type { OwnedPartition } from './observed-log.ts';

/** How far one partition is behind. */
export interface PartitionLag {
  readonly partition: number;
  /** First frame record not folded yet. */
  readonly nextOffset: number;
  /** Frame records not folded yet; null where the log has not told for too long. */
  readonly records: number | null;
  /** Age of the newest record that is folded, while there are others; 0 when there are none; null like `records`. */
  readonly seconds: number | null;
  /** How old that knowledge is. */
  readonly ageSeconds: number;
}

interface Measured {
  readonly records: number;
  readonly seconds: number;
  readonly atMs: number;
}

/** How long stats wait for the log. */
const ANSWER_MS_MAX = 500;

export class LagMeter {
  private readonly log: EventLog;
  private readonly owned: ReadonlyMap<number, OwnedPartition>;
  private readonly nowMs: () => number;
  /** By what stands for a partition while it is here. */
  private readonly measured = new WeakMap<OwnedPartition, Measured>();
  private readonly asking = new Map<OwnedPartition, Promise<void>>();

  /** `nowMs` is a steady clock. */
  constructor(log: EventLog, owned: ReadonlyMap<number, OwnedPartition>, nowMs: () => number) {
    this.log = log;
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
      const { next } = await this.log.bounds('frames', partition);
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
