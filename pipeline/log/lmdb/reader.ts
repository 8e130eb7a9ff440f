// Reading: walks the index from an offset, reads adjacent batches in one call, and returns records as views.
// No LMDB snapshot outlives a turn of the event loop, so a slow consumer never pins old pages.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { freeBuffer } from '../../runtime/free-buffer.ts';
import { damageError } from '../damage.ts';
import type { ReadRequest, RecordBatch } from '../event-log.ts';
import { countIn, LoadedBatch, readRecords, type StoredBatch } from './batch.ts';
import { type Changes, Pause } from './changes.ts';
import { type BatchEntry, decodeEntry, keyOffset, offsetKey } from './entry.ts';
import { logFailure } from './failures.ts';
import type { IndexDatabase, Store } from './rows.ts';
import { SegmentReader } from './segments.ts';
import { indexOf, partitionRow } from './store.ts';
import { readHead, STORED_HEAD_BYTES, type StoredHead, unpacked } from './stored-batch.ts';

/** Retries that suffice to find a batch moved by compaction; after more, the file counts as lost. */
const MOVED_RETRIES = 5;
const SMALLEST_BUFFER_BYTES = 64 * 1024;
/** Calls of `fetch` after which a buffer that they did not need shrinks: a follower that was behind reads a megabyte at a time. */
const SHRINK_FETCHES = 128;

/** Entries with offsets in [`from`, `to`), up to the limits of one read, and before a damaged one; at least one if there is any. */
export function entriesFrom(
  store: Store,
  index: IndexDatabase,
  from: number,
  to: number,
  entriesMax = Number.POSITIVE_INFINITY,
): BatchEntry[] {
  const following = entriesInARow(store, index, from, to, entriesMax);
  if (following.length > 0) return following;
  const entries: BatchEntry[] = [];
  const read: ReadSoFar = { bytes: 0, records: 0, entriesMax };
  for (const { key, value } of index.getRange({ start: offsetKey(firstBase(store, index, from)), snapshot: true })) {
    const entry = nextEntry(store, key, value, entries);
    if (entry === null || entry.baseOffset >= to) break;
    if (entry.lastOffset < from) continue;
    if (!addEntry(entries, entry, read)) break;
  }
  return entries;
}

/**
 * The same for batches that begin exactly where the previous one ends, as for a follower at the end of the log. It needs no range cursor, which
 * would create a dozen objects each time.
 */
function entriesInARow(store: Store, index: IndexDatabase, from: number, to: number, entriesMax: number): BatchEntry[] {
  const entries: BatchEntry[] = [];
  const read: ReadSoFar = { bytes: 0, records: 0, entriesMax };
  for (let base = from; base < to; ) {
    const key = offsetKey(base);
    const value = index.get(key);
    if (value === undefined) break;
    const entry = nextEntry(store, key, value, entries);
    if (entry === null || !addEntry(entries, entry, read)) break;
    base = entry.lastOffset + 1;
  }
  return entries;
}

/** Totals of one read so far. */
interface ReadSoFar {
  bytes: number;
  records: number;
  readonly entriesMax: number;
}

/** Adds an entry unless it exceeds the limits of one read. */
function addEntry(entries: BatchEntry[], entry: BatchEntry, read: ReadSoFar): boolean {
  read.bytes += entry.bytes;
  read.records += entry.records;
  const isFull = read.bytes > limits.readBytesMax || read.records > limits.readRecordsMax || entries.length === read.entriesMax;
  if (entries.length > 0 && isFull) return false;
  entries.push(entry);
  return true;
}

/** Base offset of the batch that begins at or before `offset`; `offset` itself if there is none. */
function firstBase(store: Store, index: IndexDatabase, offset: number): number {
  for (const { key, value } of index.getRange({ start: offsetKey(offset), reverse: true, limit: 1 }))
    return readEntry(store, key, value).baseOffset;
  return offset;
}

/** The entry; null if it is damaged and others come before it: those are read first. */
function nextEntry(store: Store, key: Buffer, value: Buffer, before: readonly BatchEntry[]): BatchEntry | null {
  try {
    return readEntry(store, key, value);
  } catch (error) {
    if (before.length > 0) return null;
    throw error;
  }
}

