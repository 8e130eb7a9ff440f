// A stored batch: the records of one append in columns, so that a reader of keys does not touch the values.
// Offsets are relative to the batch's base offset, which the index has: the bytes are written before the offset is known.
import type { TopicId } from '../../../schemas/topics.ts';
import type { ReadRequest, RecordBatch, RecordCursor, StoredRecord } from '../event-log.ts';
import { contentBytes, type Records } from '../record-block.ts';

// Layout, little-endian, n records:
//   0  u32  magic "SQB2"
//   4  u32  n
//   8  u32  bytes of all keys
//  12  u32  bytes of all values
//  16  n × { u32 offset - base, f64 timestamp ms, i32 key bytes or -1 for none, i32 value bytes or -1 for a tombstone }
//  ..  keys, UTF-8, one after the other; then the values
const MAGIC = 0x3242_5153;
const HEAD_BYTES = 16;
export const RECORD_BYTES = 20;
const NONE = -1;

export interface BatchSize {
  /** Size of head, columns and keys, which are enough to find offsets, keys and tombstones. */
  readonly headBytes: number;
  readonly bytes: number;
}

/** Bytes of a record in a batch. */
export function recordBytes(records: Records, index: number): number {
  return RECORD_BYTES + contentBytes(records, index);
}

/** Size of a batch of the records with `from` ≤ index < `to`. */
export function batchSize(records: Records, from = 0, to = records.length): BatchSize {
  let keysBytes = 0;
  let valuesBytes = 0;
  for (let i = from; i < to; i += 1) {
    keysBytes += Math.max(0, records.keyBytes(i));
    valuesBytes += Math.max(0, records.valueBytes(i));
  }
  const headBytes = HEAD_BYTES + RECORD_BYTES * (to - from) + keysBytes;
  return { headBytes, bytes: headBytes + valuesBytes };
}

/** Records to be stored as a batch. */
export interface BatchRecords {
  readonly records: Records;
  /** Index of the first record, and of the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly size: BatchSize;
  /** Offset of each record relative to the base offset, by index; they count up from 0 without it. */
  readonly offsetDeltas?: readonly number[];
}

/** Writes a batch into `target` at `start`, which needs room for `size.bytes`. */
export function writeBatch({ records, from, to, size, offsetDeltas }: BatchRecords, target: Buffer, start: number): void {
  const count = to - from;
  const keysStart = start + HEAD_BYTES + RECORD_BYTES * count;
  let column = start + HEAD_BYTES;
  let key = keysStart;
  let value = start + size.headBytes;
  for (let i = from; i < to; i += 1) {
    const offsetDelta = offsetDeltas === undefined ? i - from : offsetDeltas[i]!;
    const keyBytes = records.keyBytes(i);
    const valueBytes = records.valueBytes(i);
    writeColumns(target, column, offsetDelta, records.timestampMs(i), keyBytes, valueBytes);
    column += RECORD_BYTES;
    if (keyBytes > 0) key = records.copyKey(i, target, key);
    if (valueBytes > 0) value = records.copyValue(i, target, value);
  }
  target.writeUInt32LE(MAGIC, start);
  target.writeUInt32LE(count, start + 4);
  target.writeUInt32LE(start + size.headBytes - keysStart, start + 8);
  target.writeUInt32LE(size.bytes - size.headBytes, start + 12);
}

function writeColumns(target: Buffer, at: number, offsetDelta: number, timestampMs: number, keyBytes: number, valueBytes: number): void {
  target.writeUInt32LE(offsetDelta, at);
  target.writeDoubleLE(timestampMs, at + 4);
  target.writeInt32LE(keyBytes, at + 12);
  target.writeInt32LE(valueBytes, at + 16);
}

/** Bytes of a batch, without the head that it has in its segment. */
export interface StoredBatch {
  readonly bytes: Buffer;
  readonly baseOffset: number;
}

