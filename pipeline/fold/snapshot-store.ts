// Snapshots of the fold in the log: one partition's state in chunks. Each chunk is a record that names its snapshot.
// A snapshot and its input offset are one commit, so the newest whole snapshot is never ahead of the offset.
// The topic is compacted. The newest snapshot has one name, and replaces the previous one; one with its own name is kept.
//
//   key         name/chunk
//   byte  0-3   'SQSN'
//   byte  4-7   u32 LE  number of this chunk
//   byte  8-11  u32 LE  chunks of the snapshot
//   byte 12-19  f64 LE  frame offset: the first frames record that is not in the state
//   byte 20-    the chunk
import { limits } from '../../schemas/limits.ts';
import type { EventLog } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';

const MAGIC = Buffer.from('SQSN');
const HEADER_BYTES = 20;

export interface StoredSnapshot {
  readonly name: string;
  /** Folding continues at this offset of the frames topic. */
  readonly frameOffset: number;
  /** The newest tick that this state has closed. */
  readonly tickMs: number;
  readonly bytes: Uint8Array;
}

/** The newest snapshot of a partition. */
export function newestName(partition: number): string {
  return String(partition);
}

/** The state with which a fold version began to write a partition. */
export function versionName(version: number, partition: number): string {
  return `version/${version}/${partition}`;
}

/** The version in such a name; null in another. */
export function versionOfName(name: string): number | null {
  const version = /^version\/(\d+)\//.exec(name)?.[1];
  return version === undefined ? null : Number(version);
}

/** Cuts a snapshot into records. Chunks that only the previous, larger one of this name had become tombstones. */
export function snapshotRecords({ name, frameOffset, tickMs, bytes }: StoredSnapshot, previousChunks: number): OutgoingRecord[] {
  const count = snapshotChunks(bytes.length);
  const records: OutgoingRecord[] = [];
  for (let chunk = 0; chunk < count; chunk += 1) {
    const part = bytes.subarray(chunk * limits.snapshotChunkBytesMax, (chunk + 1) * limits.snapshotChunkBytesMax);
    const value = Buffer.allocUnsafe(HEADER_BYTES + part.length);
    MAGIC.copy(value);
    value.writeUInt32LE(chunk, 4);
    value.writeUInt32LE(count, 8);
    value.writeDoubleLE(frameOffset, 12);
    value.set(part, HEADER_BYTES);
    records.push({ key: `${name}/${chunk}`, value, timestampMs: tickMs });
  }
  return [...records, ...tombstones(name, count, previousChunks, tickMs)];
}

/** Deletes the chunks from `from` to before `to` of a snapshot. */
export function tombstones(name: string, from: number, to: number, timestampMs: number): OutgoingRecord[] {
  const records: OutgoingRecord[] = [];
  for (let chunk = from; chunk < to; chunk += 1) records.push({ key: `${name}/${chunk}`, value: null, timestampMs });
  return records;
}

/** The newest whole snapshot of a partition, of any name, that is not ahead of `committed`; null when there is none. */
export async function latestSnapshot(log: EventLog, partition: number, committed: number): Promise<StoredSnapshot | null> {
  let newest: WholeSnapshot | null = null;
  for await (const snapshot of wholeSnapshots(log, partition)) if (snapshot.frameOffset <= committed) newest = snapshot;
  return newest && joined(newest);
}

/** The kept snapshots with which fold versions began, by offset. */
export async function versionStarts(log: EventLog, partition: number): Promise<StoredSnapshot[]> {
  const starts = new Map<string, WholeSnapshot>();
  for await (const snapshot of wholeSnapshots(log, partition)) {
    if (versionOfName(snapshot.name) !== null) starts.set(snapshot.name, snapshot);
  }
  return [...starts.values()].map(joined).sort((a, b) => a.frameOffset - b.frameOffset);
}

/** Number of chunks of a snapshot of this size. */
export function snapshotChunks(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / limits.snapshotChunkBytesMax));
}

interface WholeSnapshot extends Omit<StoredSnapshot, 'bytes'> {
  readonly parts: readonly Uint8Array[];
}

function joined({ name, frameOffset, tickMs, parts }: WholeSnapshot): StoredSnapshot {
  return { name, frameOffset, tickMs, bytes: Buffer.concat(parts) };
}

/** All whole snapshots in the topic, in the order of writing. */
async function* wholeSnapshots(log: EventLog, partition: number): AsyncGenerator<WholeSnapshot> {
  /** Chunks so far, by name. A snapshot is written in one commit, chunk 0 first. */
  const unfinished = new Map<string, { readonly frameOffset: number; readonly parts: Uint8Array[] }>();
  for await (const batch of log.read({ topic: 'snapshots', partition, from: 'earliest', to: 'end' })) {
    for (const { key, value, timestampMs } of batch.records) {
      const name = /^(.+)\/\d+$/.exec(key ?? '')?.[1];
      if (name === undefined || value === null || value.length < HEADER_BYTES) continue;
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
      if (!bytes.subarray(0, 4).equals(MAGIC)) continue;
      const chunk = bytes.readUInt32LE(4);
      const frameOffset = bytes.readDoubleLE(12);
      if (chunk === 0) unfinished.set(name, { frameOffset, parts: [] });
      const snapshot = unfinished.get(name);
      // Its first chunks are already replaced by a newer snapshot.
      if (snapshot === undefined || snapshot.frameOffset !== frameOffset || snapshot.parts.length !== chunk) continue;
      snapshot.parts.push(Buffer.from(bytes.subarray(HEADER_BYTES)));
      if (snapshot.parts.length < bytes.readUInt32LE(8)) continue;
      unfinished.delete(name);
      yield { name, frameOffset, tickMs: timestampMs, parts: snapshot.parts };
    }
  }
}
