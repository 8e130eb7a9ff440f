// The EventLog port: an ordered, partitioned, durable log of records, shaped so that Kafka fits it as it is.
// Offsets grow but may jump (Kafka's control records, compaction): never count records by subtracting offsets.
// `next offset` always means: the offset of the first record not yet seen, as Kafka commits it.
import type { TopicId } from '../../schemas/topics.ts';
import type { OutgoingRecord, OutgoingRecords } from './record-block.ts';

export interface StoredRecord extends OutgoingRecord {
  readonly offset: number;
}

/** Consecutive records of one partition, in offset order; never empty. */
export interface RecordBatch {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** Where reading goes on after this batch. */
  readonly nextOffset: number;
}

export interface Bounds {
  /** First offset that can still be read. */
  readonly earliest: number;
  /** Offset after the last record that a reader may see. */
  readonly next: number;
}

export interface Output {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: OutgoingRecords;
}

/** What a stateful consumer says when it has processed input: all of it becomes visible, or none. */
export interface Commit {
  readonly group: string;
  readonly topic: TopicId;
  readonly partition: number;
  /** The committed offset this work began from; where the log says otherwise another worker took over and nothing is written. */
  readonly fromOffset: number;
  readonly nextOffset: number;
  readonly outputs: readonly Output[];
}

export interface ReadRequest {
  readonly topic: TopicId;
  readonly partition: number;
  /** `log.offset_out_of_range` when records from here on are already deleted; 'earliest' never fails. */
  readonly from: number | 'earliest';
  /** Stop before this offset; 'end' is the end at the time of the call; 'follow' never ends. */
  readonly to: number | 'end' | 'follow';
  readonly signal?: AbortSignal;
}

/** A stateful consumer's side of group membership. Calls for one partition never overlap. */
export interface GroupHandler {
  /** The partition is ours: restore state, return the offset to start from. `committed` is null when the group never committed. */
  assigned(partition: number, committed: number | null): Promise<number>;
  batch(batch: RecordBatch): Promise<void>;
  /** The partition goes to somebody else after this returns: last chance to commit. */
  revoked(partition: number): Promise<void>;
}

export interface GroupMember {
  /** How often the group has told this member its share of the partitions, which may be none; 0 until it first did. */
  readonly rebalances: number;
  /** Gives every partition back (calling `revoked`) and leaves. */
  leave(): Promise<void>;
  /** Settles when the member has left; rejects with the error that stopped it. A process whose member fails must not stay idle. */
  readonly done: Promise<void>;
}

export interface EventLog {
  /** Number of partitions of a topic. */
  partitions(topic: TopicId): number;

  /** Appends in order; resolves with the offset of the last record once all are durable: a `kill -9` after that loses none. */
  append(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number>;

  /** Writes outputs and the input offset as one. Errors: `log.commit_conflict` (never retry it: rejoin). */
  commit(commit: Commit): Promise<void>;

  /** The group's next offset in a partition; null when it never committed. */
  committed(group: string, topic: TopicId, partition: number): Promise<number | null>;

  bounds(topic: TopicId, partition: number): Promise<Bounds>;

  /** First offset whose record has this timestamp or a later one; the end when there is none. */
  offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number>;

  /** Reads without a group. Batches are at most `limits.readBytesMax`, or one record. Values are valid until the next batch is asked for: copy what you keep. */
  read(request: ReadRequest): AsyncIterable<RecordBatch>;

  /** Joins a group that shares the partitions of a topic among its members. */
  join(group: string, topic: TopicId, handler: GroupHandler): Promise<GroupMember>;

  close(): Promise<void>;
}
