// Messages, positions and new aircraft of the last minutes, for `stats.json` of readsb: totals at whole minutes, and the newest.
import type { Listing } from '../../../pipeline/view/listing.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';

const MINUTE_MS = 60_000;
const LONGEST_PERIOD_MINUTES = 15;
const GROWTH = 1.25;

interface Sample {
  readonly timeMs: number;
  readonly messages: number;
  /** Since this process began. */
  readonly positions: number;
  readonly aircraft: number;
}

export class MapStatistics {
  private first: Sample | null = null;
  /** One per minute, the newest last. */
  private minutes: Sample[] = [];
  private newest: Sample | null = null;
  /** `hexKey` plus 1 of the aircraft last listed in a row of the table. */
  private keyOfRow = new Int32Array(0);

  /** Call it at each snapshot. */
  note({ times: { nowMs: timeMs }, totals: { messages }, listing }: Snapshot): void {
    const { newest } = this;
    const sample = {
      timeMs,
      messages,
      positions: (newest?.positions ?? 0) + (newest === null ? 0 : positionsSince(listing, newest.timeMs)),
      aircraft: (newest?.aircraft ?? 0) + this.appeared(listing),
    };
    this.first ??= sample;
    this.newest = sample;
    const last = this.minutes.at(-1);
    if (last !== undefined && timeMs - last.timeMs < MINUTE_MS) return;
    this.minutes.push(sample);
    if (this.minutes.length > LONGEST_PERIOD_MINUTES + 1) this.minutes.shift();
  }

  /** Periods by the names of readsb; none before the first snapshot. `total` begins with this process, as all do until a minute has ended. */
  periods(): Readonly<Record<string, ReturnType<typeof period>>> {
    const { first, newest, minutes } = this;
    const ended = minutes.at(-1);
    if (first === null || newest === null || ended === undefined) return {};
    const lastMinutes = (count: number) => {
      const start = minutes.at(-1 - count) ?? minutes[0]!;
      return start === ended ? period(first, newest) : period(start, ended);
    };
    return {
      ...{ latest: period(ended, newest), last1min: lastMinutes(1), last5min: lastMinutes(5), last15min: lastMinutes(15) },
      total: period(first, newest),
    };
  }

  /** Aircraft that are in a row for the first time; one that returns to its row has not appeared. */
  private appeared({ count, rows, columns: { key } }: Listing): number {
    let appeared = 0;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      if (row >= this.keyOfRow.length) {
        const grown = new Int32Array(Math.ceil((row + 1) * GROWTH));
        grown.set(this.keyOfRow);
        this.keyOfRow = grown;
      }
      if (this.keyOfRow[row] === key[i]! + 1) continue;
      this.keyOfRow[row] = key[i]! + 1;
      appeared += 1;
    }
    return appeared;
  }
}

function positionsSince({ count, positionMs }: Listing, timeMs: number): number {
  let positions = 0;
  for (let i = 0; i < count; i += 1) if (positionMs[i]! > timeMs) positions += 1;
  return positions;
}

/** Times in Unix s. */
function period(from: Sample, to: Sample) {
  const messages = Math.max(0, to.messages - from.messages);
  return {
    ...{ start: from.timeMs / 1000, end: to.timeMs / 1000, messages, messages_valid: messages },
    remote: { accepted: [messages] },
    position_count_total: to.positions - from.positions,
    tracks: { all: to.aircraft - from.aircraft, single_message: 0 },
    cpr: { global_ok: 0, local_ok: 0 },
    cpu: {},
  };
}
