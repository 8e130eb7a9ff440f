// Where an audit of a partition begins: at the log's start where this fold version wrote all of it, else at the state from which it began.
// What other versions wrote before cannot be folded again by these rules; it is read, counted and reported.
import type { FoldOptions } from '../fold/partition-fold.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { snapshotOrigin } from '../fold/snapshot.ts';
import { versionName, versionOfName, versionStarts } from '../fold/snapshot-store.ts';
import { newestProgress } from '../fold/take-over.ts';
import { FOLD_VERSION } from '../fold/version.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog, ReadRequest, RecordBatch } from '../log/event-log.ts';

export interface AuditOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly fold: FoldOptions;
  /** Told after each batch: frames records done, of how many, and frames so far. */
  readonly onProgress: (done: number, total: number, frames: number) => void;
  readonly signal: AbortSignal;
}

/** The part of a partition that this fold version wrote. */
export interface Stretch {
  /** The state before its first frame. */
  readonly fold: PartitionFold;
  /** Its first frame. */
  readonly fromOffset: number;
  /** Outputs up to this tick belong to other versions; below 0: none do. */
  readonly afterTickMs: number;
  /** Versions that wrote what is before it; empty where nothing is. */
  readonly otherVersions: readonly number[];
}

/** The newest stretch of this version up to `committed`, which is empty where another version wrote last. Error: `fold.newer_version`. */
export async function stretchOf(options: AuditOptions, partition: number, committed: number): Promise<Stretch> {
  const { log, codecs } = options;
  const newest = (await newestProgress(log, codecs, partition))?.foldVersion ?? FOLD_VERSION;
  const starts = await versionStarts(log, partition);
  const versions = async (fromOffset: number, afterTickMs: number, before: readonly number[]): Promise<number[]> => {
    const found = await progressVersions(options, partition, afterTickMs);
    for (const { name, frameOffset } of starts) if (frameOffset < fromOffset) found.add(versionOfName(name)!);
    return [...new Set([...found, ...before])].sort((a, b) => a - b);
  };
  if (newest !== FOLD_VERSION) {
    const afterTickMs = Number.POSITIVE_INFINITY;
    const otherVersions = await versions(committed, afterTickMs, [newest]);
    return { fold: new PartitionFold(options.fold), fromOffset: committed, afterTickMs, otherVersions };
  }
  const own = starts.find(({ name }) => name === versionName(FOLD_VERSION, partition));
  if (own === undefined) return { fold: new PartitionFold(options.fold), fromOffset: 0, afterTickMs: -1, otherVersions: [] };
  const { frameOffset: fromOffset, tickMs: afterTickMs, bytes } = own;
  const otherVersions = await versions(fromOffset, afterTickMs, [snapshotOrigin(bytes).versionBefore]);
  return { fold: PartitionFold.restore(bytes, options.fold), fromOffset, afterTickMs, otherVersions };
}

/** Versions of the progress records up to a tick that the topic still holds. */
async function progressVersions({ log, codecs }: AuditOptions, partition: number, toTickMs: number): Promise<Set<number>> {
  const versions = new Set<number>();
  for await (const record of recordsOf(log.read({ topic: 'progress', partition, from: 'earliest', to: 'end' }))) {
    if (record.timestampMs > toTickMs) break;
    if (record.value !== null) versions.add(codecs.FoldProgress.decode(record.value).foldVersion);
  }
  return versions;
}

async function* recordsOf(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch['records'][number]> {
  for await (const { records } of batches) yield* records;
}

/** Records of a range of the frames topic that are still there. */
export async function countFrameRecords(
  log: EventLog,
  partition: number,
  range: Pick<ReadRequest, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { records } of log.read({ topic: 'frames', partition, ...range, signal })) count += records.length;
  return count;
}
