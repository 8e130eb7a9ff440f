// Group commit: operations that arrive during a transaction share the next one.
// First the bytes of all batches are written to segments, then one LMDB transaction makes them part of the log.
import { crc32 } from 'node:zlib';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Commit, Output } from '../event-log.ts';
import { checkRecords, type Records, recordsOf } from '../record-block.ts';
import { type BatchRecords, type BatchSize, batchSize, RECORD_BYTES, recordBytes, writeBatch } from './batch.ts';
import type { Changes } from './changes.ts';
import { encodeEntry, offsetKey } from './entry.ts';
import { logFailure } from './failures.ts';
import { type GroupRow, groupRowKey, type PartitionRow, partitionKey, partitionRowKey, type Store } from './rows.ts';
import { type SegmentAddress, SegmentWriter } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { CODEC_NONE, moveHead, STORED_HEAD_BYTES, type StoredHead, writeHead } from './stored-batch.ts';
import { type Transaction, transact } from './transaction.ts';

/** An output whose records are encoded one by one. */
interface PlainOutput extends Omit<Output, 'records'> {
  readonly records: Records;
}

interface Operation {
  readonly outputs: readonly PlainOutput[];
  readonly commit: Commit | null;
  readonly bytes: number;
  readonly resolve: (lastOffset: number) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch that is written to a segment but not yet part of the log. */
interface PreparedBatch {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: number;
  readonly size: BatchSize;
  readonly address: SegmentAddress;
  readonly head: StoredHead;
  /** The base offset in its head in the file; a guess until the batch is part of the log. */
  baseOffset: number;
}

interface PreparedOperation {
  readonly operation: Operation;
  readonly batches: readonly PreparedBatch[];
}

const NEVER_COMMITTED: GroupRow = { offset: null };
const STAGING_BYTES = 1024 * 1024;

export class LogWriter {
  /** True if something was written since the last checkpoint. */
  isDirty = false;
  readonly segments: SegmentWriter;
  private readonly store: Store;
  private readonly changes: Changes;
  private readonly now: () => number;
  private readonly onDirty: () => void;
  private readonly onError: (error: unknown) => void;
  private queue: Operation[] = [];
  private running: Promise<void> | null = null;
  private staging = Buffer.alloc(0);

  constructor(
    store: Store,
    changes: Changes,
    segmentBytesMax: () => number,
    now: () => number,
    onDirty: () => void,
    onError: (error: unknown) => void,
  ) {
    this.store = store;
    this.changes = changes;
    this.now = now;
    this.onDirty = onDirty;
    this.onError = onError;
    this.segments = new SegmentWriter(store, segmentBytesMax);
  }

  /** Writes outputs and a group's offset atomically. Returns the last offset of the last output. Errors: `log.unknown_topic`, `log.unknown_partition`, `log.record_too_large`, `log.commit_conflict`, those of the disk. */
  write(outputs: readonly Output[], commit: Commit | null): Promise<number> {
    const plain = outputs.map(({ topic, partition, records }) => ({ topic, partition, records: recordsOf(records) }));
    let bytes = 0;
    for (const { topic, partition, records } of plain) {
      indexOf(this.store, topic, partition);
      bytes += checkRecords(topic, records, RECORD_BYTES);
    }
    if (commit !== null) indexOf(this.store, commit.topic, commit.partition);
    return new Promise((resolve, reject) => {
      this.queue.push({ outputs: plain, commit, bytes, resolve, reject });
      this.running ??= this.drain();
    });
  }

  /** Waits for all pending writes. */
  async idle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async drain(): Promise<void> {
    // Yields once, so that appends of this turn share a transaction.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const operations = this.nextOperations();
      try {
        await this.writeTogether(operations);
      } catch (error) {
        const failure = logFailure(this.store.path, error, 'log.not_writable');
        for (const operation of operations) operation.reject(failure);
      }
    }
    this.running = null;
  }

