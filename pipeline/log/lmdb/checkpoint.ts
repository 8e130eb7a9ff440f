// Power loss: LMDB flushes every commit by itself and stays intact, but segment bytes are flushed later.
// A checkpoint is a state whose bytes are all on the disk. After a power loss the log is cut back to the last checkpoint.
import { isDeepStrictEqual } from 'node:util';
import type { TopicId } from '../../../schemas/topics.ts';
import { offsetKey } from './entry.ts';
import { readEntry } from './reader.ts';
import { allPartitions, type CheckpointRow, type GroupRow, type PartitionRow, partitionKey, partitionRowKey, type Store } from './rows.ts';
import { flushSegments } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { commitFailed } from './transaction.ts';

const GROUP_PREFIX = 'group/';
const AFTER_GROUPS = 'group0';

/** Makes everything committed so far durable against a power loss. `flushOwn` flushes the segments of this log object. */
export async function takeCheckpoint(store: Store, flushOwn: () => Promise<void>): Promise<void> {
  store.root.resetReadTxn();
  const next: Record<string, number> = {};
  const groups: Record<string, number | null> = {};
  for (const { topic, partition } of allPartitions(store)) {
    next[partitionKey(topic, partition)] = partitionRow(store, topic, partition).next;
  }
  for (const { key, value } of store.rows.getRange({ start: GROUP_PREFIX, end: AFTER_GROUPS })) {
    groups[key] = (value as GroupRow).offset;
  }
  // A writer flushes a segment before sealing it, so only open segments may have bytes in memory alone.
  const open = [...store.segments.getRange()].filter(({ value }) => value.isOpen).map(({ key }) => key);
  const checkpoint: CheckpointRow = { next, groups };
  const isKnown = isDeepStrictEqual(checkpoint, store.meta.get('checkpoint'));
  store.root.resetReadTxn();
  if (isKnown) return;
  await flushOwn();
  await flushSegments(store, open);
  // Threads may take checkpoints at the same time. If an older one is written last, it only covers less.
  await store.meta.put('checkpoint', checkpoint).catch((error: unknown) => commitFailed(store, error));
}

/** First offset of a partition that the last checkpoint does not cover. */
export function checkpointedTo(store: Store, topic: TopicId, partition: number): number {
  return (store.meta.get('checkpoint') as CheckpointRow | undefined)?.next[partitionKey(topic, partition)] ?? 0;
}

/** Closes the dead owner's segments. Runs inside the write transaction that took the ownership. */
export function sealAbandoned(store: Store): void {
  for (const { key, value } of [...store.segments.getRange()]) {
    if (value.batches <= 0) store.segments.put(key, { ...value, isOpen: false, isRetired: true });
    else if (value.isOpen) store.segments.put(key, { ...value, isOpen: false });
  }
}

/** Removes everything after the last checkpoint. Runs inside the write transaction that took the ownership. Returns the number of lost records. */
export function cutToCheckpoint(store: Store): number {
  const checkpoint = store.meta.get('checkpoint') as CheckpointRow | undefined;
  let lost = 0;
  for (const { topic, partition } of allPartitions(store)) {
    lost += cutPartition(store, topic, partition, checkpoint?.next[partitionKey(topic, partition)] ?? 0);
  }
  for (const { key, value, version } of [...store.rows.getRange({ start: GROUP_PREFIX, end: AFTER_GROUPS, versions: true })]) {
    const offset = checkpoint?.groups[key] ?? null;
    if (offset !== (value as GroupRow).offset) store.rows.put(key, { offset }, (version ?? 0) + 1);
  }
  return lost;
}

function cutPartition(store: Store, topic: TopicId, partition: number, to: number): number {
  const key = partitionRowKey(topic, partition);
  const entry = store.rows.getEntry(key);
  const row = entry?.value as PartitionRow;
  if (row.next <= to) return 0;
  const index = indexOf(store, topic, partition);
  let bytes = 0;
  let runningMaxTimestampMs = 0;
  for (const stored of [...index.getRange({ start: offsetKey(to) })]) {
    const batch = readEntry(store, stored.key, stored.value);
    bytes += batch.bytes;
    const segment = store.segments.get(batch.segment);
    if (segment !== undefined) store.segments.put(batch.segment, { ...segment, batches: segment.batches - 1 });
    index.remove(stored.key);
  }
  for (const stored of index.getRange({ reverse: true, limit: 1 })) {
    runningMaxTimestampMs = readEntry(store, stored.key, stored.value).runningMaxTimestampMs;
  }
  const cut: PartitionRow = {
    earliest: Math.min(row.earliest, to),
    next: to,
    bytes: row.bytes - bytes,
    dirtyBytes: Math.max(0, row.dirtyBytes - bytes),
    cleanedTo: Math.min(row.cleanedTo, to),
    runningMaxTimestampMs,
  };
  store.rows.put(key, cut, (entry?.version ?? 0) + 1);
  return row.next - to;
}
