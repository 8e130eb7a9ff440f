// A stored batch: the records of one append in columns, so that a reader of keys does not touch the values.
// Offsets are relative to the batch's base offset, which the index has: the bytes are written before the offset is known.
import type { StoredRecord } from '../event-log.ts';
import { BlockPart, type OutgoingRecord } from '../record-block.ts';

// Layout, little-endian, n records:
//   0  u32  magic "SQB2"
//   4  u32  n
//   8  u32  bytes of all keys
//  12  u32  bytes of all values
//  16  n × { u32 offset - base, f64 timestamp ms, i32 key bytes or -1 for none, i32 value bytes or -1 for a tombstone }
//  ..  keys, UTF-8, one after the other; then the values
const MAGIC = 0x3242_5153;
const HEAD_BYTES = 16;
const RECORD_BYTES = 20;
const NONE = -1;

/** A record with its offset relative to the base offset. */
export interface BatchRecord extends OutgoingRecord {
  readonly offsetDelta: number;
}

/** Records to be stored as a batch. */
export type BatchRecords = readonly (OutgoingRecord | BatchRecord)[] | BlockPart;

export interface BatchSize {
  /** Size of head, columns and keys, which are enough to find offsets, keys and tombstones. */
  readonly headBytes: number;
  readonly bytes: number;
}

export function recordBytes(record: OutgoingRecord): number {
  return RECORD_BYTES + (record.key === null ? 0 : Buffer.byteLength(record.key)) + (record.value?.length ?? 0);
}

/** Like `recordBytes`, for one of several records. */
export function recordBytesAt(records: BatchRecords, index: number): number {
  if (!(records instanceof BlockPart)) return recordBytes(records[index]!);
  const { block, from } = records;
  return RECORD_BYTES + block.valueEnd(from + index) - block.start(from + index);
}

export function valueBytesAt(records: BatchRecords, index: number): number {
  if (!(records instanceof BlockPart)) return records[index]!.value?.length ?? 0;
  const { block, from } = records;
  return block.valueEnd(from + index) - block.keyEnd(from + index);
}

export function timestampMsAt(records: BatchRecords, index: number): number {
  return records instanceof BlockPart ? records.block.timestampMs(records.from + index) : records[index]!.timestampMs;
}

export function isTombstoneAt(records: BatchRecords, index: number): boolean {
  return records instanceof BlockPart ? records.block.isTombstone(records.from + index) : records[index]!.value === null;
}

export function batchSize(records: BatchRecords): BatchSize {
  let keysBytes = 0;
  let valuesBytes = 0;
  if (records instanceof BlockPart) {
    const { block, from } = records;
    for (let i = from; i < from + records.length; i += 1) {
      keysBytes += block.keyEnd(i) - block.start(i);
      valuesBytes += block.valueEnd(i) - block.keyEnd(i);
    }
  } else {
    for (const record of records) {
      if (record.key !== null) keysBytes += Buffer.byteLength(record.key);
      if (record.value !== null) valuesBytes += record.value.length;
    }
  }
  const headBytes = HEAD_BYTES + RECORD_BYTES * records.length + keysBytes;
  return { headBytes, bytes: headBytes + valuesBytes };
}

/** Writes records into `target` at `start`, which needs room for `batchSize(records).bytes`. Offset deltas count up from 0 unless the records contain them. */
export function writeBatch(records: BatchRecords, size: BatchSize, target: Buffer, start: number): void {
  const keysStart = start + HEAD_BYTES + RECORD_BYTES * records.length;
  if (records instanceof BlockPart) writeBlock(records, target, start + HEAD_BYTES, keysStart, start + size.headBytes);
  else writeList(records, target, start + HEAD_BYTES, keysStart, start + size.headBytes);
  target.writeUInt32LE(MAGIC, start);
  target.writeUInt32LE(records.length, start + 4);
  target.writeUInt32LE(start + size.headBytes - keysStart, start + 8);
  target.writeUInt32LE(size.bytes - size.headBytes, start + 12);
}

