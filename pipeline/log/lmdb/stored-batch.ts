// Layout of a batch in a segment file: a head with its kind, its offsets and its checksum, then the bytes.
// The index can be rebuilt from these heads alone. The base offset is final only when the batch becomes part of the log. Until then it is a guess
// (the next offset when the bytes were written); if the guess is wrong, the head is written again before the index refers to it.
import { brotliCompress, brotliDecompressSync, constants, crc32 } from 'node:zlib';

/** Compression of the bytes: the writer uses none, `packer.ts` compresses old batches. */
export const CODEC_NONE = 0;
export const CODEC_BROTLI = 1;

const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    // A window of 1 MiB, as large as a batch.
    [constants.BROTLI_PARAM_LGWIN]: 20,
  },
};

export interface StoredHead {
  readonly codec: number;
  readonly hasTombstones: boolean;
  /** Written by compaction or packing to replace other batches. */
  readonly isMerged: boolean;
  /** Size and checksum of the bytes after this head as stored, packed or not. */
  readonly bytes: number;
  readonly checksum: number;
  /** Size of the unpacked batch (`batch.ts`). */
  readonly plainBytes: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** Last offset that the batch covers: compaction may drop the last records of the batches it merges. */
  readonly coversTo: number;
  readonly maxTimestampMs: number;
  readonly appendedAtMs: number;
  /** Next input offset of the commit that wrote the batch; null for a plain append. */
  readonly committedNext: number | null;
}

// Head, little-endian:
//   0 u32 magic "SQB3"   4 u8 codec   5 u8 flags (1 has tombstones, 2 merged)   6 u16 0   8 u32 bytes   12 u32 plain bytes   16 u32 CRC-32 of the bytes
//  20 u32 CRC-32 of this head, with 0 in this field   24 u64 base offset   32 u32 last - base   36 u32 covers to - base
//  40 f64 max timestamp   48 f64 appended at   56 f64 committed next, or -1
const MAGIC = 0x3342_5153;
const HAS_TOMBSTONES = 1;
const IS_MERGED = 2;
const NO_COMMIT = -1;
/** zlib's minimum. */
const ZLIB_CHUNK_BYTES = 64;
export const STORED_HEAD_BYTES = 64;
const BASE_OFFSET_AT = 24;
const HEAD_CRC_AT = 20;

export function writeHead(head: StoredHead, target: Buffer, start: number): void {
  target.writeUInt32LE(MAGIC, start);
  target[start + 4] = head.codec;
  target[start + 5] = (head.hasTombstones ? HAS_TOMBSTONES : 0) | (head.isMerged ? IS_MERGED : 0);
  target.writeUInt16LE(0, start + 6);
  target.writeUInt32LE(head.bytes, start + 8);
  target.writeUInt32LE(head.plainBytes, start + 12);
  target.writeUInt32LE(head.checksum, start + 16);
  target.writeUInt32LE(head.lastOffset - head.baseOffset, start + 32);
  target.writeUInt32LE(head.coversTo - head.baseOffset, start + 36);
  target.writeDoubleLE(head.maxTimestampMs, start + 40);
  target.writeDoubleLE(head.appendedAtMs, start + 48);
  target.writeDoubleLE(head.committedNext ?? NO_COMMIT, start + 56);
  moveHead(target, start, head.baseOffset);
}

/** Changes the base offset of a head. */
export function moveHead(target: Buffer, start: number, baseOffset: number): void {
  target.writeBigUInt64LE(BigInt(baseOffset), start + BASE_OFFSET_AT);
  target.writeUInt32LE(0, start + HEAD_CRC_AT);
  target.writeUInt32LE(headCrc(target, start), start + HEAD_CRC_AT);
}

const scratch = Buffer.alloc(STORED_HEAD_BYTES);

function headCrc(source: Buffer, start: number): number {
  source.copy(scratch, 0, start, start + STORED_HEAD_BYTES);
  scratch.writeUInt32LE(0, HEAD_CRC_AT);
  return crc32(scratch);
}

/** The head at `start`; null if there is none or it is damaged. */
export function readHead(source: Buffer, start: number): StoredHead | null {
  if (start + STORED_HEAD_BYTES > source.length || source.readUInt32LE(start) !== MAGIC) return null;
  if (source.readUInt32LE(start + HEAD_CRC_AT) !== headCrc(source, start)) return null;
  const flags = source[start + 5]!;
  const baseOffset = Number(source.readBigUInt64LE(start + BASE_OFFSET_AT));
  const committedNext = source.readDoubleLE(start + 56);
  return {
    codec: source[start + 4]!,
    hasTombstones: (flags & HAS_TOMBSTONES) !== 0,
    isMerged: (flags & IS_MERGED) !== 0,
    bytes: source.readUInt32LE(start + 8),
    plainBytes: source.readUInt32LE(start + 12),
    checksum: source.readUInt32LE(start + 16),
    baseOffset,
    lastOffset: baseOffset + source.readUInt32LE(start + 32),
    coversTo: baseOffset + source.readUInt32LE(start + 36),
    maxTimestampMs: source.readDoubleLE(start + 40),
    appendedAtMs: source.readDoubleLE(start + 48),
    committedNext: committedNext === NO_COMMIT ? null : committedNext,
  };
}

/** The batch from the bytes stored after a head. Throws a RangeError if the bytes are damaged. */
export function unpacked(head: StoredHead, stored: Buffer): Buffer {
  if (crc32(stored) !== head.checksum) throw new RangeError('the checksum is wrong');
  if (head.codec === CODEC_NONE) return stored;
  if (head.codec !== CODEC_BROTLI) throw new RangeError(`expected compression ${CODEC_NONE} or ${CODEC_BROTLI}, got ${head.codec}`);
  try {
    return brotliDecompressSync(stored, { chunkSize: Math.max(head.plainBytes, ZLIB_CHUNK_BYTES), maxOutputLength: head.plainBytes });
  } catch (error) {
    throw new RangeError(`the batch cannot be unpacked: ${(error as Error).message}`);
  }
}

/** Compresses a batch for CODEC_BROTLI in another thread. */
export function packed(batch: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    brotliCompress(batch, BROTLI, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}

/** Where the next head may begin, from `start` on; -1 if nowhere. */
export function nextHeadAt(source: Buffer, start: number): number {
  return source.indexOf('SQB3', start, 'latin1');
}
