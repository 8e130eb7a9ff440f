// Signal levels and counts of the last five minutes, one sample per 2 s: content of `/v2/signal/history`, and of the history store.
import { limits } from '../../schemas/limits/index.ts';
import type { SignalStatistics } from './signal.ts';
import type { Snapshot, Totals } from './snapshot.ts';

export const SIGNAL_INTERVAL_MS = limits.signalIntervalMs;
export const SIGNAL_SAMPLES = limits.signalHistoryMs / SIGNAL_INTERVAL_MS;

export interface SignalSample extends SignalStatistics {
  /** Start of the 2 s, ms since the Unix epoch. */
  readonly timeMs: number;
  /** Null where levels alone are known. Samples that were restored from states have no messages per second. */
  readonly counts: SampleCounts | null;
}

type SampleCounts = Omit<Totals, 'messages'>;

interface Slot {
  readonly sample: SignalSample;
  /** The tick of the levels. */
  readonly tickMs: number;
}

export class SignalHistory {
  /** One more than is shown: the newest may still change. */
  private readonly slots: (Slot | undefined)[] = new Array(SIGNAL_SAMPLES + 1).fill(undefined);
  private newestTickMs = Number.NEGATIVE_INFINITY;

  /** Call it at each snapshot. A sample has the levels of its first tick; a snapshot of the same tick, with a late partition, replaces them. */
  readonly note = ({ times: { nowMs }, signal, totals }: Pick<Snapshot, 'times' | 'signal' | 'totals'>): void => {
    this.newestTickMs = Math.max(this.newestTickMs, nowMs);
    if (this.has(nowMs) && this.slotAt(nowMs)?.tickMs !== nowMs) return;
    const { messages: _, ...counts } = totals;
    this.put(nowMs, signal, counts);
  };

  /** A sample from before the first snapshot; those of snapshots stay, also those that have its place because the service was down for minutes. */
  restore(tickMs: number, signal: SignalStatistics, counts: SampleCounts | null = null): void {
    const slot = this.slots[numberOf(tickMs)];
    if (slot === undefined || slot.sample.timeMs < startOf(tickMs)) this.put(tickMs, signal, counts);
  }

  /** True when there is a sample for the 2 s of this tick. */
  has(tickMs: number): boolean {
    return this.slotAt(tickMs) !== undefined;
  }

  /** Final samples of the five minutes before `nowMs`, the oldest first. */
  samples(nowMs: number): SignalSample[] {
    const shown: SignalSample[] = [];
    const newest = startOf(nowMs);
    for (let timeMs = newest - limits.signalHistoryMs; timeMs <= newest; timeMs += SIGNAL_INTERVAL_MS) {
      const slot = this.slotAt(timeMs);
      if (slot !== undefined && slot.tickMs < this.newestTickMs) shown.push(slot.sample);
    }
    return shown.slice(-SIGNAL_SAMPLES);
  }

  private slotAt(timeMs: number): Slot | undefined {
    const slot = this.slots[numberOf(timeMs)];
    return slot?.sample.timeMs === startOf(timeMs) ? slot : undefined;
  }

  private put(tickMs: number, signal: SignalStatistics, counts: SampleCounts | null): void {
    this.slots[numberOf(tickMs)] = { sample: { timeMs: startOf(tickMs), ...signal, counts }, tickMs };
  }
}

/** Start of the 2 s of a tick. */
export function startOf(timeMs: number): number {
  return timeMs - (timeMs % SIGNAL_INTERVAL_MS);
}

function numberOf(timeMs: number): number {
  return (startOf(timeMs) / SIGNAL_INTERVAL_MS) % (SIGNAL_SAMPLES + 1);
}
