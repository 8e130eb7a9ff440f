// Group commit: operations that arrive during a transaction share the next one.
// First the bytes of all batches are written to segments, then one LMDB transaction makes them part of the log.
import { crc32 } from 'node:zlib';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Commit, Output } from '../event-log.ts';
import { BlockPart, type OutgoingRecord, RecordBlock } from '../record-block.ts';
import { type BatchSize, batchSize, isTombstoneAt, recordBytesAt, timestampMsAt, valueBytesAt, writeBatch } from './batch.ts';
import { encodeEntry, offsetKey } from './entry.ts';
import { logFailure } from './failures.ts';
import { type GroupRow, groupRowKey, type PartitionRow, partitionKey, partitionRowKey, type Store } from './rows.ts';
import { type SegmentAddress, SegmentWriter } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { CODEC_NONE, moveHead, STORED_HEAD_BYTES, type StoredHead, writeHead } from './stored-batch.ts';
import { type Transaction, transact } from './transaction.ts';

type Records = readonly OutgoingRecord[] | BlockPart;

interface PartedOutput extends Omit<Output, 'records'> {
  readonly records: Records;
}

interface Operation {
  readonly outputs: readonly PartedOutput[];
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
/** Fits in the processor's cache between staging and writing. */
const STAGING_BYTES_MIN = 1024 * 1024;

export class LogWriter {
  /** True if something was written since the last checkpoint. */
  isDirty = false;
  readonly segments: SegmentWriter;
  private readonly store: Store;
  private readonly now: () => number;
  private readonly onDirty: () => void;
  private readonly onError: (error: unknown) => void;
  private queue: Operation[] = [];
  private running: Promise<void> | null = null;
  private staging = Buffer.alloc(0);

  constructor(store: Store, segmentBytesMax: () => number, now: () => number, onDirty: () => void, onError: (error: unknown) => void) {
    this.store = store;
    this.now = now;
    this.onDirty = onDirty;
    this.onError = onError;
    this.segments = new SegmentWriter(store, segmentBytesMax);
  }

