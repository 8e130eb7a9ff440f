// Reading: walks the index from an offset, reads adjacent batches in one call, and returns records as views.
// No LMDB snapshot outlives a turn of the event loop, so a slow consumer never pins old pages.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { ReadRequest, RecordBatch, StoredRecord } from '../event-log.ts';
import { readHeads, readRecords } from './batch.ts';
import { type BatchEntry, decodeEntry, offsetKey } from './entry.ts';
import { logFailure } from './failures.ts';
import { type IndexDatabase, partitionKey, type Store } from './rows.ts';
import { SegmentReader } from './segments.ts';
import { damaged, indexOf, partitionRow } from './store.ts';
import { readHead, STORED_HEAD_BYTES, type StoredHead, unpacked } from './stored-batch.ts';

/** Retries that suffice to find a batch moved by compaction; after more, the file counts as lost. */
const MOVED_RETRIES_MAX = 5;
const BUFFER_BYTES_MIN = 64 * 1024;
const noop = (): void => {};

/** Entries with offsets in [`from`, `to`), up to the limits of one read; at least one if there is any. */
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
    const entry = readEntry(store, key, value);
    if (entry.baseOffset >= to) break;
    if (entry.lastOffset < from) continue;
    if (!takes(entries, entry, read)) break;
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
    const entry = readEntry(store, key, value);
    if (!takes(entries, entry, read)) break;
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
function takes(entries: BatchEntry[], entry: BatchEntry, read: ReadSoFar): boolean {
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

export function readEntry(store: Store, key: Buffer, value: Buffer): BatchEntry {
  try {
    return decodeEntry(key, value);
  } catch (error) {
    throw damaged(store, (error as Error).message, error);
  }
}

/** Buffer of one reader. Its bytes are valid until the next call of `fetch` or `load`. */
export class BatchBuffer {
  private readonly store: Store;
  private readonly segments: SegmentReader;
  private buffer = Buffer.alloc(0);

  constructor(store: Store) {
    this.store = store;
    this.segments = new SegmentReader(store);
  }

  /** Bytes of a segment; null if the segment is gone. */
  fetch(segment: number, position: number, bytes: number): Buffer | null {
    if (this.buffer.length < bytes) {
      let capacity = Math.max(this.buffer.length, BUFFER_BYTES_MIN);
      while (capacity < bytes) capacity *= 2;
      this.buffer = Buffer.allocUnsafeSlow(capacity);
    }
    return this.segments.read(segment, position, this.buffer, bytes) ? this.buffer : null;
  }

  /** One batch in the layout of `batch.ts`; null if its segment is gone. Error: `log.damaged`. */
  load(entry: BatchEntry): Buffer | null {
    if (entry.segment === 0) return entry.inline!;
    const bytes = this.fetch(entry.segment, entry.position, entry.bytes);
    return bytes === null ? null : soundly(this.store, entry, () => batchIn(bytes, 0, entry));
  }

  /** The head of a batch in its segment; null if it has none or the segment is gone. */
  head({ format, segment, position }: BatchEntry): StoredHead | null {
    const bytes = format === 2 ? this.fetch(segment, position, STORED_HEAD_BYTES) : null;
    return bytes === null ? null : readHead(bytes, 0);
  }

  close(): void {
    this.segments.close();
  }
}

/** The batch of an entry whose bytes begin at `start`, without its head. Throws a RangeError if it is damaged. */
function batchIn(source: Buffer, start: number, entry: BatchEntry): Buffer {
  const end = start + entry.bytes;
  if (entry.format === 1) return source.subarray(start, end);
  const head = readHead(source, start);
  if (head === null) throw new RangeError('the head is damaged');
  if (head.baseOffset !== entry.baseOffset || head.lastOffset !== entry.lastOffset || STORED_HEAD_BYTES + head.bytes !== entry.bytes)
    throw new RangeError('the head belongs to another batch');
  return unpacked(head, source.subarray(start + STORED_HEAD_BYTES, end));
}

/** Runs code that reads a batch. Error: `log.damaged`, with the offsets that cannot be read. */
function soundly<T>(store: Store, { baseOffset, lastOffset, segment }: BatchEntry, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const where = segment === 0 ? 'in the index' : `in segment ${segment}`;
    throw damaged(store, `offsets ${baseOffset} to ${lastOffset} ${where} cannot be read (${error.message})`, error);
  }
}

/** Number of entries that are adjacent in one segment, or all in the index. A packed batch is read alone. */
function runLength(entries: readonly BatchEntry[]): number {
  const first = entries[0]!;
  let end = first.position + first.bytes;
  let count = 1;
  for (; count < entries.length; count += 1) {
    const entry = entries[count]!;
    if (first.isPacked || entry.isPacked || entry.segment !== first.segment || (first.segment !== 0 && entry.position !== end)) break;
    end += entry.bytes;
  }
  return count;
}

interface Turn {
  readonly records: StoredRecord[];
  readonly nextOffset: number;
}

/** Records of the first run of entries within [from, to); null if their segment is gone. */
function readRun(store: Store, buffer: BatchBuffer, entries: readonly BatchEntry[], from: number, to: number): Turn | null {
  const run = entries.slice(0, runLength(entries));
  const first = run[0]!;
  const last = run.at(-1)!;
  const records: StoredRecord[] = [];
  const bytes = first.segment === 0 ? null : buffer.fetch(first.segment, first.position, last.position + last.bytes - first.position);
  if (first.segment !== 0 && bytes === null) return null;
  for (const entry of run) {
    if (entry.isLost) continue;
    soundly(store, entry, () => {
      const batch = bytes === null ? entry.inline! : batchIn(bytes, entry.position - first.position, entry);
      readRecords(batch, entry.baseOffset, from, to, records);
    });
  }
  return { records, nextOffset: Math.min(last.lastOffset + 1, to) };
}

