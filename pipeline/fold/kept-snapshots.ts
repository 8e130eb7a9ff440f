// Kept snapshots: the state of one partition, once a minute of event time, for as long as the frames behind it. The past is folded from them.
// Each is cut into chunks; each chunk is a record whose time is that of the newest tick in the state, and which contains everything needed to fold on.
//
//   key         partition/chunk
//   byte  0-3   'SQKS'
//   byte  4-7   u32 LE  number of this chunk
//   byte  8-11  u32 LE  chunks of the snapshot
//   byte 12-19  f64 LE  frame offset: the first frames record that is not in the state
//   byte 20-23  u32 LE  version of the fold that folds on from here
//   byte 24-39  f64 LE  latitude and longitude of the receivers as configured, NaN without
//   byte 40     u8      compression of all chunks together: 1 Brotli, 2 Zstandard
//   byte 41-    the chunk, of a snapshot (snapshot.ts)
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import type { EventLog, StoredRecord } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import { zstd } from '../runtime/zstd.ts';

const MAGIC = Buffer.from('SQKS');
const HEADER_BYTES = 41;
const BROTLI = 1;
const ZSTD = 2;
/** Of both: a snapshot of 7,500 aircraft takes 20 ms with Zstandard, and a higher level saves 2 %. */
const LEVEL = 1;

/** How many records before a moment are searched for its snapshot: first so many, then several times more, until there is a whole one. */
const SEARCHED_FIRST = 8;
const SEARCHED_GROWTH = 4;

export interface KeptState {
  /** Folding continues at this offset of the frames topic. */
  readonly frameOffset: number;
  /** The newest tick that this state has closed. */
  readonly tickMs: number;
  /** Version of the fold that folds on from here. */
  readonly version: number;
  /** Coordinates of the receivers as configured: a fold of the same frames must have the same. */
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  readonly bytes: Uint8Array;
}

/** A kept snapshot as it is in the log. */
export interface KeptSnapshot extends Omit<KeptState, 'bytes'> {
  /** Decompresses it. Error: `snapshot.unreadable`. */
  open(): Uint8Array;
}

/** Compresses a state and cuts it into records. */
export function keptRecords(partition: number, { frameOffset, tickMs, version, receiver, bytes }: KeptState): OutgoingRecord[] {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const packed = zstd?.compressSync(plain, LEVEL) ?? brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } });
  const count = Math.max(1, Math.ceil(packed.length / limits.snapshotChunkBytesMax));
  return Array.from({ length: count }, (_, chunk) => {
    const part = packed.subarray(chunk * limits.snapshotChunkBytesMax, (chunk + 1) * limits.snapshotChunkBytesMax);
    const value = Buffer.allocUnsafe(HEADER_BYTES + part.length);
    MAGIC.copy(value);
    value.writeUInt32LE(chunk, 4);
    value.writeUInt32LE(count, 8);
    value.writeDoubleLE(frameOffset, 12);
    value.writeUInt32LE(version, 20);
    value.writeDoubleLE(receiver?.lat ?? Number.NaN, 24);
    value.writeDoubleLE(receiver?.lon ?? Number.NaN, 32);
    value.writeUInt8(zstd === null ? BROTLI : ZSTD, 40);
    value.set(part, HEADER_BYTES);
    return { key: `${partition}/${chunk}`, value, timestampMs: tickMs };
  });
}

/**
 * The newest whole kept snapshot of a partition with a tick before `tickMs`; null when there is none among the last `limits.keptSearchedMax` records
 * before it. It is in the newest records, however long ago that was.
 */
export async function keptBefore(log: EventLog, partition: number, tickMs: number): Promise<KeptSnapshot | null> {
  const to = await log.offsetAt('snapshotsKept', partition, tickMs);
  const { earliest } = await log.bounds('snapshotsKept', partition);
  for (let searched = SEARCHED_FIRST; ; searched = Math.min(SEARCHED_GROWTH * searched, limits.keptSearchedMax)) {
    let newest: KeptSnapshot | null = null;
    for await (const kept of wholeOnes(log, partition, to - searched, to)) if (kept.tickMs < tickMs) newest = kept;
    if (newest !== null || searched >= limits.keptSearchedMax || to - searched <= earliest) return newest;
  }
}

/** The first whole kept snapshot of a partition with this tick or a later one; null when there is none. */
export async function keptFrom(log: EventLog, partition: number, tickMs: number): Promise<KeptSnapshot | null> {
  const from = await log.offsetAt('snapshotsKept', partition, tickMs);
  for await (const kept of wholeOnes(log, partition, from, 'end')) if (kept.tickMs >= tickMs) return kept;
  return null;
}

/** The whole snapshots of a range, in the order of writing. One whose first chunks are outside is skipped. */
async function* wholeOnes(log: EventLog, partition: number, from: number, to: number | 'end'): AsyncGenerator<KeptSnapshot> {
  const { earliest } = await log.bounds('snapshotsKept', partition);
  const start = Math.max(from, earliest);
  if (to !== 'end' && start >= to) return;
  let parts: Buffer[] = [];
  let frameOffset = -1;
  for await (const batch of log.read({ topic: 'snapshotsKept', partition, from: start, to }))
    for (const record of batch.records) {
      const value = chunkOf(record);
      if (value === null) continue;
      const chunk = value.readUInt32LE(4);
      if (chunk === 0) {
        parts = [];
        frameOffset = value.readDoubleLE(12);
      }
      if (parts.length !== chunk || frameOffset !== value.readDoubleLE(12)) continue;
      // Values are views of a buffer that the next batch overwrites.
      parts.push(Buffer.from(value.subarray(HEADER_BYTES)));
      if (parts.length === value.readUInt32LE(8)) yield keptOf(value, record.timestampMs, parts);
    }
}

function chunkOf({ value }: StoredRecord): Buffer | null {
  if (value === null || value.length < HEADER_BYTES) return null;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return bytes.subarray(0, MAGIC.length).equals(MAGIC) ? bytes : null;
}

function keptOf(header: Buffer, tickMs: number, parts: readonly Buffer[]): KeptSnapshot {
  const [lat, lon] = [header.readDoubleLE(24), header.readDoubleLE(32)];
  const compression = header.readUInt8(40);
  return {
    frameOffset: header.readDoubleLE(12),
    tickMs,
    version: header.readUInt32LE(20),
    receiver: Number.isNaN(lat) ? null : { lat, lon },
    open: () => unpacked(Buffer.concat(parts), compression),
  };
}

function unpacked(packed: Buffer, compression: number): Buffer {
  try {
    if (compression === BROTLI) return brotliDecompressSync(packed);
    if (compression === ZSTD && zstd !== null) return zstd.decompressSync(packed);
  } catch (error) {
    throw unreadable(String(error));
  }
  throw unreadable(
    compression === ZSTD ? 'it is compressed with Zstandard, which this runtime does not have' : `compression ${compression}`,
  );
}

function unreadable(detail: string): SquitterError {
  return new SquitterError('snapshot.unreadable', { detail });
}
