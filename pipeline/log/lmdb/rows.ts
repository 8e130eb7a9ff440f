// The rows of the index, their keys and their databases.
import type { Database, RootDatabase, TransactionFlags } from 'lmdb';
import { SquitterError } from '../../../schemas/errors.ts';
import { type TopicId, topicIds, topicPartitions, topics } from '../../../schemas/topics.ts';
import type { ProcessIdentity } from '../../runtime/process-identity.ts';

/** State of one partition. Its version also guards the partition's index and segments. */
export interface PartitionRow {
  readonly earliest: number;
  readonly next: number;
  /** Bytes of all stored batches. */
  readonly bytes: number;
  readonly runningMaxTimestampMs: number;
  /** Compaction has read everything before this offset. */
  readonly cleanedTo: number;
  /** Bytes stored since the last compaction. */
  readonly dirtyBytes: number;
}

export interface SegmentRow {
  readonly topic: TopicId;
  readonly partition: number;
  /** Number of batches that the index refers to. */
  readonly batches: number;
  /** A writer may still append to it. */
  readonly isOpen: boolean;
  /** No batch is left in it: its file will be removed, then this row. */
  readonly isRetired?: boolean;
}

export interface GroupRow {
  readonly offset: number | null;
}

/** 3 is the format of version 0.1.0. */
export const FORMAT_VERSION = 3;

export interface FormatRow {
  readonly version: number;
  readonly framePartitions: number;
  readonly id: string;
  /** Number of openings for writing. */
  readonly opened: number;
  /** Topics whose partitions have rows. The partitions of a topic that a later version added are empty. */
  readonly topics: readonly string[];
}

/** Error of a log that an earlier format than `FORMAT_VERSION` describes. */
export function olderFormat(path: string, found: number): SquitterError {
  return new SquitterError('log.older_format', { path, found, known: FORMAT_VERSION });
}

/** Ends of all partitions and groups at a moment whose bytes are all on the disk. */
export interface CheckpointRow {
  readonly next: Readonly<Record<string, number>>;
  readonly groups: Readonly<Record<string, number | null>>;
}

export interface SchemaRow {
  readonly subject: string;
  readonly schema: string;
}

export type IndexDatabase = Database<Buffer, Buffer>;
export type Row = PartitionRow | GroupRow | { readonly value: number };

/** Row of the writing process. */
export interface Owner extends ProcessIdentity {
  /** Number of log objects that the process has open for writing. */
  readonly opens: number;
}

export interface Store {
  readonly path: string;
  readonly segmentsPath: string;
  readonly root: RootDatabase;
  /** Versioned rows: partitions, groups, counters. */
  readonly rows: Database<Row, string>;
  /** Unversioned rows: `format`, `owner`, `checkpoint`. */
  readonly meta: Database<FormatRow | Owner | CheckpointRow, string>;
  readonly segments: Database<SegmentRow, number>;
  readonly schemas: Database<SchemaRow, number>;
  readonly indexes: ReadonlyMap<string, IndexDatabase>;
  readonly framePartitions: number;
  /** Unique id of this log. */
  readonly id: string;
}

/** The partitions of a log with so many of frames. */
export function allPartitions({ framePartitions }: Pick<Store, 'framePartitions'>, ids: readonly TopicId[] = topicIds) {
  return ids.flatMap((topic) =>
    Array.from({ length: topicPartitions(topics[topic], framePartitions) }, (_, partition) => ({ topic, partition })),
  );
}

export const partitionKey = (topic: TopicId, partition: number): string => `${topic}/${partition}`;
export const partitionRowKey = (topic: TopicId, partition: number): string => `partition/${topic}/${partition}`;
export const groupRowKey = (group: string, topic: TopicId, partition: number): string => `group/${group}/${topic}/${partition}`;
export const NEXT_SEGMENT_KEY = 'next-segment';

/** Blocks until the disk has the pages; other transactions may begin before. lmdb 3.5.6 has no commit of a synchronous transaction that returns sooner. */
// MDB_NOSYNC and lmdb's SYNCHRONOUS_COMMIT, as its own putSync uses them; its type knows only the second.
export const COMMIT_OVERLAPPING = 0x10002 as TransactionFlags;