/** `EventLog.read`. When the log is closed, `closing` is aborted and `check` throws. */
export async function* readLog(
  store: Store,
  request: ReadRequest,
  end: number,
  closing: AbortSignal,
  check: () => void,
): AsyncGenerator<RecordBatch, void, undefined> {
  const { topic, partition, signal } = request;
  const index = indexOf(store, topic, partition);
  const buffer = new BatchBuffer(store);
  const pause = new Pause(signal === undefined ? [closing] : [signal, closing]);
  let position = request.from === 'earliest' ? 0 : request.from;
  let missing = 0;
  try {
    while (position < end && !isAborted(signal)) {
      check();
      const { earliest, next } = partitionRow(store, topic, partition);
      position = checkedPosition(topic, partition, request.from, position, earliest, next);
      const entries = position < next ? entriesFrom(store, index, position, Math.min(end, next)) : [];
      store.root.resetReadTxn();
      if (position < next && hasGap(store, topic, partition, position, Math.min(end, next), entries)) continue;
      if (entries.length === 0) {
        // Offsets without records: compaction removed them, or nothing new exists yet.
        position = Math.max(position, Math.min(end, next));
        if (position < end) await pause.wait(limits.logFollowPollMs);
        continue;
      }
      const turn = readRun(store, buffer, entries, position, end);
      if (turn === null) {
        missing += 1;
        if (missing > MOVED_RETRIES_MAX)
          throw damaged(store, `segment ${entries[0]!.segment} of ${partitionKey(topic, partition)} is missing`);
        continue;
      }
      missing = 0;
      position = turn.nextOffset;
      if (turn.records.length > 0 && !isAborted(signal)) yield { topic, partition, records: turn.records, nextOffset: position };
      // A long read must not block timers, requests and signals.
      await nextTurn();
    }
  } catch (error) {
    throw asReadFailure(store, error);
  } finally {
    pause.end();
    buffer.close();
  }
}

/** LMDB errors have a numeric code. */
function asReadFailure(store: Store, error: unknown): unknown {
  return typeof (error as { readonly code?: unknown }).code === 'number' ? logFailure(store.path, error, 'log.damaged') : error;
}

/**
 * Checks that the entries have no gap: only compaction leaves offsets out. Returns true if retention removed them meanwhile; the reader then retries.
 * Error: `log.damaged` if the index has no entries for them.
 */
function hasGap(store: Store, topic: TopicId, partition: number, from: number, to: number, entries: readonly BatchEntry[]): boolean {
  if (topics[topic].cleanup === 'compact') return false;
  let expected = from;
  for (const { baseOffset, lastOffset } of entries) {
    if (baseOffset > expected) break;
    expected = lastOffset + 1;
  }
  const found = entries.find(({ baseOffset }) => baseOffset > expected)?.baseOffset ?? (entries.length === 0 ? to : expected);
  if (found <= expected) return false;
  if (partitionRow(store, topic, partition).earliest > expected) return true;
  throw damaged(store, `the index has no entries for offsets ${expected} to ${found - 1} of ${partitionKey(topic, partition)}`);
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

/**
 * The pauses of one reader; each ends early when a signal is aborted. They share one listener and one timer. A signal keeps its listeners in a linked
 * list: with one listener per pause, a removed listener in the old space would keep all later ones alive until the next full collection.
 */
class Pause {
  private readonly signals: readonly AbortSignal[];
  private readonly wake = (): void => {
    const { resolve } = this;
    this.resolve = noop;
    resolve();
  };
  private resolve: () => void = noop;
  private timer: NodeJS.Timeout | null = null;

  constructor(signals: readonly AbortSignal[]) {
    this.signals = signals;
    for (const signal of signals) signal.addEventListener('abort', this.wake);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      if (this.timer === null) this.timer = setTimeout(this.wake, milliseconds);
      else this.timer.refresh();
    });
  }

  end(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const signal of this.signals) signal.removeEventListener('abort', this.wake);
  }
}

/** `EventLog.offsetAt`: binary search over the batches by running maximum timestamp, then a scan of the batches from there. */
export async function findOffset(store: Store, topic: TopicId, partition: number, timestampMs: number): Promise<number> {
  const index = indexOf(store, topic, partition);
  const { earliest, next } = partitionRow(store, topic, partition);
  let low = earliest;
  let high = next;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = firstEntry(store, index, middle, high);
    if (entry === null) high = middle;
    else if (entry.runningMaxTimestampMs >= timestampMs) high = Math.min(middle, entry.baseOffset);
    else low = entry.lastOffset + 1;
  }
  const buffer = new BatchBuffer(store);
  try {
    for (let from = low; from < next; ) {
      store.root.resetReadTxn();
      const entry = firstEntry(store, index, from, next);
      store.root.resetReadTxn();
      if (entry === null) return next;
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

/** The batch that contains `from`, or the first after it below `to`. */
function firstEntry(store: Store, index: IndexDatabase, from: number, to: number): BatchEntry | null {
  for (const { key, value } of index.getRange({ start: offsetKey(firstBase(store, index, from)), limit: 2 })) {
    const entry = readEntry(store, key, value);
    if (entry.lastOffset >= from) return entry.baseOffset < to ? entry : null;
  }
  return null;
}

function firstSince(buffer: BatchBuffer, entry: BatchEntry, timestampMs: number): number | null {
  const bytes = entry.isLost ? null : buffer.load(entry);
  // The batch was removed meanwhile: continue with the next one.
  if (bytes === null) return null;
  return readHeads(bytes, entry.baseOffset).find((head) => head.timestampMs >= timestampMs)?.offset ?? null;
}
