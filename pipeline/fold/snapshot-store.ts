// Snapshots in the log: the state of one partition, compressed and cut into chunks. Each chunk is a record that has everything needed to fold on.
// A snapshot and its input offset are one commit, so the newest whole snapshot is never ahead of the offset.
// The topic `snapshots` is compacted: the newest snapshot of a partition replaces the previous one; the state with which a version began has its own name.
// `snapshotsKept` has the snapshot of every 20 s as long as the frames behind it: moments of the past are folded from them.
//
//   key         name/chunk
//   byte  0-3   'SQSC'
//   byte  4-7   u32 LE  number of this chunk
//   byte  8-11  u32 LE  chunks of the snapshot
//   byte 12-19  f64 LE  frame offset: the first frames record that is not in the state
//   byte 20-23  u32 LE  version of the fold that folds on from here
//   byte 24-27  u32 LE  version that wrote the partition before, if a version began here; else 0
//   byte 28-43  f64 LE  latitude and longitude of the receivers as configured, NaN without
//   byte 44     u8      compression of all chunks together: 1 Brotli, 2 Zstandard
//   byte 45-    the chunk, of a state (snapshot.ts)
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { EventLog, ReadRequest } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import { zstd } from '../runtime/zstd.ts';

const MAGIC = Buffer.from('SQSC');
const HEADER_BYTES = 45;
const BROTLI = 1;
const ZSTD = 2;
/** Level of both: a snapshot of 7,500 aircraft takes 20 ms with Zstandard, and a higher level saves 2 %. */
const LEVEL = 1;

/** How many records before a moment are searched for its snapshot: first so many, then several times more, until there is a whole one. */
const SEARCHED_FIRST = 8;
const SEARCHED_GROWTH = 4;

/** A fold needs this to continue, beside the state itself. */
export interface SnapshotHead {
  /** Folding continues at this offset of the frames topic. */
  readonly frameOffset: number;
  /** The newest tick that this state has closed. */
  readonly tickMs: number;
  /** Version of the fold that folds on from here. */
  readonly version: number;
  /** Version that wrote the partition before, if `version` began here; else 0. */
  readonly versionBefore: number;
  /** Coordinates of the receivers as configured: a fold of the same frames must have the same. */
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

/** A snapshot in the log. */
export interface StoredSnapshot extends SnapshotHead {
  readonly name: string;
  readonly chunks: number;
  /** Decompresses it. Error: `snapshot.unreadable`. */
  open(): Uint8Array;
}

/** Name of the newest snapshot of a partition, and of each kept one. */
export function newestName(partition: number): string {
  return String(partition);
}

/** Name of the state with which a fold version began to write a partition. */
export function versionName(version: number, partition: number): string {
  return `version/${version}/${partition}`;
}

/** Compresses a state and cuts it into records. */
export function snapshotRecords(name: string, head: SnapshotHead, state: Uint8Array): OutgoingRecord[] {
  const plain = Buffer.from(state.buffer, state.byteOffset, state.length);
  const packed = zstd?.compressSync(plain, LEVEL) ?? brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } });
  const count = Math.max(1, Math.ceil(packed.length / limits.snapshotChunkBytesMax));
  return Array.from({ length: count }, (_, chunk) => {
    const part = packed.subarray(chunk * limits.snapshotChunkBytesMax, (chunk + 1) * limits.snapshotChunkBytesMax);
    const value = Buffer.allocUnsafe(HEADER_BYTES + part.length);
    MAGIC.copy(value);
    value.writeUInt32LE(chunk, 4);
    value.writeUInt32LE(count, 8);
    value.writeDoubleLE(head.frameOffset, 12);
    value.writeUInt32LE(head.version, 20);
    value.writeUInt32LE(head.versionBefore, 24);
    value.writeDoubleLE(head.receiver?.lat ?? Number.NaN, 28);
    value.writeDoubleLE(head.receiver?.lon ?? Number.NaN, 36);
    value.writeUInt8(zstd === null ? BROTLI : ZSTD, 44);
    value.set(part, HEADER_BYTES);
    return { key: `${name}/${chunk}`, value, timestampMs: head.tickMs };
  });
}

/** Deletes the chunks from `from` to before `to` of a snapshot. */
export function tombstones(name: string, from: number, to: number, timestampMs: number): OutgoingRecord[] {
  const records: OutgoingRecord[] = [];
  for (let chunk = from; chunk < to; chunk += 1) records.push({ key: `${name}/${chunk}`, value: null, timestampMs });
  return records;
}

