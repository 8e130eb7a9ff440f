// Messages of the last minutes, for `stats.json` of readsb: totals at whole minutes, and the newest.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';

const MINUTE_MS = 60_000;
const MINUTES_MAX = 15;

interface Sample {
  readonly timeMs: number;
  readonly messages: number;
}

export interface Period {
  /** Unix s. */
  readonly start: number;
  readonly end: number;
  readonly messages: number;
}

export class MapStatistics {
  private first: Sample | null = null;
  /** One per minute, the newest last. */
  private minutes: Sample[] = [];
  private newest: Sample | null = null;

  /** Call it at each snapshot. */
  note({ times: { nowMs: timeMs }, totals: { messages } }: Snapshot): void {
    const sample = { timeMs, messages };
    this.first ??= sample;
    this.newest = sample;
    const last = this.minutes.at(-1);
    if (last !== undefined && timeMs - last.timeMs < MINUTE_MS) return;
    this.minutes.push(sample);
    if (this.minutes.length > MINUTES_MAX + 1) this.minutes.shift();
  }

  /** Periods by the names of readsb, without those in which no minute has ended yet. `total` begins with this process. */
  periods(): Readonly<Record<string, Period>> {
    const { first, newest, minutes } = this;
    const ended = minutes.at(-1);
    if (first === null || newest === null || ended === undefined) return {};
    const lastMinutes = (count: number): Record<string, Period> => {
      const start = minutes.at(-1 - count) ?? minutes[0]!;
      return start === ended ? {} : { [`last${count}min`]: period(start, ended) };
    };
    return { latest: period(ended, newest), ...lastMinutes(1), ...lastMinutes(5), ...lastMinutes(15), total: period(first, newest) };
  }
}

function period(from: Sample, to: Sample): Period {
  return { start: from.timeMs / 1000, end: to.timeMs / 1000, messages: Math.max(0, to.messages - from.messages) };
}