  /** Writes outputs and a group's offset atomically. Returns the last offset of the last output. Errors: `log.record_too_large`, `log.commit_conflict`, those of the disk. */
  write(outputs: readonly Output[], commit: Commit | null): Promise<number> {
    const parted = outputs.map(({ topic, partition, records }) => ({ topic, partition, records: partOf(records) }));
    let bytes = 0;
    for (const output of parted) bytes += checkOutput(this.store, output);
    if (commit !== null) indexOf(this.store, commit.topic, commit.partition);
    return new Promise((resolve, reject) => {
      this.queue.push({ outputs: parted, commit, bytes, resolve, reject });
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
      const operations = this.take();
      try {
        await this.writeTogether(operations);
      } catch (error) {
        const failure = logFailure(this.store.path, error, 'log.not_writable');
        for (const operation of operations) operation.reject(failure);
      }
    }
    this.running = null;
  }

  private take(): Operation[] {
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
    const outcomes = await transact(this.store, (transaction) =>
      prepared.map((operation) => applyOperation(this.store, transaction, operation, this.moveBatch)),
    );
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
    const chunks = operations.map((operation) => operation.outputs.flatMap(splitOutput));
    const staging = this.stagingOf(chunks.flat().reduce((bytes, { size }) => Math.max(bytes, STORED_HEAD_BYTES + size.bytes), 0));
    const runs = new Map<string, Run>();
    const appendedAtMs = this.now();
    const ends = new Map<string, number>();
    let start = 0;
    const prepared: PreparedOperation[] = [];
    for (let i = 0; i < operations.length; i += 1) {
      const operation = operations[i]!;
      const batches: PreparedBatch[] = [];
      for (const chunk of chunks[i]!) {
        const { topic, partition, size } = chunk;
        const address = await this.segments.reserve(topic, partition, STORED_HEAD_BYTES + size.bytes);
        if (start + STORED_HEAD_BYTES + size.bytes > staging.length) {
          this.writeRuns(runs, staging);
          start = 0;
        }
        const baseOffset = this.guessOffset(ends, chunk);
        const head = this.stage(chunk, staging, start, { baseOffset, appendedAtMs, committedNext: operation.commit?.nextOffset ?? null });
        const end = start + STORED_HEAD_BYTES + size.bytes;
        this.extendRun(runs, { topic, partition, address, start, end }, staging);
        // Not `...chunk`: copying an object and changing a field's type creates a new V8 hidden class each time, in the old space.
        batches.push({ topic, partition, records: chunk.records.length, size, address, head, baseOffset });
        start = end;
      }
      prepared.push({ operation, batches });
    }
    this.writeRuns(runs, staging);
    return prepared;
  }

  /** The base offset of a batch if no other writer writes to its partition meanwhile and no earlier operation is refused. */
  private guessOffset(ends: Map<string, number>, { topic, partition, records }: Chunk): number {
    const key = partitionKey(topic, partition);
    const baseOffset = ends.get(key) ?? partitionRow(this.store, topic, partition).next;
    ends.set(key, baseOffset + records.length);
    return baseOffset;
  }

  private stage(
    { records, size }: Chunk,
    staging: Buffer,
    start: number,
    known: Pick<StoredHead, 'baseOffset' | 'appendedAtMs' | 'committedNext'>,
  ): StoredHead {
    const bytesStart = start + STORED_HEAD_BYTES;
    writeBatch(records, size, staging, bytesStart);
    const lastOffset = known.baseOffset + records.length - 1;
    const { baseOffset, appendedAtMs, committedNext } = known;
    const { maxTimestampMs, hasTombstones } = summaryOf(records);
    // Field by field, not from copies: see `prepare`.
    const head: StoredHead = {
      baseOffset,
      appendedAtMs,
      committedNext,
      maxTimestampMs,
      hasTombstones,
      codec: CODEC_NONE,
      isMerged: false,
      bytes: size.bytes,
      checksum: crc32(staging.subarray(bytesStart, bytesStart + size.bytes)),
      plainBytes: size.bytes,
      lastOffset,
      coversTo: lastOffset,
    };
    writeHead(head, staging, start);
    return head;
  }

  /** Changes the base offset of a batch that is already written. */
  private readonly moveBatch = (batch: PreparedBatch, baseOffset: number): void => {
    writeHead(batch.head, this.staging, 0);
    moveHead(this.staging, 0, baseOffset);
    batch.baseOffset = baseOffset;
    this.segments.write(batch.address, this.staging.subarray(0, STORED_HEAD_BYTES));
  };

  /** Joins writes that are adjacent in file and staging. */
  private extendRun(runs: Map<string, Run>, run: Run, staging: Buffer): void {
    const key = partitionKey(run.topic, run.partition);
    const before = runs.get(key);
    if (before !== undefined && before.end === run.start && before.address.segment === run.address.segment) {
      before.end = run.end;
      return;
    }
    if (before !== undefined) this.writeRun(before, staging);
    runs.set(key, run);
  }

  private writeRuns(runs: Map<string, Run>, staging: Buffer): void {
    for (const run of runs.values()) this.writeRun(run, staging);
    runs.clear();
  }

  private writeRun({ address, start, end }: Run, staging: Buffer): void {
    this.segments.write(address, staging.subarray(start, end));
  }

  private stagingOf(bytes: number): Buffer {
    if (this.staging.length < bytes) this.staging = Buffer.allocUnsafeSlow(Math.max(bytes, STAGING_BYTES_MIN));
    return this.staging;
  }
}

interface Run {
  readonly topic: TopicId;
  readonly partition: number;
  readonly address: SegmentAddress;
  readonly start: number;
  end: number;
}

interface Chunk {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: Records;
  readonly size: BatchSize;
}

/** Keeps a block as it is: an object and a view for each record would be thousands a second. */
function partOf(records: Output['records']): Records {
  return records instanceof RecordBlock ? new BlockPart(records) : records;
}

/** Bytes of an output. Errors: `log.unknown_topic`, `log.unknown_partition`, `log.record_too_large`. */
function checkOutput(store: Store, output: PartedOutput): number {
  indexOf(store, output.topic, output.partition);
  const { name, recordBytesMax } = topics[output.topic];
  let bytes = 0;
  const { records } = output;
  for (let i = 0; i < records.length; i += 1) {
    const valueBytes = valueBytesAt(records, i);
    if (valueBytes > recordBytesMax)
      throw new SquitterError('log.record_too_large', { bytes: valueBytes, limit: recordBytesMax, topic: name });
    bytes += recordBytesAt(records, i);
  }
  return bytes;
}

function splitOutput(output: PartedOutput): Chunk[] {
  const { topic, partition, records } = output;
  const chunks: Chunk[] = [];
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < records.length; i += 1) {
    const next = recordBytesAt(records, i);
    if (i > start && (bytes + next > limits.logBatchBytesMax || i - start === limits.readRecordsMax)) {
      chunks.push(chunkOf(topic, partition, records.slice(start, i)));
      start = i;
      bytes = 0;
    }
    bytes += next;
  }
  if (records.length > start) chunks.push(chunkOf(topic, partition, start === 0 ? records : records.slice(start)));
  return chunks;
}

function chunkOf(topic: TopicId, partition: number, records: Records): Chunk {
  return { topic, partition, records, size: batchSize(records) };
}

function summaryOf(records: Records): Pick<StoredHead, 'maxTimestampMs' | 'hasTombstones'> {
  let maxTimestampMs = Number.NEGATIVE_INFINITY;
  let hasTombstones = false;
  for (let i = 0; i < records.length; i += 1) {
    maxTimestampMs = Math.max(maxTimestampMs, timestampMsAt(records, i));
    if (isTombstoneAt(records, i)) hasTombstones = true;
  }
  return { maxTimestampMs, hasTombstones };
}

/** Applies one operation. Returns its last offset, or the error if it writes nothing; other operations of the transaction are unaffected. */
function applyOperation(
  store: Store,
  transaction: Transaction,
  { operation, batches }: PreparedOperation,
  move: (batch: PreparedBatch, baseOffset: number) => void,
): number | SquitterError {
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
  for (const batch of batches) lastOffset = applyBatch(store, transaction, batch, move);
  if (batches.length === 0) lastOffset = lastOffsetOf(transaction, operation.outputs.at(-1));
  return lastOffset;
}

function lastOffsetOf(transaction: Transaction, output: PartedOutput | undefined): number {
  if (output === undefined) return -1;
  return transaction.row<PartitionRow>(partitionRowKey(output.topic, output.partition)).next - 1;
}

function applyBatch(
  store: Store,
  transaction: Transaction,
  batch: PreparedBatch,
  move: (batch: PreparedBatch, baseOffset: number) => void,
): number {
  const { address, head, size, records } = batch;
  const rowKey = partitionRowKey(batch.topic, batch.partition);
  const row = transaction.row<PartitionRow>(rowKey);
  // The guess was wrong: another writer came first, or an earlier operation was refused. Correct the head before the index refers to it.
  if (row.next !== batch.baseOffset) move(batch, row.next);
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
  transaction.put(indexOf(store, batch.topic, batch.partition), offsetKey(row.next), entry);
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
