// The files in segments/, compared with the index. Only files that the index marks as retired are deleted.
// A file that the index does not know is moved aside, and a log whose files and index contradict each other is refused.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { folderModeIn } from '../../runtime/private-files.ts';
import { NEXT_SEGMENT_KEY, partitionKey, type SegmentRow, type Store } from './rows.ts';
import { scanSegment } from './scan.ts';
import { type SegmentFile, segmentFilesIn, segmentsInWords } from './segment-names.ts';
import { damaged, partitionRow, segmentFile } from './store.ts';

/** Contradictions between index and segment files. */
interface SegmentContradictions {
  /** Segments that were created after the newest commit of the index. */
  readonly newer: readonly SegmentFile[];
  /** Segments in use whose file is missing. */
  readonly missing: readonly (readonly [id: number, SegmentRow])[];
}

/** Errors: those of the disk. */
export function compareSegmentFiles(store: Store): SegmentContradictions {
  const files = segmentFilesIn(store.path);
  const known = new Map(store.segments.getRange().map(({ key, value }) => [key, value]));
  const next = (store.rows.get(NEXT_SEGMENT_KEY) as { readonly value: number }).value;
  const newer = files.filter((file) => file.id >= next && !known.has(file.id) && scanSegment(store.path, file).head?.log === store.id);
  const ids = new Set(files.map(({ id }) => id));
  return { newer, missing: [...known].filter(([id, { batches }]) => batches > 0 && !ids.has(id)) };
}

/** Text for an index that is an older copy. */
export function olderIndexInWords(newer: readonly SegmentFile[]): string {
  return `the index is older than ${segmentsInWords(newer)}`;
}

/**
 * Refuses a log whose index and segment files contradict each other. `isLost`: the last commits of the index may be missing after a power loss.
 * Errors: `log.damaged`, those of the disk.
 */
export function checkSegmentFiles(store: Store, isLost: boolean): void {
  const { newer, missing } = compareSegmentFiles(store);
  if (newer.length > 0 && !isLost) throw damaged(store, olderIndexInWords(newer));
  if (missing.length === 0) return;
  const [id, { topic, partition }] = missing[0]!;
  throw damaged(store, `segment ${id} of ${partitionKey(topic, partition)} is missing`);
}

/** Removes retired segments: their files, then their rows. */
export async function removeRetired(store: Store, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // After a power loss LMDB may be at an earlier commit that still refers to them, so the newer commit must be on the disk first.
  await store.root.flushed;
  for (const id of ids) {
    await rm(segmentFile(store, id), { force: true });
    await store.segments.remove(id);
  }
}

/** True if an unreferenced segment has batches of more than one append after the end of its partition. The index is then an older copy. */
function holdsMore(store: Store, file: SegmentFile, { topic, partition }: SegmentRow): boolean {
  const { next } = partitionRow(store, topic, partition);
  const later = scanSegment(store.path, file).batches.filter(({ head }) => head.lastOffset >= next);
  return new Set(later.map(({ head }) => head.appendedAtMs)).size > 1;
}

/** Removes retired segments and moves unknown files into `aside/`. Returns the names of the unknown files. */
export async function settleSegmentFiles(store: Store): Promise<string[]> {
  store.root.resetReadTxn();
  const known = new Map(store.segments.getRange().map(({ key, value }) => [key, value]));
  store.root.resetReadTxn();
  const retired = segmentFilesIn(store.path).filter(({ id }) => known.get(id)?.isRetired === true);
  const spared = new Set(retired.filter((file) => holdsMore(store, file, known.get(file.id)!)).map(({ id }) => id));
  const done = [...known].filter(([id, { isRetired }]) => isRetired === true && !spared.has(id)).map(([id]) => id);
  await removeRetired(store, done);
  const isKnown = ({ id, name }: SegmentFile): boolean =>
    known.has(id) && !spared.has(id) && segmentFile(store, id) === join(store.segmentsPath, name);
  const unknown = segmentFilesIn(store.path).filter((file) => !isKnown(file));
  if (unknown.length === 0) return [];
  const aside = join(store.path, 'aside');
  mkdirSync(aside, { recursive: true, mode: folderModeIn(store.path) });
  for (const { name } of unknown) {
    const target = join(aside, name);
    renameSync(join(store.segmentsPath, name), existsSync(target) ? `${target}.${Date.now()}` : target);
  }
  return unknown.map(({ name }) => name);
}