  private nextOperations(): Operation[] {
    let bytes = 0;
    let count = 0;
    for (const operation of this.queue) {
      if (count > 0 && (bytes + operation.bytes > limits.logTransactionBytesMax || count === limits.logTransactionOperationsMax)) break;
      bytes += operation.bytes;
      count += 1;
    }
    return this.queue.splice(0, count);
  }

  private async writeTogether(operations: readonly Operation[]): Promise<void> {
    const sizes = this.segments.sizes();
    const prepared = await this.prepare(operations).catch((error: unknown) => {
      this.segments.shrinkTo(sizes);
      throw error;
    });
    const outcomes = await transact(this.store, (transaction) => prepared.map((operation) => this.apply(transaction, operation)));
    this.changes.note(prepared.flatMap(({ batches }) => batches));
    this.isDirty = true;
    this.onDirty();
    outcomes.forEach((outcome, i) => {
      const { operation } = prepared[i]!;
      if (typeof outcome === 'number') operation.resolve(outcome);
      else operation.reject(outcome);
    });
    // The batches are part of the log already, so a failure here must not reject their operations.
    await this.segments.settle().catch((error: unknown) => this.onError(logFailure(this.store.path, error, 'log.not_writable')));
  }

  /** Encodes all batches and writes them to their segments. */
  private async prepare(operations: readonly Operation[]): Promise<PreparedOperation[]> {
    const appendedAtMs = this.now();
    const ends = new Map<string, number>();
    const prepared: PreparedOperation[] = [];
    for (const operation of operations) {
      const batches: PreparedBatch[] = [];
      const committedNext = operation.commit?.nextOffset ?? null;
      for (const output of operation.outputs)
        for (const chunk of splitOutput(output)) batches.push(await this.writeChunk(chunk, ends, appendedAtMs, committedNext));
      prepared.push({ operation, batches });
    }
    return prepared;
  }

  private async writeChunk(
    chunk: Chunk,
    ends: Map<string, number>,
    appendedAtMs: number,
    committedNext: number | null,
  ): Promise<PreparedBatch> {
    const { topic, partition, records, from, to, size } = chunk;
    const count = to - from;
    const bytes = STORED_HEAD_BYTES + size.bytes;
    const address = await this.segments.reserve(topic, partition, bytes);
    // A guess: correct if no other writer writes to the partition meanwhile and no earlier operation is refused.
    const key = partitionKey(topic, partition);
    const baseOffset = ends.get(key) ?? partitionRow(this.store, topic, partition).next;
    ends.set(key, baseOffset + count);
    if (this.staging.length < bytes) this.staging = Buffer.allocUnsafeSlow(Math.max(bytes, STAGING_BYTES));
    const { staging } = this;
    writeBatch(chunk, staging, STORED_HEAD_BYTES);
    let maxTimestampMs = Number.NEGATIVE_INFINITY;
    let hasTombstones = false;
    for (let i = from; i < to; i += 1) {
      maxTimestampMs = Math.max(maxTimestampMs, records.timestampMs(i));
      if (records.valueBytes(i) < 0) hasTombstones = true;
    }
    // Field by field, not from copies: copying an object and changing a field's type creates a new V8 hidden class each time, in the old space.
    const head: StoredHead = {
      baseOffset,
      appendedAtMs,
      committedNext,
      maxTimestampMs,
      hasTombstones,
      codec: CODEC_NONE,
      isMerged: false,
      bytes: size.bytes,
      checksum: crc32(staging.subarray(STORED_HEAD_BYTES, bytes)),
      plainBytes: size.bytes,
      lastOffset: baseOffset + count - 1,
      coversTo: baseOffset + count - 1,
    };
    writeHead(head, staging, 0);
    this.segments.write(address, staging.subarray(0, bytes));
    return { topic, partition, records: count, size, address, head, baseOffset };
  }

