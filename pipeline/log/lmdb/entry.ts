// An index entry: address and summary of a stored batch. One LMDB key and value per batch.
// Key: base offset, u64 big-endian, so that LMDB's byte order is offset order.
import { crc32 } from 'node:zlib';

export interface BatchEntry {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly records: number;
  readonly headBytes: number;
  /** Size in the segment, including its head. */
  readonly bytes: number;
  /** 0 if the batch is lost. */
  readonly segment: number;
  readonly position: number;
  readonly maxTimestampMs: number;
  /** Greatest timestamp of this and all earlier batches. It never decreases, so binary search finds a time. */
  readonly runningMaxTimestampMs: number;
  readonly appendedAtMs: number;
  readonly hasTombstones: boolean;
  /** When compaction first met these tombstones; 0 if not yet. */
  readonly tombstonesMetMs: number;
  /** Merged and compressed. Unpacked, the batch is larger than `bytes`, up to `limits.logBatchBytesMax`. */
  readonly isPacked: boolean;
  /** A repair removed these offsets because they were damaged: no records, no bytes. */
  readonly isLost: boolean;
}

// Value, little-endian:
//   0 u8 format (3)   1 u8 flags (1 has tombstones, 2 lost, 4 packed)   2 u16 low bits of the value's checksum with 0 in this field
//   4 u32 records   8 u32 last - base offset
//  12 u32 bytes       16 u32 head bytes   20 u32 segment   24 f64 position   32 f64 max timestamp
//  40 f64 running max timestamp   48 f64 appended at   56 f64 tombstones met at
const FORMAT = 3;
const ENTRY_BYTES = 64;
const HAS_TOMBSTONES = 1;
const IS_LOST = 2;
const IS_PACKED = 4;
const CHECK_AT = 2;
export const KEY_BYTES = 8;

export function offsetKey(offset: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key.writeUInt32BE(Math.floor(offset / 0x1_0000_0000), 0);
  key.writeUInt32BE(offset % 0x1_0000_0000, 4);
  return key;
}

export function keyOffset(key: Buffer): number {
  return key.readUInt32BE(0) * 0x1_0000_0000 + key.readUInt32BE(4);
}

export function encodeEntry(entry: BatchEntry): Buffer {
  const value = Buffer.allocUnsafe(ENTRY_BYTES);
  value[0] = FORMAT;
  value[1] = (entry.hasTombstones ? HAS_TOMBSTONES : 0) | (entry.isLost ? IS_LOST : 0) | (entry.isPacked ? IS_PACKED : 0);
  value.writeUInt16LE(0, CHECK_AT);
  value.writeUInt32LE(entry.records, 4);
  value.writeUInt32LE(entry.lastOffset - entry.baseOffset, 8);
  value.writeUInt32LE(entry.bytes, 12);
  value.writeUInt32LE(entry.headBytes, 16);
  value.writeUInt32LE(entry.segment, 20);
  value.writeDoubleLE(entry.position, 24);
  value.writeDoubleLE(entry.maxTimestampMs, 32);
  value.writeDoubleLE(entry.runningMaxTimestampMs, 40);
  value.writeDoubleLE(entry.appendedAtMs, 48);
  value.writeDoubleLE(entry.tombstonesMetMs, 56);
  value.writeUInt16LE(crc32(value) & 0xffff, CHECK_AT);
  return value;
}

/** Throws a RangeError if the bytes are not an entry. */
export function decodeEntry(key: Uint8Array, bytes: Uint8Array): BatchEntry {
  const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (value.length < ENTRY_BYTES || value[0] !== FORMAT) throw new RangeError('an index entry has an unknown format');
  if (value.readUInt16LE(CHECK_AT) !== checkOf(value)) throw new RangeError('the checksum of an index entry is wrong');
  const baseOffset = keyOffset(Buffer.from(key.buffer, key.byteOffset, key.length));
  return {
    baseOffset,
    lastOffset: baseOffset + value.readUInt32LE(8),
    records: value.readUInt32LE(4),
    headBytes: value.readUInt32LE(16),
    bytes: value.readUInt32LE(12),
    segment: value.readUInt32LE(20),
    position: value.readDoubleLE(24),
    maxTimestampMs: value.readDoubleLE(32),
    runningMaxTimestampMs: value.readDoubleLE(40),
    appendedAtMs: value.readDoubleLE(48),
    hasTombstones: (value[1]! & HAS_TOMBSTONES) !== 0,
    tombstonesMetMs: value.readDoubleLE(56),
    isPacked: (value[1]! & IS_PACKED) !== 0,
    isLost: (value[1]! & IS_LOST) !== 0,
  };
}

const scratch = Buffer.alloc(ENTRY_BYTES);

function checkOf(value: Buffer): number {
  value.copy(scratch);
  scratch.writeUInt16LE(0, CHECK_AT);
  return crc32(scratch) & 0xffff;
}
