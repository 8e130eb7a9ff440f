// Snapshots of the fold in the log: one partition's state cut into chunks, each a record that says which snapshot it belongs to.
// A snapshot and the input offset it was taken at are committed as one, so the newest whole snapshot is never ahead of the offset.
//
//   byte  0-3   'SQSN'
//   byte  4-7   u32 LE  number of this chunk
//   byte  8-11  u32 LE  chunks of the snapshot
//   byte 12-19  f64 LE  frame offset: the first frames record that is not in the state
//   byte 20-    the chunk
import { limits } from '../../schemas/limits.ts';
import type { EventLog, OutgoingRecord } from '../log/event-log.ts';

const MAGIC = Buffer.from('SQSN');
const HEADER_BYTES = 20;

export interface StoredSnapshot {
  /** Folding goes on at this offset of the frames topic. */
  readonly frameOffset: number;
  readonly bytes: Uint8Array;
}

/** Cuts a snapshot into records; chunks that only the previous, larger one had become tombstones. */
export function snapshotRecords(
  partition: number,
  bytes: Uint8Array,
  frameOffset: number,
  timestampMs: number,
  previousChunks: number,
): OutgoingRecord[] {
  const count = Math.max(1, Math.ceil(bytes.length / limits.snapshotChunkBytesMax));
  const records: OutgoingRecord[] = [];
  for (let chunk = 0; chunk < count; chunk += 1) {
    const part = bytes.subarray(chunk * limits.snapshotChunkBytesMax, (chunk + 1) * limits.snapshotChunkBytesMax);
    const value = Buffer.allocUnsafe(HEADER_BYTES + part.length);
    MAGIC.copy(value);
    value.writeUInt32LE(chunk, 4);
    value.writeUInt32LE(count, 8);
    value.writeDoubleLE(frameOffset, 12);
    value.set(part, HEADER_BYTES);
    records.push({ key: `${partition}/${chunk}`, value, timestampMs });
  }
  for (let chunk = count; chunk < previousChunks; chunk += 1) records.push({ key: `${partition}/${chunk}`, value: null, timestampMs });
  return records;
}

/** The newest whole snapshot of a partition that is not ahead of `committed`; null when there is none. */
export async function latestSnapshot(log: EventLog, partition: number, committed: number): Promise<StoredSnapshot | null> {
  let parts: (Uint8Array | undefined)[] = [];
  let partsOffset = -1;
  let newest: StoredSnapshot | null = null;
  for await (const batch of log.read({ topic: 'snapshots', partition, from: 'earliest', to: 'end' })) {
    for (const { value } of batch.records) {
      if (value === null || value.length < HEADER_BYTES) continue;
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
      if (!bytes.subarray(0, 4).equals(MAGIC)) continue;
      const frameOffset = bytes.readDoubleLE(12);
      if (frameOffset > committed) continue;
      if (frameOffset !== partsOffset) {
        partsOffset = frameOffset;
        parts = new Array(bytes.readUInt32LE(8)).fill(undefined);
      }
      parts[bytes.readUInt32LE(4)] = Buffer.from(bytes.subarray(HEADER_BYTES));
      if (parts.every((part) => part !== undefined)) newest = { frameOffset, bytes: Buffer.concat(parts as Uint8Array[]) };
    }
  }
  return newest;
}

/** Number of chunks that a snapshot of this size takes. */
export function snapshotChunks(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / limits.snapshotChunkBytesMax));
}
