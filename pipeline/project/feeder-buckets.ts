// Rows of the feeder history: what the partitions counted of a feeder in five minutes, from their records of each minute.
import { FEEDER_DIRECTIONS, type ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import { feederHistory } from '../../schemas/clickhouse/tables.ts';
import { FEEDER_ROW_MS, type FeederHistoryRow } from '../../schemas/feeder-history.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type Cell, cellsOf, type SampledTable } from './row-sampler.ts';

const MINUTE_MS = 60_000;
/** A partition may be that late with the last minute of a bucket. */
const LATE_MS = 120_000;

export interface FeederRow extends FeederHistoryRow {
  readonly feeder: string;
}

const ranges: Readonly<Record<string, Cell<FeederRow>>> = Object.fromEntries(
  Array.from({ length: FEEDER_DIRECTIONS }, (_, i) => [`range${i}Nm`, ({ rangeNm }: FeederRow) => rangeNm[i]!]),
);

export const sampledFeeders: SampledTable<FeederRow> = {
  table: feederHistory,
  cells: cellsOf<FeederRow>(feederHistory, {
    time: ({ timeMs }) => Math.floor(timeMs / 1000),
    feeder: ({ feeder }) => feeder,
    frames: ({ frames }) => frames,
    positions: ({ positions }) => positions,
    disagreements: ({ disagreements }) => disagreements,
    aircraft: ({ aircraft }) => aircraft,
    signalDecidb: ({ signalDecidb }) => signalDecidb,
    ...ranges,
  }),
  // A partition that was late changes a row, which then replaces the one before.
  keyOf: ({ feeder, timeMs, frames }) => `${feeder}/${timeMs}/${frames}`,
  pendingMax: limits.feederRowsPendingMax,
};

/** A feeder in one bucket. */
interface Sum {
  frames: number;
  positions: number;
  disagreements: number;
  /** Sum over the partitions: an aircraft is in one of them. */
  readonly aircraft: number[];
  signal: number;
  signalFrames: number;
  readonly rangeNm: number[];
}

/** The newest record of a partition. */
type Last = Pick<ReceiverRecord, 'timeMs' | 'frames' | 'positions' | 'disagreements'>;
const NEVER: Last = { timeMs: 0, frames: 0, positions: 0, disagreements: 0 };

export class FeederBuckets {
  /** By start, then by feeder. */
  private readonly buckets = new Map<number, Map<string, Sum>>();
  /** Newest records by feeder, the ones heard of longest ago first, and by partition. */
  private readonly last = new Map<string, Map<number, Last>>();
  private newestMs = 0;
  private fromMs: number;

  /** Buckets that begin before `fromMs` are left out: compaction may have taken some of their records. */
  constructor(fromMs: number) {
    this.fromMs = fromMs;
  }

  add(feeder: string, record: ReceiverRecord): void {
    const before = this.replaceLast(feeder, record);
    // A record that is read again.
    if (record.timeMs <= before.timeMs) return;
    this.newestMs = Math.max(this.newestMs, record.timeMs);
    this.fromMs = Math.max(this.fromMs, this.newestMs - limits.feederBucketsKept * FEEDER_ROW_MS);
    // The counts are of the time up to the record, its other values of the last minute that had ended by then.
    const sum = this.sumOf(feeder, record.timeMs - 1);
    if (sum !== null) {
      sum.frames += record.frames - before.frames;
      sum.positions += record.positions - before.positions;
      sum.disagreements += record.disagreements - before.disagreements;
    }
    const minuteMs = minuteBefore(record.timeMs);
    if (minuteMs !== minuteBefore(before.timeMs)) this.addMinute(feeder, minuteMs, record, record.frames - before.frames);
  }

  /** The rows of the buckets that are complete. */
  rows(): FeederRow[] {
    const rows: FeederRow[] = [];
    for (const [timeMs, feeders] of this.buckets) {
      if (timeMs < this.fromMs) this.buckets.delete(timeMs);
      else if (timeMs + FEEDER_ROW_MS + LATE_MS <= this.newestMs)
        for (const [feeder, sum] of feeders) rows.push(rowOf(feeder, timeMs, sum));
    }
    return rows;
  }

  private replaceLast(feeder: string, record: ReceiverRecord): Last {
    const partitions = this.last.get(feeder) ?? new Map<number, Last>();
    this.last.delete(feeder);
    if (this.last.size >= limits.feedersKnownMax) this.last.delete(this.last.keys().next().value!);
    this.last.set(feeder, partitions);
    const before = partitions.get(record.partition) ?? NEVER;
    const { timeMs, frames, positions, disagreements } = record;
    if (timeMs > before.timeMs) partitions.set(record.partition, { timeMs, frames, positions, disagreements });
    return before;
  }

  private addMinute(feeder: string, minuteMs: number, { aircraft, signalDecidb, rangeNm }: ReceiverRecord, frames: number): void {
    const sum = this.sumOf(feeder, minuteMs);
    if (sum === null) return;
    sum.aircraft[(minuteMs % FEEDER_ROW_MS) / MINUTE_MS]! += aircraft;
    if (signalDecidb !== null) {
      sum.signal += signalDecidb * frames;
      sum.signalFrames += frames;
    }
    for (let i = 0; i < FEEDER_DIRECTIONS; i += 1) sum.rangeNm[i] = Math.max(sum.rangeNm[i]!, rangeNm[i] ?? 0);
  }

  /** Null for a bucket that is left out. */
  private sumOf(feeder: string, timeMs: number): Sum | null {
    const startMs = timeMs - (timeMs % FEEDER_ROW_MS);
    if (startMs < this.fromMs) return null;
    const feeders = this.buckets.get(startMs) ?? new Map<string, Sum>();
    this.buckets.set(startMs, feeders);
    const known = feeders.get(feeder);
    if (known !== undefined) return known;
    const sum: Sum = {
      ...{ frames: 0, positions: 0, disagreements: 0, signal: 0, signalFrames: 0 },
      aircraft: new Array<number>(FEEDER_ROW_MS / MINUTE_MS).fill(0),
      rangeNm: new Array<number>(FEEDER_DIRECTIONS).fill(0),
    };
    feeders.set(feeder, sum);
    return sum;
  }
}

/** Start of the last minute that had ended. */
function minuteBefore(timeMs: number): number {
  return timeMs - (timeMs % MINUTE_MS) - MINUTE_MS;
}

function rowOf(feeder: string, timeMs: number, { aircraft, signal, signalFrames, ...counts }: Sum): FeederRow {
  const { frames, positions, disagreements, rangeNm } = counts;
  return {
    ...{ feeder, timeMs, frames, positions, disagreements, rangeNm },
    aircraft: Math.max(...aircraft),
    signalDecidb: signalFrames === 0 ? null : Math.round(signal / signalFrames),
  };
}
