// Group commit: operations that arrive while one transaction is under way go together into the next.
// First the bytes of larger batches are written to segments, then one LMDB transaction makes all of them part of the log.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Commit, OutgoingRecord, Output } from '../event-log.ts';
import { listOf } from '../record-block.ts';
import { type BatchSize, batchSize, recordBytes, writeBatch } from './batch.ts';
import { encodeEntry, offsetKey } from './entry.ts';
import { logFailure } from './failures.ts';
import { type Place, SegmentWriter } from './segments.ts';
import { type GroupRow, groupRowKey, indexOf, type PartitionRow, partitionKey, partitionRowKey, type Store } from './store.ts';
import { type Transaction, transact } from './transaction.ts';

interface ListedOutput extends Output {
  readonly records: readonly OutgoingRecord[];
}

interface Operation {
  readonly outputs: readonly ListedOutput[];
  readonly commit: Commit | null;
  readonly bytes: number;
  readonly resolve: (lastOffset: number) => void;
  readonly reject: (error: unknown) => void;
}

/** A stored batch whose offset is not known yet. */
interface PreparedBatch {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: number;
  readonly size: BatchSize;
  readonly place: Place | null;
  readonly inline: Buffer | null;
  readonly maxTimestampMs: number;
  readonly hasTombstones: boolean;
}

interface PreparedOperation {
  readonly operation: Operation;
  readonly batches: readonly PreparedBatch[];
}

const NEVER_COMMITTED: GroupRow = { offset: null };
const STAGING_BYTES_MIN = 256 * 1024;

export class LogWriter {
  /** Set when something was written that no checkpoint covers. */
  isDirty = false;
  readonly segments: SegmentWriter;
  private readonly store: Store;
  private readonly now: () => number;
  private readonly onDirty: () => void;
  private readonly onError: (error: unknown) => void;
  private queue: Operation[] = [];
  private running: Promise<void> | null = null;
  private staging = Buffer.alloc(0);

  constructor(store: Store, now: () => number, onDirty: () => void, onError: (error: unknown) => void) {
    this.store = store;
    this.now = now;
    this.onDirty = onDirty;
    this.onError = onError;
    this.segments = new SegmentWriter(store);
  }

  /** Writes outputs and a group's offset as one; gives the last offset of the last output. Errors: `log.record_too_large`, `log.commit_conflict`, those of the disk. */
  write(outputs: readonly Output[], commit: Commit | null): Promise<number> {
    const listed = outputs.map((output) => ({ ...output, records: listOf(output.records) }));
    let bytes = 0;
    for (const output of listed) bytes += checkOutput(this.store, output);
    if (commit !== null) indexOf(this.store, commit.topic, commit.partition);
    return new Promise((resolve, reject) => {
      this.queue.push({ outputs: listed, commit, bytes, resolve, reject });
      this.running ??= this.drain();
    });
  }

  /** Waits for everything asked for so far. */
  async idle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async drain(): Promise<void> {
    // Let the appends of this turn come together first.
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
    const appendedAtMs = this.now();
    const outcomes = await transact(this.store, (transaction) =>
      prepared.map((operation) => applyOperation(this.store, transaction, operation, appendedAtMs)),
    );
    this.isDirty = true;
    this.onDirty();
    outcomes.forEach((outcome, i) => {
      const { operation } = prepared[i]!;
      if (typeof outcome === 'number') operation.resolve(outcome);
      else operation.reject(outcome);
    });
    // What was written is part of the log by now: a failure here is nobody's who wrote.
    await this.segments.settle().catch((error: unknown) => this.onError(logFailure(this.store.path, error, 'log.not_writable')));
  }

  /** Packs all batches and writes the larger ones to their segments. */
  private async prepare(operations: readonly Operation[]): Promise<PreparedOperation[]> {
    const chunks = operations.map((operation) => operation.outputs.flatMap(splitOutput));
    let stagingBytes = 0;
    for (const chunk of chunks.flat()) stagingBytes += isInline(chunk.size) ? 0 : chunk.size.bytes;
    const staging = this.stagingOf(stagingBytes);
    const runs = new Map<string, Run>();
    let staged = 0;
    const prepared: PreparedOperation[] = [];
    for (let i = 0; i < operations.length; i += 1) {
      const batches: PreparedBatch[] = [];
      for (const chunk of chunks[i]!) {
        if (isInline(chunk.size)) {
          const inline = Buffer.allocUnsafe(chunk.size.bytes);
          writeBatch(chunk.records, chunk.size, inline, 0);
          batches.push(describe(chunk, null, inline));
          continue;
        }
        const place = await this.segments.reserve(chunk.topic, chunk.partition, chunk.size.bytes);
        writeBatch(chunk.records, chunk.size, staging, staged);
        const run: Run = { ...chunk, place, start: staged, end: staged + chunk.size.bytes };
        this.extendRun(runs, run, staging);
        staged = run.end;
        batches.push(describe(chunk, place, null));
      }
      prepared.push({ operation: operations[i]!, batches });
    }
    for (const run of runs.values()) this.writeRun(run, staging);
    return prepared;
  }