/** The newest whole snapshot of a partition, of any name; null when there is none. */
export async function latestSnapshot(log: EventLog, partition: number): Promise<StoredSnapshot | null> {
  let newest: StoredSnapshot | null = null;
  for await (const snapshot of wholeSnapshots(log, { topic: 'snapshots', partition, from: 'earliest', to: 'end' })) newest = snapshot;
  return newest;
}

/** The states with which fold versions began, by offset. */
export async function versionStarts(log: EventLog, partition: number): Promise<StoredSnapshot[]> {
  const starts = new Map<string, StoredSnapshot>();
  for await (const snapshot of wholeSnapshots(log, { topic: 'snapshots', partition, from: 'earliest', to: 'end' }))
    if (snapshot.name !== newestName(partition)) starts.set(snapshot.name, snapshot);
  return [...starts.values()].sort((a, b) => a.frameOffset - b.frameOffset);
}

/**
 * The newest whole kept snapshot of a partition with a tick before `tickMs`; null when there is none among the last `limits.keptSearchedMax` records
 * before it. It is in the newest records, however long ago that was.
 */
export async function keptBefore(log: EventLog, partition: number, tickMs: number): Promise<StoredSnapshot | null> {
  const to = await log.offsetAt('snapshotsKept', partition, tickMs);
  const { earliest } = await log.bounds('snapshotsKept', partition);
  for (let searched = SEARCHED_FIRST; ; searched = Math.min(SEARCHED_GROWTH * searched, limits.keptSearchedMax)) {
    let newest: StoredSnapshot | null = null;
    for await (const snapshot of keptIn(log, partition, to - searched, to)) if (snapshot.tickMs < tickMs) newest = snapshot;
    if (newest !== null || searched >= limits.keptSearchedMax || to - searched <= earliest) return newest;
  }
}

/** The first whole kept snapshot of a partition with this tick or a later one; null when there is none. */
export async function keptFrom(log: EventLog, partition: number, tickMs: number): Promise<StoredSnapshot | null> {
  const from = await log.offsetAt('snapshotsKept', partition, tickMs);
  for await (const snapshot of keptIn(log, partition, from, 'end')) if (snapshot.tickMs >= tickMs) return snapshot;
  return null;
}

async function* keptIn(log: EventLog, partition: number, from: number, to: number | 'end'): AsyncGenerator<StoredSnapshot> {
  const { earliest } = await log.bounds('snapshotsKept', partition);
  const start = Math.max(from, earliest);
  if (to === 'end' || start < to) yield* wholeSnapshots(log, { topic: 'snapshotsKept', partition, from: start, to });
}

/** The whole snapshots of a range, in the order of writing. One whose first chunks are outside or already replaced is skipped. */
async function* wholeSnapshots(log: EventLog, range: ReadRequest): AsyncGenerator<StoredSnapshot> {
  /** Chunks so far, by name. A snapshot is written in one commit, chunk 0 first. */
  const unfinished = new Map<string, { readonly frameOffset: number; readonly parts: Buffer[] }>();
  for await (const { records } of log.read(range))
    for (const { key, value, timestampMs: tickMs } of records) {
      const name = /^(.+)\/\d+$/.exec(key ?? '')?.[1];
      if (name === undefined || value === null || value.length < HEADER_BYTES) continue;
      // Values are views of a buffer that the next batch overwrites.
      const bytes = Buffer.from(value);
      if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) continue;
      const chunk = bytes.readUInt32LE(4);
      const chunks = bytes.readUInt32LE(8);
      const frameOffset = bytes.readDoubleLE(12);
      if (chunk === 0) unfinished.set(name, { frameOffset, parts: [] });
      const snapshot = unfinished.get(name);
      if (snapshot === undefined || snapshot.frameOffset !== frameOffset || snapshot.parts.length !== chunk) continue;
      const { parts } = snapshot;
      parts.push(bytes.subarray(HEADER_BYTES));
      if (parts.length < chunks) continue;
      unfinished.delete(name);
      const [version, versionBefore] = [bytes.readUInt32LE(20), bytes.readUInt32LE(24)];
      const [lat, lon] = [bytes.readDoubleLE(28), bytes.readDoubleLE(36)];
      const receiver = Number.isNaN(lat) ? null : { lat, lon };
      const open = (): Buffer => unpacked(Buffer.concat(parts), bytes.readUInt8(44));
      yield { name, chunks, frameOffset, tickMs, version, versionBefore, receiver, open };
    }
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
