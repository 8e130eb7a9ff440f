// Compaction: keeps the last record of each key. Like Kafka's cleaner, it reads the keys of the new part when enough of a partition is new,
// then rewrites the batches without superseded records. Offsets stay, so gaps appear. Steps are small, and readers continue meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { OutgoingRecord } from '../record-block.ts';
import { type BatchRecord, batchSize, type RecordHead, readHeads, recordBytes, writeBatch } from './batch.ts';
import { checkpointedTo } from './checkpoint.ts';
import { type BatchEntry, encodeEntry, offsetKey } from './entry.ts';
import { BatchBuffer, entriesFrom, readEntry } from './reader.ts';
import { type PartitionRow, partitionRowKey, type Store } from './rows.ts';
import type { SegmentWriter } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { CODEC_BROTLI, CODEC_NONE, packed, STORED_HEAD_BYTES, type StoredHead, writeHead } from './stored-batch.ts';
import { transact } from './transaction.ts';

export interface CleanOptions {
  readonly nowMs: number;
  readonly tombstoneKeepMs: number;
  /** Compact all new records, however few and however recent. */
  readonly always: boolean;
  /** New bytes of a partition below which it is not compacted. */
  readonly dirtyBytesMin: number;
  /** Bytes of recent records that the partition may keep uncompacted, if its topic keeps any; null for no limit. */
  readonly keptBytesMax: number | null;
}

/** Compacts one partition if it is due. Returns the number of records removed. Only the cleaner may use `segments`. */
export async function clean(
  store: Store,
  segments: SegmentWriter,
  topic: TopicId,
  partition: number,
  options: CleanOptions,
): Promise<number> {
  const row = partitionRow(store, topic, partition);
  const due = dueOf(store, row, topic, partition, options);
  if (due === null) return 0;
  const lastOffsets = new Map<string, number>();
  const buffer = new BatchBuffer(store, topic, partition);
  try {
    // A power loss cuts the log at the checkpoint: no batch may be merged across it.
    const to = Math.min(due.to, checkpointedTo(store, topic, partition));
    const end = await collectKeys(store, buffer, topic, partition, row.cleanedTo, to, lastOffsets);
    if (end <= row.cleanedTo) return 0;
    const removed = await rewrite(store, buffer, segments, { topic, partition, end, lastOffsets }, options);
    await finish(store, topic, partition, end, due.bytes);
    return removed;
  } finally {
    buffer.close();
  }
}

const NO_BATCH = Buffer.alloc(0);

function headsIn(bytes: Buffer, entry: BatchEntry): RecordHead[] {
  return entry.isLost ? [] : readHeads(bytes, entry.baseOffset);
}

/** The part to compact: its end offset, and its new bytes. */
interface Due {
  readonly to: number;
  readonly bytes: number;
}

/** The due part of a partition; null if compaction is not due. */
function dueOf(store: Store, row: PartitionRow, topic: TopicId, partition: number, options: CleanOptions): Due | null {
  const { dirtyBytes: bytes, next } = row;
  if (options.always) return next > row.cleanedTo ? { to: next, bytes } : null;
  if (bytes < options.dirtyBytesMin) return null;
  const { compactAfterMs } = topics[topic];
  if (compactAfterMs !== null) return dueOfOld(store, row, topic, partition, { ...options, compactAfterMs });
  return bytes >= row.bytes * limits.logCleanDirtyRatioMin ? { to: next, bytes } : null;
}

/** The same for a topic that keeps recent records: records that arrived long ago, and those beyond the size limit. */
function dueOfOld(
  store: Store,
  row: PartitionRow,
  topic: TopicId,
  partition: number,
  { nowMs, compactAfterMs, keptBytesMax, dirtyBytesMin }: CleanOptions & { readonly compactAfterMs: number },
): Due | null {
  const oldMs = nowMs - compactAfterMs;
  let young = row.dirtyBytes;
  let to = row.cleanedTo;
  let batches = 0;
  for (const { key, value } of indexOf(store, topic, partition).getRange({ start: offsetKey(to), limit: limits.logCleanBatchesMin })) {
    const { appendedAtMs, bytes, lastOffset } = readEntry(store, key, value);
    if (appendedAtMs > oldMs && young <= (keptBytesMax ?? Number.POSITIVE_INFINITY)) break;
    young -= bytes;
    to = lastOffset + 1;
    batches += 1;
  }
  const old = row.dirtyBytes - young;
  const isMuch = old >= dirtyBytesMin && old >= (row.bytes - young) * limits.logCleanDirtyRatioMin;
  return isMuch || batches === limits.logCleanBatchesMin ? { to, bytes: old } : null;
}

