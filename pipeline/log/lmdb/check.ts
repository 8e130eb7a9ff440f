// Reads every batch that the index refers to and reports damage. Safe while the service runs: batches that are moved or removed meanwhile are
// checked again.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Damage } from '../damage.ts';
import { countIn } from './batch.ts';
import { type BatchEntry, decodeEntry, keyOffset, offsetKey } from './entry.ts';
import { BatchBuffer } from './reader.ts';
import { allPartitions, type IndexDatabase, type Store } from './rows.ts';
import { indexOf, partitionRow } from './store.ts';

export interface CheckReport {
  batches: number;
  records: number;
  bytes: number;
  /** Offsets that an earlier repair marked as lost. */
  lostBefore: number;
  readonly damages: Damage[];
}

interface CheckOptions {
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
      await checkPartition({ store, topic, partition, buffer, report, options }, () =>
        options.onProgress?.(report.bytes, total, report.batches),
      );
    } finally {
      buffer.close();
    }
  }
  return report;
}

interface PartitionCheck {
  readonly store: Store;
  readonly topic: TopicId;
  readonly partition: number;
  readonly buffer: BatchBuffer;
  readonly report: CheckReport;
  readonly options: CheckOptions;
}

async function checkPartition(check: PartitionCheck, onBatches: () => void): Promise<void> {
  const { store, topic, partition, buffer, report, options } = check;
  const index = indexOf(store, topic, partition);
  const { earliest, next: end } = partitionRow(store, topic, partition);
  const isContiguous = topics[topic].cleanup !== 'compact';
  let expected = earliest;

  const damage = (from: number, to: number, detail: string): void => void report.damages.push({ topic, partition, from, to, detail });
  /** Reports missing entries before an offset, unless retention has removed them meanwhile. */
  const checkGap = (to: number): void => {
    if (!isContiguous || to <= expected) return;
    const { earliest: first } = partitionRow(store, topic, partition);
    if (first < to) damage(Math.max(expected, first), to - 1, 'the index has no entries for them');
  };
  const checkEntry = (base: number, key: Buffer, value: Buffer): void => {
    let entry: BatchEntry;
    try {
      entry = decodeEntry(key, value);
    } catch (error) {
      damage(base, base, (error as Error).message);
      expected = Math.max(expected, base + 1);
      return;
    }
    checkGap(base);
    expected = Math.max(expected, entry.lastOffset + 1);
    report.batches += 1;
    report.bytes += entry.bytes;
    const detail = entry.isLost ? null : faultOf(store, index, buffer, entry);
    if (detail !== null) {
      damage(entry.baseOffset, entry.lastOffset, detail);
      return;
    }
    if (entry.isLost) report.lostBefore += entry.lastOffset - entry.baseOffset + 1;
    report.records += entry.records;
    options.onSound?.(topic, partition, entry);
  };

  for (let from = 0; from < end && options.signal?.aborted !== true; ) {
    store.root.resetReadTxn();
    const stored = [...index.getRange({ start: offsetKey(from), end: offsetKey(end), limit: ENTRIES_PER_TURN })];
    store.root.resetReadTxn();
    if (stored.length === 0) break;
    let turnEnd = report.bytes + limits.readBytesMax;
    for (const { key, value } of stored) {
      const base = keyOffset(key);
      from = base + 1;
      checkEntry(base, key, value);
      if (report.bytes < turnEnd) continue;
      turnEnd = report.bytes + limits.readBytesMax;
      onBatches();
      await nextTurn();
    }
    onBatches();
    await nextTurn();
  }
  checkGap(end);
}

function faultOf(store: Store, index: IndexDatabase, buffer: BatchBuffer, entry: BatchEntry): string | null {
  try {
    const bytes = buffer.load(entry);
    if (bytes === null) return isStillThere(store, index, entry) ? `segment ${entry.segment} is missing` : null;
    const records = countIn(bytes);
    return records === entry.records ? null : `expected ${entry.records} records, got ${records}`;
  } catch (error) {
    if (!(error instanceof SquitterError && error.code === 'log.damaged')) throw error;
    return String(error.details['fault'] ?? error.details['detail']);
  }
}

/** False if retention or compaction has removed the entry while it was read. */
function isStillThere(store: Store, index: IndexDatabase, { baseOffset, segment }: BatchEntry): boolean {
  store.root.resetReadTxn();
  const found = index.get(offsetKey(baseOffset));
  return found !== undefined && decodeEntry(offsetKey(baseOffset), found).segment === segment;
}