  /** Joins neighbours in file and staging into one write. */
  private extendRun(runs: Map<string, Run>, run: Run, staging: Buffer): void {
    const key = partitionKey(run.topic, run.partition);
    const before = runs.get(key);
    if (before !== undefined && before.end === run.start && before.place.segment === run.place.segment) {
      runs.set(key, { ...before, end: run.end });
      return;
    }
    if (before !== undefined) this.writeRun(before, staging);
    runs.set(key, run);
  }

  private writeRun({ place, start, end }: Run, staging: Buffer): void {
    this.segments.write(place, staging.subarray(start, end));
  }

  private stagingOf(bytes: number): Buffer {
    if (this.staging.length < bytes) {
      let capacity = Math.max(this.staging.length, STAGING_BYTES_MIN);
      while (capacity < bytes) capacity *= 2;
      this.staging = Buffer.allocUnsafeSlow(capacity);
    }
    return this.staging;
  }
}

interface Run {
  readonly topic: TopicId;
  readonly partition: number;
  readonly place: Place;
  readonly start: number;
  readonly end: number;
}

interface Chunk {
  readonly topic: TopicId;
  readonly partition: number;
  readonly records: readonly OutgoingRecord[];
  readonly size: BatchSize;
}

const isInline = (size: BatchSize): boolean => size.bytes <= limits.logInlineBytesMax;

/** Bytes of an output. Errors: `log.unknown_topic`, `log.unknown_partition`, `log.record_too_large`. */
function checkOutput(store: Store, output: ListedOutput): number {
  indexOf(store, output.topic, output.partition);
  const { name, recordBytesMax } = topics[output.topic];
  let bytes = 0;
  for (const record of output.records) {
    const valueBytes = record.value?.length ?? 0;
    if (valueBytes > recordBytesMax)
      throw new SquitterError('log.record_too_large', { bytes: valueBytes, limit: recordBytesMax, topic: name });
    bytes += recordBytes(record);
  }
  return bytes;
}

function splitOutput(output: ListedOutput): Chunk[] {
  const { topic, partition, records } = output;
  const chunks: Chunk[] = [];
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < records.length; i += 1) {
    const next = recordBytes(records[i]!);
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

function chunkOf(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Chunk {
  return { topic, partition, records, size: batchSize(records) };
}

function describe(chunk: Chunk, place: Place | null, inline: Buffer | null): PreparedBatch {
  let maxTimestampMs = Number.NEGATIVE_INFINITY;
  let hasTombstones = false;
  for (const record of chunk.records) {
    if (record.timestampMs > maxTimestampMs) maxTimestampMs = record.timestampMs;
    if (record.value === null) hasTombstones = true;
  }
  return { ...chunk, records: chunk.records.length, place, inline, maxTimestampMs, hasTombstones };
}

/** The last offset written, or why this operation writes nothing; others of the same transaction are not touched by that. */
function applyOperation(
  store: Store,
  transaction: Transaction,
  { operation, batches }: PreparedOperation,
  appendedAtMs: number,
): number | SquitterError {
  const { commit } = operation;
  if (commit !== null) {
    const key = groupRowKey(commit.group, commit.topic, commit.partition);
    const found = transaction.row<GroupRow>(key, NEVER_COMMITTED).offset;
    // A group that never committed may begin anywhere: its first commit decides.
    if (found !== null && found !== commit.fromOffset) {
      const { group, topic, partition, fromOffset } = commit;
      return new SquitterError('log.commit_conflict', { group, topic: topics[topic].name, partition, found, wanted: fromOffset });
    }
    transaction.setRow(key, { offset: commit.nextOffset });
  }
  let lastOffset = -1;
  for (const batch of batches) lastOffset = applyBatch(store, transaction, batch, appendedAtMs);
  if (batches.length === 0) lastOffset = lastOffsetOf(transaction, operation.outputs.at(-1));
  return lastOffset;
}

function lastOffsetOf(transaction: Transaction, output: Output | undefined): number {
  if (output === undefined) return -1;
  return transaction.row<PartitionRow>(partitionRowKey(output.topic, output.partition)).next - 1;
}

function applyBatch(store: Store, transaction: Transaction, batch: PreparedBatch, appendedAtMs: number): number {
  const rowKey = partitionRowKey(batch.topic, batch.partition);
  const row = transaction.row<PartitionRow>(rowKey);
  const runningMaxTimestampMs = Math.max(row.runningMaxTimestampMs, batch.maxTimestampMs);
  const lastOffset = row.next + batch.records - 1;
  const entry = encodeEntry({
    baseOffset: row.next,
    lastOffset,
    records: batch.records,
    headBytes: batch.size.headBytes,
    bytes: batch.size.bytes,
    segment: batch.place?.segment ?? 0,
    position: batch.place?.position ?? 0,
    maxTimestampMs: batch.maxTimestampMs,
    runningMaxTimestampMs,
    appendedAtMs,
    hasTombstones: batch.hasTombstones,
    tombstonesMetMs: 0,
    inline: batch.inline,
  });
  transaction.put(indexOf(store, batch.topic, batch.partition), offsetKey(row.next), entry);
  if (batch.place !== null) transaction.addToSegment(batch.place.segment, 1);
  transaction.setRow(rowKey, {
    ...row,
    next: lastOffset + 1,
    bytes: row.bytes + batch.size.bytes,
    dirtyBytes: row.dirtyBytes + batch.size.bytes,
    runningMaxTimestampMs,
  });
  return lastOffset;
}
