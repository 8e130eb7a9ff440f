// Statistics of a sink: records read, rows written, waits. Counts begin with the process.
import { SquitterError } from '../../schemas/errors.ts';
import type { RecordBatch } from '../log/event-log.ts';
import type { HistoryBatch } from './history-batch.ts';
import type { HistoryInsert } from './projection.ts';

/** A partition that the sink owns. */
export interface SinkPartition {
  /** The store has confirmed the records before this offset. */
  nextOffset: number;
  /** Timestamp of the oldest record that was read and is not confirmed, else of the newest confirmed one, ms since the Unix epoch; 0 before the first. */
  timestampMs: number;
  /** Time of the assignment, by the monotonic clock. */
  readonly sinceMs: number;
  /** Where the newest record that was read ends, and where reading continues. */
  readRecordEnd: number;
  readNext: number;
  /** Why the store did not take the newest batch; null when it did. */
  problem: string | null;
}

export class SinkStats {
  readonly owned = new Map<number, SinkPartition>();
  batches = 0;
  rows = 0;
  bytes = 0;
  insertMs = 0;
  malformed = 0;
  /** Rows that the store had confirmed and did not have: whole-insert.ts. They were inserted again. */
  restored = 0;
  /** The number of offsets that the topic no longer had when the sink wanted to read them. */
  expired = 0;
  /** By partition: the first offset that is not counted as expired. */
  private readonly expiredEnds = new Map<number, number>();
  /** Failed inserts by the code of their error. They are repeated. */
  readonly retries = new Map<string, number>();

  assigned(partition: number, first: number, sinceMs: number): void {
    this.owned.set(partition, { nextOffset: first, timestampMs: 0, sinceMs, readRecordEnd: first, readNext: first, problem: null });
  }

  revoked(partition: number): void {
    this.owned.delete(partition);
  }

  /** The topic has lost its offsets from `first` to `earliest`. They are counted once, however often the partition is assigned until the next commit. */
  lost(partition: number, first: number, earliest: number): void {
    this.expired += Math.max(0, earliest - Math.max(first, this.expiredEnds.get(partition) ?? 0));
    this.expiredEnds.set(partition, earliest);
  }

  read({ partition, records, nextOffset }: RecordBatch): void {
    const mine = this.owned.get(partition);
    if (mine === undefined) return;
    mine.readRecordEnd = records.at(-1)!.offset + 1;
    mine.readNext = nextOffset;
    // Everything before was confirmed while the rest of this batch was added.
    if (mine.nextOffset === mine.readRecordEnd) mine.nextOffset = nextOffset;
  }

  inserted({ block }: HistoryInsert, ms: number): void {
    this.batches += 1;
    this.rows += block.rows;
    this.bytes += block.bytes;
    this.insertMs += ms;
  }

  refused(partition: number, error: unknown): void {
    const code = error instanceof SquitterError ? error.code : 'other';
    this.retries.set(code, (this.retries.get(code) ?? 0) + 1);
    const mine = this.owned.get(partition);
    if (mine !== undefined) mine.problem = error instanceof Error ? error.message : String(error);
  }

  /** A batch was begun while no other waits. */
  waiting(partition: number, timestampMs: number): void {
    const mine = this.owned.get(partition);
    if (mine !== undefined) mine.timestampMs = timestampMs;
  }

  /** `next` is the batch that is filling. */
  confirmed(partition: number, batch: HistoryBatch, next: HistoryBatch): void {
    this.malformed += batch.malformed;
    const mine = this.owned.get(partition);
    if (mine === undefined) return;
    // Kafka may have control records behind the newest record. Readers do not see them.
    mine.nextOffset = batch.next === mine.readRecordEnd ? mine.readNext : batch.next;
    mine.timestampMs = next.firstMs || batch.lastMs;
    mine.problem = null;
  }

  /** Why the store does not take rows now; null when it does. */
  problem(): string | null {
    for (const { problem } of this.owned.values()) if (problem !== null) return problem;
    return null;
  }
}
