// Packing: merges and compresses batches of uncompacted topics when they are some minutes old.
// Followers and restarts read newer batches. Audits, replays and tools read older ones; unpacking is transparent to them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../../schemas/limits.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import type { StoredRecord } from '../event-log.ts';
import { readRecords } from './batch.ts';
import { checkpointedTo } from './checkpoint.ts';
import { type Collected, replace } from './cleaner.ts';
import type { BatchEntry } from './entry.ts';
import { BatchBuffer, entriesFrom } from './reader.ts';
import { type PartitionRow, partitionRowKey, type Store } from './rows.ts';
import type { SegmentWriter } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { transact } from './transaction.ts';

export interface PackOptions {
  readonly nowMs: number;
  /** Packs all batches, however new and few. */
  readonly always: boolean;
  /** True when the time limit is used up or the log is closing. */
  readonly isOver: () => boolean;
}

/** Packs the due batches of one partition. Returns the number of batches that became part of larger ones. Only the caller may use `segments`. */
export async function pack(
  store: Store,
  segments: SegmentWriter,
  topic: TopicId,
  partition: number,
  options: PackOptions,
): Promise<number> {
  // A power loss cuts the log at the checkpoint: no batch may be merged across it.
  const end = checkpointedTo(store, topic, partition);
  let position = await startOf(store, topic, partition, end);
  const buffer = new BatchBuffer(store, topic, partition);
  let merged = 0;
  try {
    while (!options.isOver()) {
      const group = nextGroup(store, topic, partition, position, end, options);
      if (group === null) break;
      const { entries } = group;
      if (group.isDone) {
        position = entries.at(-1)!.lastOffset + 1;
        await noteProgress(store, topic, partition, position);
        continue;
      }
      const collected = collect(buffer, entries);
      // Retention may have removed some of them meanwhile: the next round begins after those.
      if (collected === null) break;
      if (!(await replace(store, segments, topic, partition, collected, { nowMs: options.nowMs, packs: true }))) break;
      merged += entries.length;
      position = entries.at(-1)!.lastOffset + 1;
      await nextTurn();
    }
  } finally {
    buffer.close();
  }
  return merged;
}

/** Where packing continues. If retention has overtaken packing, packing restarts at the end. */
async function startOf(store: Store, topic: TopicId, partition: number, end: number): Promise<number> {
  const { cleanedTo, earliest } = partitionRow(store, topic, partition);
  if (cleanedTo >= earliest || cleanedTo === 0) return Math.max(cleanedTo, earliest);
  await noteProgress(store, topic, partition, end);
  return end;
}

interface Group {
  readonly entries: readonly BatchEntry[];
  /** They need no packing. */
  readonly isDone: boolean;
}

/** The next entries that form one batch; null if there are not enough. */
function nextGroup(store: Store, topic: TopicId, partition: number, from: number, to: number, options: PackOptions): Group | null {
  const newestMs = options.always ? Number.POSITIVE_INFINITY : options.nowMs - limits.logPackAgeMs;
  store.root.resetReadTxn();
  const found = from < to ? entriesFrom(store, indexOf(store, topic, partition), from, to, limits.logMaintenanceEntriesMax + 1) : [];
  store.root.resetReadTxn();
  const entries: BatchEntry[] = [];
  let bytes = 0;
  let records = 0;
  for (const entry of found) {
    if (entry.appendedAtMs > newestMs) return options.always ? groupOf(entries) : null;
    if (entry.isPacked || entry.isLost) return entries.length > 0 ? groupOf(entries) : { entries: [entry], isDone: true };
    bytes += entry.bytes;
    records += entry.records;
    const isFull = bytes > limits.logBatchBytesMax || records > limits.readRecordsMax || entries.length === limits.logMaintenanceEntriesMax;
    if (isFull && entries.length > 0) return groupOf(entries);
    entries.push(entry);
  }
  return options.always ? groupOf(entries) : null;
}

function groupOf(entries: readonly BatchEntry[]): Group | null {
  return entries.length === 0 ? null : { entries, isDone: false };
}

/** Copies of all records; null if a segment is gone. */
function collect(buffer: BatchBuffer, entries: readonly BatchEntry[]): Collected | null {
  const base = entries[0]!.baseOffset;
  const records: StoredRecord[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const batch = buffer.load(entry);
    if (batch === null) return null;
    const copy = Buffer.from(batch);
    readRecords(copy, entry.baseOffset, entry.baseOffset, entry.lastOffset + 1, records);
    bytes += copy.length;
  }
  const numbered = records.map((record) => ({ ...record, offsetDelta: record.offset - base }));
  return { from: [...entries], records: numbered, bytes, committedNext: buffer.head(entries.at(-1)!)?.committedNext ?? null };
}

function noteProgress(store: Store, topic: TopicId, partition: number, cleanedTo: number): Promise<void> {
  const key = partitionRowKey(topic, partition);
  return transact(store, (transaction) => {
    const row = transaction.row<PartitionRow>(key);
    if (row.cleanedTo < cleanedTo) transaction.setRow(key, { ...row, cleanedTo });
  });
}