/** Collects the last offset of each key in [from, to), up to the limit of the map. Returns where it stopped. */
async function collectKeys(
  store: Store,
  buffer: BatchBuffer,
  topic: TopicId,
  partition: number,
  from: number,
  to: number,
  lastOffsets: Map<string, number>,
): Promise<number> {
  const index = indexOf(store, topic, partition);
  let position = from;
  while (position < to && lastOffsets.size < limits.logCleanKeysMax) {
    store.root.resetReadTxn();
    const entries = entriesFrom(store, index, position, to);
    store.root.resetReadTxn();
    if (entries.length === 0) return to;
    for (const entry of entries) {
      const bytes = entry.isLost ? NO_BATCH : buffer.load(entry);
      // Only a cleaner moves batches of a compacted topic, so another one is at work.
      if (bytes === null) return from;
      for (const head of headsIn(bytes, entry)) if (head.key !== null) lastOffsets.set(head.key, head.offset);
      position = entry.lastOffset + 1;
      await nextTurn();
    }
  }
  return position;
}

/** Records to be written as one batch, and the entries they come from. */
export interface Collected {
  readonly from: BatchEntry[];
  readonly records: BatchRecord[];
  bytes: number;
  /** That of the last entry, if known. */
  readonly committedNext: number | null;
}

/** The offsets of a partition before `end`, and the last offset of each key there. */
interface Part {
  readonly topic: TopicId;
  readonly partition: number;
  readonly end: number;
  readonly lastOffsets: ReadonlyMap<string, number>;
}

/** Replaces the batches of a part by batches of its surviving records. Returns the number of dropped records. */
async function rewrite(
  store: Store,
  buffer: BatchBuffer,
  segments: SegmentWriter,
  { topic, partition, end, lastOffsets }: Part,
  options: CleanOptions,
): Promise<number> {
  const index = indexOf(store, topic, partition);
  let collected: Collected = { from: [], records: [], bytes: 0, committedNext: null };
  let removed = 0;
  let position = 0;
  const flush = async (): Promise<boolean> => {
    const done = collected.from.length === 0 || (await replace(store, segments, topic, partition, collected, { ...options, packs: false }));
    collected = { from: [], records: [], bytes: 0, committedNext: null };
    return done;
  };
  while (position < end) {
    store.root.resetReadTxn();
    const entries = entriesFrom(store, index, position, end);
    store.root.resetReadTxn();
    if (entries.length === 0) break;
    for (const entry of entries) {
      if (collected.from.length === limits.logMaintenanceEntriesMax || collected.bytes + entry.bytes > limits.logBatchBytesMax) {
        if (!(await flush())) return removed;
      }
      const bytes = entry.isLost ? NO_BATCH : buffer.load(entry);
      if (bytes === null) return removed;
      removed += keepSurvivors(bytes, entry, lastOffsets, options, collected);
      position = entry.lastOffset + 1;
      await nextTurn();
    }
  }
  await flush();
  return removed;
}

/** Adds copies of the records to keep. Returns the number of dropped records. */
function keepSurvivors(
  bytes: Buffer,
  entry: BatchEntry,
  lastOffsets: ReadonlyMap<string, number>,
  options: CleanOptions,
  collected: Collected,
): number {
  const heads = headsIn(bytes, entry);
  const dropsTombstones = entry.tombstonesMetMs > 0 && entry.tombstonesMetMs + options.tombstoneKeepMs <= options.nowMs;
  const base = collected.from[0]?.baseOffset ?? entry.baseOffset;
  collected.from.push(entry);
  let kept = 0;
  for (const { key, offset, timestampMs, isTombstone, valueStart, valueEnd } of heads) {
    if (key !== null && (lastOffsets.get(key) ?? -1) > offset) continue;
    if (isTombstone && dropsTombstones) continue;
    const value = isTombstone ? null : Buffer.from(bytes.subarray(valueStart, valueEnd));
    const record = { key, timestampMs, value, offsetDelta: offset - base };
    collected.records.push(record);
    collected.bytes += recordBytes(record);
    kept += 1;
  }
  return heads.length - kept;
}

export interface MergeOptions {
  readonly nowMs: number;
  /** Compresses the merged batch, and records the progress in `cleanedTo`. */
  readonly packs: boolean;
}