export function readEntry(store: Store, key: Buffer, value: Buffer): BatchEntry {
  try {
    return decodeEntry(key, value);
  } catch (error) {
    throw new SquitterError('log.damaged', { path: store.path, detail: (error as Error).message, entry: keyOffset(key) }, error);
  }
}

/** Buffer of one reader of a partition. Its bytes are valid until the next call of `fetch` or `load`. */
export class BatchBuffer {
  private readonly store: Store;
  private readonly topic: TopicId;
  private readonly partition: number;
  private readonly segments: SegmentReader;
  private buffer = Buffer.alloc(0);
  /** Calls of `fetch` since the last look at the size, and the most bytes of one of them. */
  private fetches = 0;
  private bytesMax = 0;

  constructor(store: Store, topic: TopicId, partition: number) {
    this.store = store;
    this.topic = topic;
    this.partition = partition;
    this.segments = new SegmentReader(store);
  }

  /** Bytes of a segment, up to its end; null if the segment is gone. */
  fetch(segment: number, position: number, bytes: number): Buffer | null {
    this.resize(bytes);
    const read = this.segments.read(segment, position, this.buffer, bytes);
    if (read === null) return null;
    return read < bytes ? this.buffer.subarray(0, read) : this.buffer;
  }

  /** One batch in the layout of `batch.ts`; null if its segment is gone. Error: `log.damaged`. */
  load(entry: BatchEntry): Buffer | null {
    const bytes = this.fetch(entry.segment, entry.position, entry.bytes);
    return bytes === null ? null : this.soundly(entry, () => batchIn(bytes, 0, entry));
  }

  /** The head of a batch in its segment; null if the segment is gone. */
  head({ segment, position }: BatchEntry): StoredHead | null {
    const bytes = this.fetch(segment, position, STORED_HEAD_BYTES);
    return bytes === null ? null : readHead(bytes, 0);
  }

  /** Runs code that reads a batch. Error: `log.damaged`, with the offsets that cannot be read. */
  soundly<T>({ baseOffset, lastOffset, segment }: BatchEntry, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw this.damaged(baseOffset, lastOffset, `${error.message} (in segment ${segment})`, error);
    }
  }

  damaged(from: number, to: number, detail: string, cause?: unknown): SquitterError {
    const { store, topic, partition } = this;
    return damageError(store.path, { topic, partition, from, to, detail }, cause);
  }

  private resize(bytes: number): void {
    this.fetches += 1;
    this.bytesMax = Math.max(this.bytesMax, bytes);
    const isCheck = this.fetches === SHRINK_FETCHES;
    const capacity = isCheck || bytes > this.buffer.length ? capacityFor(this.bytesMax) : this.buffer.length;
    if (capacity !== this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(capacity);
    if (!isCheck) return;
    this.fetches = 0;
    this.bytesMax = 0;
  }

  /**
   * Frees the bytes. Call it when their reader is done. The view reads the states of each tick anew: 2 MB a second at 5,000 aircraft, of which the
   * garbage collector keeps up to 64 MB.
   */
  free(): void {
    if (this.buffer.length > 0) freeBuffer(this.buffer);
  }

  close(): void {
    this.segments.close();
  }
}

/** Powers of two: few different sizes. */
function capacityFor(bytes: number): number {
  let capacity = SMALLEST_BUFFER_BYTES;
  while (capacity < bytes) capacity *= 2;
  return capacity;
}

/** The batch of an entry whose bytes begin at `start`, without its head. Throws a RangeError if it is damaged. */
function batchIn(source: Buffer, start: number, entry: BatchEntry): Buffer {
  const end = start + entry.bytes;
  if (end > source.length) throw new RangeError('the segment is cut off');
  const head = readHead(source, start);
  if (head === null) throw new RangeError('the head is damaged');
  if (head.baseOffset !== entry.baseOffset || head.lastOffset !== entry.lastOffset || STORED_HEAD_BYTES + head.bytes !== entry.bytes)
    throw new RangeError('the head belongs to another batch');
  return unpacked(head, source.subarray(start + STORED_HEAD_BYTES, end));
}