/** Writes columns, keys and values of a list, each at its start. */
function writeList(
  records: readonly (OutgoingRecord | BatchRecord)[],
  target: Buffer,
  columnsAt: number,
  keysAt: number,
  valuesAt: number,
): void {
  let column = columnsAt;
  let key = keysAt;
  let value = valuesAt;
  for (let i = 0; i < records.length; i += 1) {
    const record = records[i]!;
    const keyBytes = record.key === null ? NONE : target.write(record.key, key);
    const valueBytes = record.value === null ? NONE : record.value.length;
    writeColumns(target, column, 'offsetDelta' in record ? record.offsetDelta : i, record.timestampMs, keyBytes, valueBytes);
    column += RECORD_BYTES;
    if (keyBytes > 0) key += keyBytes;
    if (record.value !== null) {
      target.set(record.value, value);
      value += record.value.length;
    }
  }
}

/** Like `writeList`, for a block. Copies byte by byte: the views for a faster copy would be thousands of objects a second. */
function writeBlock({ block, from, length }: BlockPart, target: Buffer, columnsAt: number, keysAt: number, valuesAt: number): void {
  const { bytes } = block.writer;
  let column = columnsAt;
  let key = keysAt;
  let value = valuesAt;
  for (let i = 0; i < length; i += 1) {
    const at = from + i;
    const keyEnd = block.keyEnd(at);
    const valueEnd = block.valueEnd(at);
    const keyBytes = keyEnd - block.start(at);
    writeColumns(target, column, i, block.timestampMs(at), keyBytes, block.isTombstone(at) ? NONE : valueEnd - keyEnd);
    column += RECORD_BYTES;
    for (let byte = keyEnd - keyBytes; byte < keyEnd; byte += 1, key += 1) target[key] = bytes[byte]!;
    for (let byte = keyEnd; byte < valueEnd; byte += 1, value += 1) target[value] = bytes[byte]!;
  }
}

function writeColumns(target: Buffer, at: number, offsetDelta: number, timestampMs: number, keyBytes: number, valueBytes: number): void {
  target.writeUInt32LE(offsetDelta, at);
  target.writeDoubleLE(timestampMs, at + 4);
  target.writeInt32LE(keyBytes, at + 12);
  target.writeInt32LE(valueBytes, at + 16);
}

/** Columns of one record. Positions are relative to the start of the batch. */
export interface RecordHead {
  readonly offset: number;
  readonly timestampMs: number;
  readonly key: string | null;
  readonly isTombstone: boolean;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Reads the columns and keys of a batch. Throws a RangeError with the reason if the bytes are not a batch. */
export function readHeads(source: Buffer, baseOffset: number): RecordHead[] {
  const count = countIn(source);
  let column = HEAD_BYTES;
  let key = column + RECORD_BYTES * count;
  let value = key + source.readUInt32LE(8);
  const heads = new Array<RecordHead>(count);
  for (let i = 0; i < count; i += 1) {
    const keyBytes = source.readInt32LE(column + 12);
    const valueBytes = source.readInt32LE(column + 16);
    const valueStart = value;
    if (valueBytes > 0) value += valueBytes;
    heads[i] = {
      offset: baseOffset + source.readUInt32LE(column),
      timestampMs: source.readDoubleLE(column + 4),
      key: keyBytes === NONE ? null : source.toString('utf8', key, key + keyBytes),
      isTombstone: valueBytes === NONE,
      valueStart,
      valueEnd: value,
    };
    if (keyBytes > 0) key += keyBytes;
    column += RECORD_BYTES;
  }
  return heads;
}

/**
 * Appends the records with `from` ≤ offset < `to` of a batch to `into`. Values are views of `source`, not copies.
 * Throws a RangeError with the reason if the bytes are not a batch.
 */
export function readRecords(source: Buffer, baseOffset: number, from: number, to: number, into: StoredRecord[]): void {
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