  /** Changes the base offset of a batch that is already written. */
  private moveBatch(batch: PreparedBatch, baseOffset: number): void {
    writeHead(batch.head, this.staging, 0);
    moveHead(this.staging, 0, baseOffset);
    batch.baseOffset = baseOffset;
    this.segments.write(batch.address, this.staging.subarray(0, STORED_HEAD_BYTES));
  }

  /** Applies one operation. Returns its last offset, or the error if it writes nothing; other operations of the transaction are unaffected. */
  private apply(transaction: Transaction, { operation, batches }: PreparedOperation): number | SquitterError {
    const { commit } = operation;
    if (commit !== null) {
      const key = groupRowKey(commit.group, commit.topic, commit.partition);
      const found = transaction.row<GroupRow>(key, NEVER_COMMITTED).offset;
      // The first commit of a group may begin at any offset.
      if (found !== null && found !== commit.fromOffset) {
        const { group, topic, partition, fromOffset } = commit;
        return new SquitterError('log.commit_conflict', { group, topic: topics[topic].name, partition, found, wanted: fromOffset });
      }
      transaction.setRow(key, { offset: commit.nextOffset });
    }
    let lastOffset = -1;
    for (const batch of batches) lastOffset = this.applyBatch(transaction, batch);
    if (batches.length === 0) lastOffset = lastOffsetOf(transaction, operation.outputs.at(-1));
    return lastOffset;
  }

  private applyBatch(transaction: Transaction, batch: PreparedBatch): number {
    const { address, head, size, records } = batch;
    const rowKey = partitionRowKey(batch.topic, batch.partition);
    const row = transaction.row<PartitionRow>(rowKey);
    // The guess was wrong: another writer came first, or an earlier operation was refused. Correct the head before the index refers to it.
    if (row.next !== batch.baseOffset) this.moveBatch(batch, row.next);
    const runningMaxTimestampMs = Math.max(row.runningMaxTimestampMs, head.maxTimestampMs);
    const lastOffset = row.next + records - 1;
    const bytes = STORED_HEAD_BYTES + size.bytes;
    const entry = encodeEntry({
      baseOffset: row.next,
      lastOffset,
      records,
      headBytes: size.headBytes,
      bytes,
      segment: address.segment,
      position: address.position,
      maxTimestampMs: head.maxTimestampMs,
      runningMaxTimestampMs,
      appendedAtMs: head.appendedAtMs,
      hasTombstones: head.hasTombstones,
      tombstonesMetMs: 0,
      isPacked: false,
      isLost: false,
    });
    transaction.put(indexOf(this.store, batch.topic, batch.partition), offsetKey(row.next), entry);
    transaction.addToSegment(address.segment, 1);
    // Field by field, as in `prepare`.
    const { earliest, next, dirtyBytes, cleanedTo } = row;
    transaction.setRow(rowKey, {
      earliest,
      next: next + records,
      bytes: row.bytes + bytes,
      runningMaxTimestampMs,
      cleanedTo,
      dirtyBytes: dirtyBytes + bytes,
    });
    return lastOffset;
  }
}

interface Chunk extends BatchRecords {
  readonly topic: TopicId;
  readonly partition: number;
}

function splitOutput({ topic, partition, records }: PlainOutput): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let bytes = 0;
  const cut = (to: number): void => {
    if (to > from) chunks.push({ topic, partition, records, from, to, size: batchSize(records, from, to) });
    from = to;
    bytes = 0;
  };
  for (let i = 0; i < records.length; i += 1) {
    const next = recordBytes(records, i);
    if (bytes + next > limits.logBatchBytesMax || i - from === limits.readRecordsMax) cut(i);
    bytes += next;
  }
  cut(records.length);
  return chunks;
}

function lastOffsetOf(transaction: Transaction, output: PlainOutput | undefined): number {
  if (output === undefined) return -1;
  return transaction.row<PartitionRow>(partitionRowKey(output.topic, output.partition)).next - 1;
}