/** Number of entries that are adjacent in one segment, or all lost. A packed batch is read alone. */
function runLength(entries: readonly BatchEntry[]): number {
  const first = entries[0]!;
  let end = first.position + first.bytes;
  let count = 1;
  for (; count < entries.length; count += 1) {
    const entry = entries[count]!;
    if (first.isPacked || entry.isPacked || entry.segment !== first.segment || entry.position !== end) break;
    end += entry.bytes;
  }
  return count;
}

interface Turn {
  readonly batches: readonly StoredBatch[];
  readonly nextOffset: number;
}

/** Batches of the first run of entries within [from, to), up to a damaged one; null if their segment is gone. Error: `log.damaged` for the first batch. */
function readRun(buffer: BatchBuffer, entries: readonly BatchEntry[], to: number): Turn | null {
  const run = entries.slice(0, runLength(entries));
  const first = run[0]!;
  const last = run.at(-1)!;
  const batches: StoredBatch[] = [];
  const nextOffset = Math.min(last.lastOffset + 1, to);
  if (first.isLost) return { batches, nextOffset };
  const bytes = buffer.fetch(first.segment, first.position, last.position + last.bytes - first.position);
  if (bytes === null) return null;
  for (const entry of run)
    try {
      buffer.soundly(entry, () => {
        const batch = batchIn(bytes, entry.position - first.position, entry);
        countIn(batch);
        batches.push({ bytes: batch, baseOffset: entry.baseOffset });
      });
    } catch (error) {
      if (entry === first) throw error;
      // The intact batches before are delivered; the next read begins at this one.
      return { batches, nextOffset: entry.baseOffset };
    }
  return { batches, nextOffset };
}

/** The log object of readers. When it is closed, `closing` is aborted and `check` throws. */
export interface LogOfReaders {
  readonly changes: Changes;
  readonly closing: AbortSignal;
  readonly check: () => void;
  /** Called with the error of a read that fails. */
  readonly onFailure: (error: unknown) => void;
}

/** `EventLog.read`. */
export async function* readLog(
  store: Store,
  request: ReadRequest,
  end: number,
  { changes, closing, check, onFailure }: LogOfReaders,
): AsyncGenerator<RecordBatch, void, undefined> {
  const { topic, partition, signal } = request;
  const index = indexOf(store, topic, partition);
  const buffer = new BatchBuffer(store, topic, partition);
  const pause = new Pause(changes, topic, partition, signal === undefined ? [closing] : [signal, closing]);
  let position = request.from === 'earliest' ? 0 : request.from;
  let missing = 0;
  try {
    while (position < end && !isAborted(signal)) {
      check();
      pause.mark();
      const { earliest, next } = partitionRow(store, topic, partition);
      position = checkedPosition(topic, partition, request.from, position, earliest, next);
      const entries = position < next ? entriesFrom(store, index, position, Math.min(end, next)) : [];
      store.root.resetReadTxn();
      if (position < next && hasGap(store, buffer, request, position, Math.min(end, next), entries)) continue;
      if (entries.length === 0) {
        // Offsets without records: compaction removed them, or nothing new exists yet.
        position = Math.max(position, Math.min(end, next));
        if (position < end) await pause.wait();
        continue;
      }
      const turn = readRun(buffer, entries, end);
      if (turn === null) {
        missing += 1;
        if (missing > MOVED_RETRIES) {
          const run = entries.slice(0, runLength(entries));
          throw buffer.damaged(Math.max(position, run[0]!.baseOffset), run.at(-1)!.lastOffset, `segment ${run[0]!.segment} is missing`);
        }
        continue;
      }
      missing = 0;
      const batch = new LoadedBatch(request, turn.batches, position, turn.nextOffset);
      position = turn.nextOffset;
      if (batch.cursor().next() && !isAborted(signal)) yield batch;
      // A long read must not block timers, requests and signals.
      await nextTurn();
    }
    // The reader has requested the next batch. One that ends its loop itself may still use the last one.
    buffer.free();
  } catch (error) {
    const failure = readFailure(store, error, topic, partition, position);
    onFailure(failure);
    throw failure;
  } finally {
    pause.end();
    buffer.close();
  }
}

