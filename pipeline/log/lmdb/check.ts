// Reads every batch that the index refers to and reports damage. Safe while the service runs: batches that are moved or removed meanwhile are
// checked again.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Damage } from '../damage.ts';
import { countIn } from './batch.ts';
import { allPartitions } from './checkpoint.ts';
import { type BatchEntry, decodeEntry, keyOffset, offsetKey } from './entry.ts';
import { BatchBuffer } from './reader.ts';
import type { Store } from './rows.ts';
import { indexOf, partitionRow } from './store.ts';

export interface CheckReport {
  batches: number;
  records: number;
  bytes: number;
  /** Offsets that an earlier repair marked as lost. */
  lostBefore: number;
  readonly damages: Damage[];
}

export interface CheckOptions {
  /** Called after each batch with the bytes done, the total bytes and the batches so far. */
  readonly onProgress?: (done: number, total: number, batches: number) => void;
  /** Called with each entry whose batch is intact. */
  readonly onSound?: (topic: TopicId, partition: number, entry: BatchEntry) => void;
  readonly signal?: AbortSignal;
}

const ENTRIES_PER_TURN = 256;

export async function checkStore(store: Store, options: CheckOptions = {}): Promise<CheckReport> {
  const report: CheckReport = { batches: 0, records: 0, bytes: 0, lostBefore: 0, damages: [] };
  const partitions = allPartitions(store);
  const total = partitions.reduce((sum, { topic, partition }) => sum + partitionRow(store, topic, partition).bytes, 0);
  for (const { topic, partition } of partitions) {
    const buffer = new BatchBuffer(store, topic, partition);
    try {
      const check = new PartitionCheck(store, topic, partition, buffer, report, options);
      await check.run(() => options.onProgress?.(report.bytes, total, report.batches));
    } finally {
      buffer.close();
    }
  }
  return report;
}

class PartitionCheck {
  private readonly store: Store;
  private readonly topic: TopicId;
  private readonly partition: number;
  private readonly buffer: BatchBuffer;
  private readonly report: CheckReport;
  private readonly options: CheckOptions;
  private expected: number;
  private readonly end: number;

  constructor(store: Store, topic: TopicId, partition: number, buffer: BatchBuffer, report: CheckReport, options: CheckOptions) {
    this.store = store;
    this.topic = topic;
    this.partition = partition;
    this.buffer = buffer;
    this.report = report;
    this.options = options;
    const { earliest, next } = partitionRow(store, topic, partition);
    this.expected = earliest;
    this.end = next;
  }

  async run(onBatches: () => void): Promise<void> {
    const index = indexOf(this.store, this.topic, this.partition);
    for (let from = 0; from < this.end && this.options.signal?.aborted !== true; ) {
      this.store.root.resetReadTxn();
      const stored = [...index.getRange({ start: offsetKey(from), end: offsetKey(this.end), limit: ENTRIES_PER_TURN })];
      this.store.root.resetReadTxn();
      if (stored.length === 0) break;
      let bytes = 0;
      for (const { key, value } of stored) {
        const base = keyOffset(key);
        from = base + 1;
        const before = this.report.bytes;
        this.look(base, key, value);
        bytes += this.report.bytes - before;
        if (bytes < limits.readBytesMax) continue;
        bytes = 0;
        onBatches();
        await nextTurn();
      }
      onBatches();
      await nextTurn();
    }
    if (this.isContiguous() && this.expected < this.end) this.miss(this.end);
  }

  private look(base: number, key: Buffer, value: Buffer): void {
    let entry: BatchEntry;
    try {
      entry = decodeEntry(key, value);
    } catch (error) {
      this.damage(base, base, (error as Error).message);
      this.expected = Math.max(this.expected, base + 1);
      return;
    }
    if (this.isContiguous() && base > this.expected) this.miss(base);
    this.expected = Math.max(this.expected, entry.lastOffset + 1);
    this.report.batches += 1;
    this.report.bytes += entry.bytes;
    if (entry.isLost) {
      this.report.lostBefore += entry.lastOffset - entry.baseOffset + 1;
      this.options.onSound?.(this.topic, this.partition, entry);
      return;
    }
    const detail = this.faultOf(entry);
    if (detail !== null) {
      this.damage(entry.baseOffset, entry.lastOffset, detail);
      return;
    }
    this.report.records += entry.records;
    this.options.onSound?.(this.topic, this.partition, entry);
  }

  private faultOf(entry: BatchEntry): string | null {
    try {
      const bytes = this.buffer.load(entry);
      if (bytes === null) return this.isStillThere(entry) ? `segment ${entry.segment} is missing` : null;
      const records = countIn(bytes);
      return records === entry.records ? null : `expected ${entry.records} records, got ${records}`;
    } catch (error) {
      if (!(error instanceof SquitterError && error.code === 'log.damaged')) throw error;
      return String(error.details['fault'] ?? error.details['detail']);
    }
  }

  /** Retention or compaction may have removed it while it was read. */
  private isStillThere(entry: BatchEntry): boolean {
    this.store.root.resetReadTxn();
    const found = indexOf(this.store, this.topic, this.partition).get(offsetKey(entry.baseOffset));
    return found !== undefined && decodeEntry(offsetKey(entry.baseOffset), found).segment === entry.segment;
  }

  private isContiguous(): boolean {
    return topics[this.topic].cleanup !== 'compact';
  }

  private miss(to: number): void {
    const { earliest } = partitionRow(this.store, this.topic, this.partition);
    if (earliest < to) this.damage(Math.max(this.expected, earliest), to - 1, 'the index has no entries for them');
  }

  private damage(from: number, to: number, detail: string): void {
    this.report.damages.push({ topic: this.topic, partition: this.partition, from, to, detail });
  }
}
