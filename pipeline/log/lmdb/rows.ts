// The rows of the index, their keys and their databases.

import type { Database, RootDatabase } from 'lmdb';
import type { TopicId } from '../../../schemas/topics.ts';
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
  /** Nothing refers to it any more: its file will be removed, then this row. */
  readonly isRetired?: boolean;
}

export interface GroupRow {
  readonly offset: number | null;
}

/** Those that every log has. */
const FIRST_TOPICS: readonly string[] = [
  'frames',
  'positions',
  'aircraft',
  'progress',
  'snapshots',
  'feeders',
  'flightplans',
  'deadletter',
];

/** Whether the log was written by a version that had this topic: else its partitions have no rows and are empty. */
export function hasTopic(format: FormatRow | undefined, topic: TopicId): boolean {
  return (format?.topics ?? FIRST_TOPICS).includes(topic);
}

export interface FormatRow {
  /** 1: written by version 0.1, without the fields `id` and `opened`. */
  readonly version: number;
  readonly framePartitions: number;
  readonly id?: string;
  /** How often the log was opened for writing. */
  readonly opened?: number;
  /** Topics whose partitions have rows; those of version 0.1 where it does not say. */
  readonly topics?: readonly string[];
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

export type SegmentsDatabase = Database<SegmentRow, number>;
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
  readonly segments: SegmentsDatabase;
  readonly schemas: Database<SchemaRow, number>;
  readonly indexes: ReadonlyMap<string, IndexDatabase>;
  readonly framePartitions: number;
  /** Unique id of this log; empty in a log of version 0.1 until it is opened for writing. */
  readonly id: string;
}

export const partitionKey = (topic: TopicId, partition: number): string => `${topic}/${partition}`;
export const partitionRowKey = (topic: TopicId, partition: number): string => `partition/${topic}/${partition}`;
export const groupRowKey = (group: string, topic: TopicId, partition: number): string => `group/${group}/${topic}/${partition}`;
export const NEXT_SEGMENT_KEY = 'next-segment';