/** The error of the catalogue. A damaged index entry stands for the offsets up to the next entry. LMDB errors have a numeric code. */
export function readFailure(store: Store, error: unknown, topic: TopicId, partition: number, position: number): unknown {
  if (typeof (error as { readonly code?: unknown }).code === 'number') return logFailure(store.path, error, 'log.damaged');
  if (!(error instanceof SquitterError) || typeof error.details['entry'] !== 'number') return error;
  const from = Math.max(error.details['entry'], position);
  const [next] = indexOf(store, topic, partition).getKeys({ start: offsetKey(from + 1), limit: 1 });
  const to = (next === undefined ? partitionRow(store, topic, partition).next : keyOffset(next)) - 1;
  return damageError(store.path, { topic, partition, from, to, detail: String(error.details['detail']) }, error.cause);
}

/**
 * Checks that the entries have no gap: only compaction leaves offsets out. Entries behind a gap are dropped if others come before it. Returns true if
 * retention removed the first offsets meanwhile; the reader then retries. Error: `log.damaged` if the index has no entries for them.
 */
function hasGap(store: Store, buffer: BatchBuffer, { topic, partition }: ReadRequest, from: number, to: number, entries: BatchEntry[]) {
  if (topics[topic].cleanup === 'compact') return false;
  for (let i = 1; i < entries.length; i += 1) if (entries[i]!.baseOffset > entries[i - 1]!.lastOffset + 1) entries.length = i;
  const found = entries[0]?.baseOffset ?? to;
  if (found <= from) return false;
  if (partitionRow(store, topic, partition).earliest > from) return true;
  throw buffer.damaged(from, found - 1, 'the index has no entries for them');
}

/** A function call, because the type checker assumes that the property stays false in a loop. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function checkedPosition(
  topic: TopicId,
  partition: number,
  from: number | 'earliest',
  position: number,
  earliest: number,
  next: number,
): number {
  if (from === 'earliest' && position < earliest) return earliest;
  if (position < earliest || position > next) {
    throw new SquitterError('log.offset_out_of_range', { offset: position, topic: topics[topic].name, partition, earliest, next });
  }
  return position;
}

/** `EventLog.offsetAt`: binary search over the batches by running maximum timestamp, then a scan of the batches from there. */
export async function findOffset(store: Store, topic: TopicId, partition: number, timestampMs: number): Promise<number> {
  const index = indexOf(store, topic, partition);
  const { earliest, next } = partitionRow(store, topic, partition);
  let low = earliest;
  let high = next;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = entriesFrom(store, index, middle, high, 1);
    if (entry === undefined) high = middle;
    else if (entry.runningMaxTimestampMs >= timestampMs) high = Math.min(middle, entry.baseOffset);
    else low = entry.lastOffset + 1;
  }
  const buffer = new BatchBuffer(store, topic, partition);
  try {
    for (let from = low; from < next; ) {
      store.root.resetReadTxn();
      const [entry] = entriesFrom(store, index, from, next, 1);
      store.root.resetReadTxn();
      if (entry === undefined) return next;
      const found = entry.maxTimestampMs >= timestampMs ? firstSince(buffer, entry, timestampMs) : null;
      if (found !== null) return found;
      from = entry.lastOffset + 1;
      await nextTurn();
    }
    return next;
  } finally {
    buffer.close();
  }
}

function firstSince(buffer: BatchBuffer, entry: BatchEntry, timestampMs: number): number | null {
  const bytes = entry.isLost ? null : buffer.load(entry);
  // The batch was removed meanwhile: continue with the next one.
  if (bytes === null) return null;
  return readRecords({ bytes, baseOffset: entry.baseOffset }).find((record) => record.timestampMs >= timestampMs)?.offset ?? null;
}
