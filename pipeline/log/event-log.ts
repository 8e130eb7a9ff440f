// The EventLog port: an ordered, partitioned, durable log of records, with Kafka's semantics.
// Offsets increase but may have gaps (Kafka's control records, compaction): never count records by subtracting offsets.
// `next offset` always means the offset of the first record not yet seen, as in Kafka's commits.
import type { TopicId } from '../../schemas/topics.ts';
import type { OutgoingRecord, OutgoingRecords } from './record-block.ts';

export interface StoredRecord extends OutgoingRecord {
  readonly offset: number;
}

/** Consecutive records of one partition, in offset order; never empty. */
export interface RecordCursor {
  readonly offset: number;
  readonly timestampMs: number;
  /** The value is these bytes from `start` to `end`, which is −1 for a tombstone. Valid until the next batch is requested. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Moves to the next record, at first to the first one. False behind the last. */
  next(): boolean;
  key(): string | null;
}

export interface RecordBatch {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** Offset at which reading continues after this batch. */
  readonly nextOffset: number;
  /** A new walk over the records that makes no object for each; see `cursorOf`. */
  readonly cursor?: () => RecordCursor;
}

export interface Bounds {
  /** First offset that can still be read. */
  readonly earliest: number;
  /** Offset after the last visible record. */
  readonly next: number;
}

export interface Output {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: OutgoingRecords;
}

/** Outputs and input offset of a stateful consumer. All of it becomes visible, or nothing. */
export interface Commit {
  readonly group: string;
  readonly topic: TopicId;
  readonly partition: number;
  /** The committed offset from which this work began. If the log has another one, another worker took over and nothing is written. */
  readonly fromOffset: number;
  readonly nextOffset: number;
  readonly outputs: readonly Output[];
}

export interface ReadRequest {
  readonly topic: TopicId;
  readonly partition: number;
  /** Error `log.offset_out_of_range` if records from this offset on are deleted; 'earliest' never fails. */
  readonly from: number | 'earliest';
  /** Reading stops before this offset; 'end' is the end at the time of the call; 'follow' never ends. */
  readonly to: number | 'end' | 'follow';
  readonly signal?: AbortSignal;
}

/** Callbacks of a stateful consumer in a group. Calls for one partition never overlap. */
export interface GroupHandler {
  /** The partition is assigned to this member: restore state and return the offset to start from. `committed` is null if the group never committed. */
  assigned(partition: number, committed: number | null): Promise<number>;
  /** `signal`: the partition is being taken back, and a call that waits for something else must end. The batch may be incomplete then. */
  batch(batch: RecordBatch, signal: AbortSignal): Promise<void>;
  /** A damaged stretch holds the partition until it is revoked: `assigned` or a read met it. Other partitions continue. */
  held?(partition: number): void;
  /** The partition is assigned to another member after this returns: the last chance to commit. */
  revoked(partition: number): Promise<void>;
}

export interface GroupMember {
  /** Number of partition assignments that this member has received, empty ones included. */
  readonly rebalances: number;
  /** Gives up every partition (calls `revoked`) and leaves. */
  leave(): Promise<void>;
  /** Resolves when the member has left; rejects with the error that stopped it. A process whose member fails must not stay idle. */
  readonly done: Promise<void>;
}

export interface EventLog {
  /** Number of partitions of a topic. */
  partitions(topic: TopicId): number;

  /** Appends in order. Resolves with the offset of the last record when all are durable against `kill -9`. */
  append(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number>;

  /** Writes outputs and the input offset atomically. Error: `log.commit_conflict` (do not retry: rejoin the group). */
  commit(commit: Commit): Promise<void>;

  /** The group's next offset in a partition; null if it never committed. */
  committed(group: string, topic: TopicId, partition: number): Promise<number | null>;

  bounds(topic: TopicId, partition: number): Promise<Bounds>;

  /** First offset whose record has this timestamp or a later one; the end if there is none. */
  offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number>;

  /** Reads without a group. Error `log.damaged` at records that cannot be read: see `damage.ts`. Batches are at most `limits.readBytesMax` (`limits.kafkaReadBytesMax` from Kafka), or one record. Values are valid until the next batch is requested: copy what you keep. */
  read(request: ReadRequest): AsyncIterable<RecordBatch>;

  /** Joins a group that shares the partitions of a topic among its members. The embedded log gives all of them to its one member. */
  join(group: string, topic: TopicId, handler: GroupHandler): Promise<GroupMember>;

  close(): Promise<void>;
}
