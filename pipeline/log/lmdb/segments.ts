// Segment files: the bytes of batches, append-only, each behind a head (`stored-batch.ts`). The index refers to (segment, position, length); a file
// without references is removed (`transaction.ts`). Each log object writes segments of its own, so threads never share a position.
// Bytes are written and read in the thread that has them: they come from and go to the page cache, and a copy takes a fraction of the time in
// which another thread is woken for it. Only what waits for the disk, the flush, is left to others.
import { close, closeSync, fdatasync, open, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { limits } from '../../../schemas/limits.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import { logFailure } from './failures.ts';
import { NEXT_SEGMENT_KEY, partitionKey, partitionRowKey, type Store } from './rows.ts';
import { SEGMENT_HEAD_BYTES, segmentHead } from './segment-head.ts';
import { damaged, segmentFile } from './store.ts';
import { transact } from './transaction.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const flushFile = promisify(fdatasync);

interface OpenSegment {
  readonly topic: TopicId;
  readonly partition: number;
  readonly id: number;
  /** Null once it is closed. */
  file: number | null;
  bytes: number;
  isDirty: boolean;
}

export interface Place {
  readonly segment: number;
  readonly position: number;
}

/** The segments that one log object appends to: at most one per partition. Calls must not overlap. */
export class SegmentWriter {
  private readonly store: Store;
  private readonly open = new Map<string, OpenSegment>();
  /** Full segments with places that are still to be written. */
  private full: OpenSegment[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  /** A place for `bytes` of a partition; begins a new segment when the present one is full: `settle` after the last write to it. */
  async reserve(topic: TopicId, partition: number, bytes: number): Promise<Place> {
    const key = partitionKey(topic, partition);
    let segment = this.open.get(key);
    if (segment !== undefined && segment.bytes + bytes > limits.logSegmentBytesMax) {
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

  /** Writes at a reserved place. After it a `kill -9` does not lose the bytes. */
  write(place: Place, bytes: Buffer): void {
    const segment = this.all().find(({ id }) => id === place.segment);
    if (segment === undefined || segment.file === null) throw new Error(`segment ${place.segment} is not open`);
    segment.isDirty = true;
    writeAll(segment.file, bytes, place.position);
  }

  /** Waits until the disk has everything written so far. */
  async flush(): Promise<void> {
    for (const segment of this.all()) {
      if (!segment.isDirty || segment.file === null) continue;
      // What is written meanwhile is for the next flush.
      segment.isDirty = false;
      await flushFile(segment.file).catch((error: unknown) => {
        segment.isDirty = true;
        throw error;
      });
    }
  }

  /** Ends full segments. Call it when all places reserved so far are written and in the index: one without batches is removed. One that could not be ended is tried again the next time. */
  async settle(): Promise<void> {
    for (let segment = this.full[0]; segment !== undefined; segment = this.full[0]) {
      await this.seal(segment);
      this.full.shift();
    }
  }

  /** How far each segment is reserved, for `shrinkTo`. */
  sizes(): ReadonlyMap<number, number> {
    return new Map(this.all().map(({ id, bytes }) => [id, bytes]));
  }

  /** Gives back what was reserved since `sizes`, when it could not be written. */
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
      // Never over a file that is there: whatever it is, nobody knows it.
      const file = await openFile(segmentFile(this.store, id), 'wx');
      const head = segmentHead({ log: this.store.id, segment: id, topic, partition });
      return { topic, partition, id, file, bytes: writeAll(file, head, 0), isDirty: true };
    } catch (error) {
      // Its row would stay; where this fails too, the next one to open the log removes it.
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

/** Gives the number of bytes. */
function writeAll(file: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written, bytes.length - written, position + written);
  return written;
}

/** Reads segments one after the other, as one reader meets them: keeps one file open. */
export class SegmentReader {
  private readonly store: Store;
  private file: number | null = null;
  private segment = 0;

  constructor(store: Store) {
    this.store = store;
  }

  /** Fills `target[0, length)`; false when the segment is gone, because its batches were removed meanwhile. Errors: `log.damaged` and those of the disk. */
  read(segment: number, position: number, target: Buffer, length: number): boolean {
    if (this.file === null || this.segment !== segment) {
      this.close();
      try {
        this.file = openSync(segmentFile(this.store, segment), 'r');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw logFailure(this.store.path, error, 'log.not_readable');
      }
      this.segment = segment;
    }
    let done = 0;
    while (done < length) {
      const bytesRead = this.readSome(this.file, target, done, length - done, position + done);
      if (bytesRead === 0) throw damaged(this.store, `segment ${segment} ends before position ${position + length}`);
      done += bytesRead;
    }
    return true;
  }

  private readSome(file: number, target: Buffer, at: number, length: number, position: number): number {
    try {
      return readSync(file, target, at, length, position);
    } catch (error) {
      throw logFailure(this.store.path, error, 'log.not_readable');
    }
  }

  close(): void {
    const { file } = this;
    this.file = null;
    if (file !== null) closeSync(file);
  }
}

/** Flushes segments by id, whoever writes them. */
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