/** Replaces entries by one batch with their records. Returns false if the entries have changed meanwhile. */
export async function replace(
  store: Store,
  segments: SegmentWriter,
  topic: TopicId,
  partition: number,
  collected: Collected,
  options: MergeOptions,
): Promise<boolean> {
  const index = indexOf(store, topic, partition);
  const key = partitionRowKey(topic, partition);
  const merged = collected.records.length === 0 ? null : await writeMerged(segments, topic, partition, collected, options);
  const isDone = await transact(store, (transaction) => {
    const row = transaction.row<PartitionRow>(key);
    let bytes = row.bytes;
    for (const entry of collected.from) {
      const found = index.get(offsetKey(entry.baseOffset));
      if (found === undefined || !found.equals(encodeEntry(entry))) return false;
      transaction.remove(index, offsetKey(entry.baseOffset));
      if (entry.segment !== 0) transaction.addToSegment(entry.segment, -1);
      bytes -= entry.bytes;
    }
    if (merged !== null) {
      transaction.put(index, offsetKey(merged.baseOffset), encodeEntry(merged));
      transaction.addToSegment(merged.segment, 1);
      bytes += merged.bytes;
    }
    transaction.setRow(key, options.packs ? { ...row, bytes, cleanedTo: collected.from.at(-1)!.lastOffset + 1 } : { ...row, bytes });
    return true;
  });
  await segments.settle();
  return isDone;
}

async function writeMerged(
  segments: SegmentWriter,
  topic: TopicId,
  partition: number,
  { from, records, committedNext }: Collected,
  options: MergeOptions,
): Promise<BatchEntry> {
  const size = batchSize(records);
  const plain = Buffer.allocUnsafe(STORED_HEAD_BYTES + size.bytes);
  writeBatch(records, size, plain, STORED_HEAD_BYTES);
  const isPacked = options.packs;
  const bytes = isPacked ? Buffer.concat([Buffer.alloc(STORED_HEAD_BYTES), await packed(plain.subarray(STORED_HEAD_BYTES))]) : plain;
  const baseOffset = from[0]!.baseOffset;
  const { runningMaxTimestampMs, appendedAtMs } = from.at(-1)!;
  const head: StoredHead = {
    codec: isPacked ? CODEC_BROTLI : CODEC_NONE,
    hasTombstones: records.some((record) => record.value === null),
    isMerged: true,
    bytes: bytes.length - STORED_HEAD_BYTES,
    checksum: crc32(bytes.subarray(STORED_HEAD_BYTES)),
    plainBytes: size.bytes,
    baseOffset,
    lastOffset: baseOffset + records.at(-1)!.offsetDelta,
    coversTo: from.at(-1)!.lastOffset,
    maxTimestampMs: records.reduce((max, record: OutgoingRecord) => Math.max(max, record.timestampMs), Number.NEGATIVE_INFINITY),
    appendedAtMs,
    committedNext,
  };
  writeHead(head, bytes, 0);
  const address = await segments.reserve(topic, partition, bytes.length);
  segments.write(address, bytes);
  // The replaced batches are before the checkpoint, so this one must be on the disk too.
  await segments.flush();
  // The newest tombstone decides, so that none is dropped too early.
  const met = from
    .filter((entry) => entry.hasTombstones)
    .map((entry) => (entry.tombstonesMetMs === 0 ? options.nowMs : entry.tombstonesMetMs));
  return {
    baseOffset,
    lastOffset: head.lastOffset,
    records: records.length,
    headBytes: size.headBytes,
    bytes: bytes.length,
    segment: address.segment,
    position: address.position,
    maxTimestampMs: head.maxTimestampMs,
    runningMaxTimestampMs,
    appendedAtMs,
    hasTombstones: head.hasTombstones,
    tombstonesMetMs: head.hasTombstones ? Math.max(...met) : 0,
    isPacked,
    isLost: false,
  };
}

function finish(store: Store, topic: TopicId, partition: number, end: number, dirtyBytes: number): Promise<void> {
  const key = partitionRowKey(topic, partition);
  return transact(store, (transaction) => {
    const row = transaction.row<PartitionRow>(key);
    // Records appended during the compaction are still new. If `end` is before `next`, the rest is left for the next time.
    transaction.setRow(key, { ...row, cleanedTo: Math.max(row.cleanedTo, end), dirtyBytes: Math.max(0, row.dirtyBytes - dirtyBytes) });
  });
}

export function isCompacted(topic: TopicId): boolean {
  return topics[topic].cleanup === 'compact';
}