/** The records with `from` ≤ offset < `to` of batches. Throws a RangeError with the reason if the bytes are not a batch. */
export class BatchCursor implements RecordCursor {
  offset = -1;
  timestampMs = 0;
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = NONE;
  private readonly batches: readonly StoredBatch[];
  private readonly from: number;
  private readonly to: number;
  private batch = -1;
  /** Records left in this batch; where the columns, the key and the value of the next record begin; where its key ends, −1 without one. */
  private left = 0;
  private column = 0;
  private keyAt = 0;
  private valueAt = 0;
  private keyEnd = NONE;
  private keyStart = 0;

  constructor(batches: readonly StoredBatch[], from = 0, to = Number.POSITIVE_INFINITY) {
    this.batches = batches;
    this.from = from;
    this.to = to;
  }

  next(): boolean {
    for (;;) {
      if (this.left === 0 && !this.nextBatch()) return false;
      this.readColumns();
      if (this.offset >= this.from && this.offset < this.to) return true;
    }
  }

  key(): string | null {
    return this.keyEnd === NONE ? null : this.bytes.toString('utf8', this.keyStart, this.keyEnd);
  }

  /** Moves to the next batch with records; false when there is none. */
  private nextBatch(): boolean {
    while (this.left === 0) {
      this.batch += 1;
      if (this.batch >= this.batches.length) return false;
      this.bytes = this.batches[this.batch]!.bytes;
      this.left = countIn(this.bytes);
      this.column = HEAD_BYTES;
      this.keyAt = HEAD_BYTES + RECORD_BYTES * this.left;
      this.valueAt = this.keyAt + this.bytes.readUInt32LE(8);
    }
    return true;
  }

  private readColumns(): void {
    const { bytes, column } = this;
    const keyBytes = bytes.readInt32LE(column + 12);
    const valueBytes = bytes.readInt32LE(column + 16);
    this.offset = this.batches[this.batch]!.baseOffset + bytes.readUInt32LE(column);
    this.timestampMs = bytes.readDoubleLE(column + 4);
    this.keyStart = this.keyAt;
    this.keyAt += Math.max(0, keyBytes);
    this.keyEnd = keyBytes === NONE ? NONE : this.keyAt;
    this.start = this.valueAt;
    this.valueAt += Math.max(0, valueBytes);
    this.end = valueBytes === NONE ? NONE : this.valueAt;
    this.column += RECORD_BYTES;
    this.left -= 1;
  }
}

/** The records of a cursor. Values are views of its batches, not copies. */
function recordsIn(cursor: BatchCursor): StoredRecord[] {
  const records: StoredRecord[] = [];
  while (cursor.next()) {
    const { offset, timestampMs, bytes, start, end } = cursor;
    records.push({ offset, timestampMs, key: cursor.key(), value: end === NONE ? null : bytes.subarray(start, end) });
  }
  return records;
}

/** The records of a batch. Throws like BatchCursor. */
export const readRecords = (batch: StoredBatch): StoredRecord[] => recordsIn(new BatchCursor([batch]));

/** Number of records in a batch. `source` contains exactly the batch. */
export function countIn(source: Buffer): number {
  if (source.length < HEAD_BYTES || source.readUInt32LE(0) !== MAGIC)
    throw new RangeError('the batch does not begin with the magic number');
  const count = source.readUInt32LE(4);
  const bytes = HEAD_BYTES + RECORD_BYTES * count + source.readUInt32LE(8) + source.readUInt32LE(12);
  if (bytes !== source.length) throw new RangeError(`expected a batch of ${bytes} bytes, got ${source.length}`);
  return count;
}

/** A batch that a read gives its caller. It makes the list of records at the first use: callers that read by cursor need none. */
export class LoadedBatch implements RecordBatch {
  readonly topic: TopicId;
  readonly partition: number;
  readonly nextOffset: number;
  readonly cursor: () => BatchCursor;
  private list: readonly StoredRecord[] | null = null;

  /** The records with `from` ≤ offset < `nextOffset`. */
  constructor({ topic, partition }: ReadRequest, batches: readonly StoredBatch[], from: number, nextOffset: number) {
    this.topic = topic;
    this.partition = partition;
    this.nextOffset = nextOffset;
    this.cursor = () => new BatchCursor(batches, from, nextOffset);
  }

  get records(): readonly StoredRecord[] {
    this.list ??= recordsIn(this.cursor());
    return this.list;
  }
}
