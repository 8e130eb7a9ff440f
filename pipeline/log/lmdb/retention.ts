// Retention: removes the oldest batches of a partition by age and by size, in steps that hold the write lock only briefly.
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { readEntry } from './reader.ts';
import { type PartitionRow, partitionRowKey, type Store } from './rows.ts';
import { indexOf } from './store.ts';
import { transact } from './transaction.ts';

export interface Retention {
  /** null keeps records forever. */
  readonly ageMs: number | null;
  /** Limit for all partitions of the topic together; null for no limit. For a compacted topic, it applies to the uncompacted records. */
  readonly bytesMax: number | null;
}

export type RetentionOverrides = Partial<Record<TopicId, Partial<Retention>>>;

/** Retention of a topic: that of the topic table, with the operator's overrides. */
export function retentionOf(topic: TopicId, overrides: RetentionOverrides): Retention {
  const { retentionMs: ageMs, bytesMax } = topics[topic];
  return { ageMs, bytesMax, ...overrides[topic] };
}

/**
 * Removes the batches of one partition that exceed the retention, oldest first. Returns the number of records removed.
 * Age counts from the later of timestamp and arrival, so that a replay of an old recording is not deleted before it is folded.
 * The newest batch stays even if it alone exceeds the size.
 */
export async function expire(
  store: Store,
  topic: TopicId,
  partition: number,
  retention: Retention,
  partitions: number,
  nowMs: number,
): Promise<number> {
  const oldestMs = retention.ageMs === null ? Number.NEGATIVE_INFINITY : nowMs - retention.ageMs;
  const bytesMax = retention.bytesMax === null ? Number.POSITIVE_INFINITY : retention.bytesMax / partitions;
  const index = indexOf(store, topic, partition);
  const key = partitionRowKey(topic, partition);
  let removed = 0;
  for (;;) {
    const step = await transact(store, (transaction) => {
      const row = transaction.row<PartitionRow>(key);
      let { bytes, earliest } = row;
      let entries = 0;
      let records = 0;
      for (const stored of index.getRange({ limit: limits.logMaintenanceEntriesMax })) {
        const entry = readEntry(store, stored.key, stored.value);
        const isLast = entry.lastOffset + 1 >= row.next;
        const isOld = Math.max(entry.maxTimestampMs, entry.appendedAtMs) < oldestMs;
        if (!isOld && (bytes <= bytesMax || isLast)) break;
        transaction.remove(index, stored.key);
        if (entry.segment !== 0) transaction.addToSegment(entry.segment, -1);
        bytes -= entry.bytes;
        earliest = entry.lastOffset + 1;
        entries += 1;
        records += entry.records;
      }
      if (entries > 0) transaction.setRow(key, { ...row, bytes, earliest });
      return { entries, records };
    });
    removed += step.records;
    if (step.entries < limits.logMaintenanceEntriesMax) return removed;
  }
}
