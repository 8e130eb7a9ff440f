// Segment files: append-only files of batches, each after a head (`stored-batch.ts`). The index refers to (segment, position, length). A file
// without references is removed (`transaction.ts`). Each log object writes its own segments, so threads never share a position.
// The calling thread reads and writes bytes itself: they are in the page cache, and a copy takes a fraction of the time to wake another thread.
// Only the flush, which waits for the disk, runs in another thread.
import { close, closeSync, fdatasync, open, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { TopicId } from '../../../schemas/topics.ts';
import { fileModeIn } from '../../runtime/private-files.ts';
import { logFailure } from './failures.ts';
import { NEXT_SEGMENT_KEY, partitionKey, partitionRowKey, type Store } from './rows.ts';
import { SEGMENT_HEAD_BYTES, segmentHead } from './segment-head.ts';
import { segmentFile } from './store.ts';
import { transact } from './transaction.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const flushFile = promisify(fdatasync);

interface OpenSegment {
  readonly topic: TopicId;
  readonly partition: number;
  readonly id: number;
  /** null once it is closed. */
  file: number | null;
  bytes: number;
  isDirty: boolean;
}

/** Address of a stored batch. */
export interface SegmentAddress {
  readonly segment: number;
  readonly position: number;
}

/** The segments that one log object appends to: at most one per partition. Calls must not overlap. */
export class SegmentWriter {
  private readonly store: Store;
  private readonly bytesMax: () => number;
  private readonly open = new Map<string, OpenSegment>();
  /** Full segments with reserved addresses that are not written yet. */
  private full: OpenSegment[] = [];

  /** `bytesMax`: size of a segment now. */
  constructor(store: Store, bytesMax: () => number) {
    this.store = store;
    this.bytesMax = bytesMax;
  }

  /** Reserves an address for `bytes` of a partition. Begins a new segment if the current one is full: call `settle` after the last write to it. */
  async reserve(topic: TopicId, partition: number, bytes: number): Promise<SegmentAddress> {
    const key = partitionKey(topic, partition);
    let segment = this.open.get(key);
    if (segment !== undefined && segment.bytes + bytes > this.bytesMax()) {
      this.full.push(segment);
      this.open.delete(key);
      segment = undefined;
    }
    if (segment === undefined) {
      segment = await this.begin(topic, partition);
      this.open.set(key, segment);
    }
    const position = segment.bytes;
    segment.bytes += bytes;
    return { segment: segment.id, position };
  }

  /** Writes at a reserved address. The bytes then survive `kill -9`. */
  write(address: SegmentAddress, bytes: Buffer): void {
    const segment = this.all().find(({ id }) => id === address.segment);
    if (segment === undefined || segment.file === null) throw new Error(`segment ${address.segment} is not open`);
    segment.isDirty = true;
    writeAll(segment.file, bytes, address.position);
  }

  /** Flushes everything written so far to the disk. */
  async flush(): Promise<void> {
    for (const segment of this.all()) {
      if (!segment.isDirty || segment.file === null) continue;
      // Later writes need the next flush.
      segment.isDirty = false;
      await flushFile(segment.file).catch((error: unknown) => {
        segment.isDirty = true;
        throw error;
      });
    }
  }

  /** Seals full segments. Call it when all reserved addresses are written and in the index: a segment without batches is removed. A segment that cannot be sealed is tried again at the next call. */
  async settle(): Promise<void> {
    for (let segment = this.full[0]; segment !== undefined; segment = this.full[0]) {
      await this.seal(segment);
      this.full.shift();
    }
  }

  /** Reserved size of each segment, for `shrinkTo`. */
  sizes(): ReadonlyMap<number, number> {
    return new Map(this.all().map(({ id, bytes }) => [id, bytes]));
  }

  /** Releases the reservations since `sizes`, after a failed write. */
  shrinkTo(sizes: ReadonlyMap<number, number>): void {
    for (const segment of this.all()) segment.bytes = sizes.get(segment.id) ?? SEGMENT_HEAD_BYTES;
  }

  async close(): Promise<void> {
    this.full = this.all();
    this.open.clear();
    await this.settle();
  }

  private all(): OpenSegment[] {
    return [...this.full, ...this.open.values()];
  }

  private async begin(topic: TopicId, partition: number): Promise<OpenSegment> {
    const id = await transact(this.store, (transaction) => {
      const next = transaction.row<{ readonly value: number }>(NEXT_SEGMENT_KEY).value;
      transaction.setRow(NEXT_SEGMENT_KEY, { value: next + 1 });
      transaction.put(this.store.segments, next, { topic, partition, batches: 0, isOpen: true });
      return next;
    });
    try {
      // Never overwrites an existing file: its content is unknown.
      const file = await openFile(segmentFile(this.store, id), 'wx', fileModeIn(this.store.path));
      const head = segmentHead({ log: this.store.id, segment: id, topic, partition });
      return { topic, partition, id, file, bytes: writeAll(file, head, 0), isDirty: true };
    } catch (error) {
      // Removes the row. If this fails too, the next process that opens the log removes it.
      await this.sealRow({ topic, partition, id }).catch(() => undefined);
      throw error;
    }
  }

  private async seal(segment: OpenSegment): Promise<void> {
    if (segment.file !== null) {
      await flushFile(segment.file);
      const { file } = segment;
      segment.file = null;
      await closeFile(file);
    }
    await this.sealRow(segment);
  }

  private sealRow({ topic, partition, id }: Pick<OpenSegment, 'topic' | 'partition' | 'id'>): Promise<void> {
    return transact(this.store, (transaction) => {
      // The partition's row guards its segments.
      const key = partitionRowKey(topic, partition);
      transaction.setRow(key, transaction.row(key));
      transaction.sealSegment(id);
    });
  }
}

/** Returns the number of bytes. */
function writeAll(file: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written, bytes.length - written, position + written);
  return written;
}

/** Reads segments for one reader and keeps one file open. */
export class SegmentReader {
  private readonly store: Store;
  private file: number | null = null;
  private segment = 0;

  constructor(store: Store) {
    this.store = store;
  }

  /** Reads into `target[0, length)`. Returns the number of bytes, fewer than `length` at the end of the file; null if the segment is gone. Errors: those of the disk. */
  read(segment: number, position: number, target: Buffer, length: number): number | null {
    try {
      if (this.file === null || this.segment !== segment) {
        this.close();
        this.file = openSync(segmentFile(this.store, segment), 'r');
        this.segment = segment;
      }
      let done = 0;
      while (done < length) {
        const bytesRead = readSync(this.file, target, done, length - done, position + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw logFailure(this.store.path, error, 'log.not_readable');
    }
  }

  close(): void {
    const { file } = this;
    this.file = null;
    if (file !== null) closeSync(file);
  }
}

/** Flushes segments by id, including segments of other log objects. */
export async function flushSegments(store: Store, segments: readonly number[]): Promise<void> {
  for (const segment of segments) {
    let file: number;
    try {
      file = await openFile(segmentFile(store, segment), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    try {
      await flushFile(file);
    } finally {
      await closeFile(file);
    }
  }
}
