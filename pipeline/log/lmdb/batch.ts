// A stored batch: the records of one append in columns, so that a reader of keys does not touch the values.
// Offsets are relative to the batch's base offset, which the index has: the bytes are written before the offset is known.
import type { StoredRecord } from '../event-log.ts';
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

/**
 * Appends the records with `from` ≤ offset < `to` of a batch to `into`, and returns it. Values are views of `source`, not copies.
 * Throws a RangeError with the reason if the bytes are not a batch.
 */
export function readRecords(
  source: Buffer,
  baseOffset: number,
  from = 0,
  to = Number.POSITIVE_INFINITY,
  into: StoredRecord[] = [],
): StoredRecord[] {
  const count = countIn(source);
  let column = HEAD_BYTES;
  let key = column + RECORD_BYTES * count;
  let value = key + source.readUInt32LE(8);
  for (let i = 0; i < count; i += 1) {
    const keyBytes = source.readInt32LE(column + 12);
    const valueBytes = source.readInt32LE(column + 16);
    const offset = baseOffset + source.readUInt32LE(column);
    if (offset >= from && offset < to) {
      into.push({
        offset,
        timestampMs: source.readDoubleLE(column + 4),
        key: keyBytes === NONE ? null : source.toString('utf8', key, key + keyBytes),
        value: valueBytes === NONE ? null : source.subarray(value, value + valueBytes),
      });
    }
    if (keyBytes > 0) key += keyBytes;
    if (valueBytes > 0) value += valueBytes;
    column += RECORD_BYTES;
  }
  return into;
}

/** Number of records in a batch. `source` contains exactly the batch. */
export function countIn(source: Buffer): number {
  if (source.length < HEAD_BYTES || source.readUInt32LE(0) !== MAGIC)
    throw new RangeError('the batch does not begin with the magic number');
  const count = source.readUInt32LE(4);
  const bytes = HEAD_BYTES + RECORD_BYTES * count + source.readUInt32LE(8) + source.readUInt32LE(12);
  if (bytes !== source.length) throw new RangeError(`expected a batch of ${bytes} bytes, got ${source.length}`);
  return count;
}
