// Finds the batches of segments by their heads alone, to rebuild an index.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countIn } from './batch.ts';
import { logFailure } from './failures.ts';
import { readSegmentHead, SEGMENT_HEAD_BYTES, type SegmentHead } from './segment-head.ts';
import type { SegmentFile } from './segment-names.ts';
import { nextHeadAt, readHead, STORED_HEAD_BYTES, type StoredHead, unpacked } from './stored-batch.ts';

export interface FoundBatch {
  readonly segment: number;
  readonly position: number;
  /** Size including the head. */
  readonly bytes: number;
  readonly records: number;
  readonly head: StoredHead;
}

export interface ScannedSegment {
  /** null if it is damaged; the batches are then unusable. */
  readonly head: SegmentHead | null;
  readonly batches: readonly FoundBatch[];
  /** Bytes that belong to no intact batch. */
  readonly strayBytes: number;
}

/** Reads a segment from its first byte to its last. Errors: those of the disk. */
export function scanSegment(path: string, { id, name }: SegmentFile): ScannedSegment {
  const bytes = contentOf(path, join(path, 'segments', name));
  const head = readSegmentHead(path, bytes);
  if (head === null) return { head, batches: [], strayBytes: bytes.length };
  const batches: FoundBatch[] = [];
  let stray = 0;
  for (let at = SEGMENT_HEAD_BYTES; at < bytes.length; ) {
    const batch = batchAt(bytes, at, id);
    if (batch !== null) {
      batches.push(batch);
      at += batch.bytes;
      continue;
    }
    const next = nextHeadAt(bytes, at + 1);
    const end = next === -1 ? bytes.length : next;
    stray += end - at;
    at = end;
  }
  return { head, batches, strayBytes: stray };
}

function batchAt(bytes: Buffer, position: number, segment: number): FoundBatch | null {
  const head = readHead(bytes, position);
  const end = position + STORED_HEAD_BYTES + (head?.bytes ?? 0);
  if (head === null || end > bytes.length) return null;
  try {
    const records = countIn(unpacked(head, bytes.subarray(position + STORED_HEAD_BYTES, end)));
    return { segment, position, bytes: end - position, records, head };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Reads a whole segment: at most about 65 MB. */
function contentOf(path: string, name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    throw logFailure(path, error, 'log.not_readable');
  }
}

/**
 * Chooses the batches that are part of the log: one of those that claim the same offsets. A merged batch has priority over its sources, and a later
 * batch over an earlier one, which was refused or whose writer died before it became part of the log.
 */
export function chooseBatches(found: readonly FoundBatch[]): FoundBatch[] {
  const chosen: FoundBatch[] = [];
  for (const batch of [...found].sort((a, b) => a.head.baseOffset - b.head.baseOffset)) {
    let last = chosen.at(-1);
    while (last !== undefined && last.head.coversTo >= batch.head.baseOffset && isStronger(batch, last)) {
      chosen.pop();
      last = chosen.at(-1);
    }
    if (last === undefined || last.head.coversTo < batch.head.baseOffset) chosen.push(batch);
  }
  return chosen;
}

function isStronger(a: FoundBatch, b: FoundBatch): boolean {
  if (a.head.isMerged !== b.head.isMerged) return a.head.isMerged;
  if (!a.head.isMerged && a.head.appendedAtMs !== b.head.appendedAtMs) return a.head.appendedAtMs > b.head.appendedAtMs;
  return a.segment !== b.segment ? a.segment > b.segment : a.position > b.position;
}
