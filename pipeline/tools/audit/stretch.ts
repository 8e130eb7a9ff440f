// Where an audit of a partition begins: at the start of the log when this fold version wrote all of it, else at the state that this version
// took over. Outputs of other versions cannot be folded again by these rules; they are read, counted and reported.
import { SquitterError } from '../../../schemas/errors.ts';
import { type FoldOptions, PartitionFold } from '../../fold/partition-fold.ts';
import { keptBefore, keptFrom, versionName, versionStarts } from '../../fold/snapshot-store.ts';
import { newestProgress } from '../../fold/take-over.ts';
import { FOLD_VERSION } from '../../fold/version.ts';
import type { Codecs } from '../../log/codec.ts';
import type { EventLog, ReadRequest } from '../../log/event-log.ts';
import { BEGIN_GROUP, firstRecord } from '../../log/group-offset.ts';
import { storedRecords } from './topic.ts';

export interface AuditOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly fold: FoldOptions;
  /** Begins at the newest kept snapshot up to this time, or at the first one after it; from the start of the log without it. */
  readonly fromMs?: number | null;
  /** Called after each batch with the frame records done, their total, and the frames so far. */
  readonly onProgress: (done: number, total: number, frames: number) => void;
  readonly signal: AbortSignal;
}

/** The range of a partition that this fold version wrote. */
export interface Stretch {
  /** The state before the first frame of the range. */
  readonly fold: PartitionFold;
  /** The first frame of the range. */
  readonly fromOffset: number;
  /** Outputs up to this tick belong to other versions; negative when there are none. */
  readonly afterTickMs: number;
  /** Versions that wrote the outputs before the range; empty when there are none. */
  readonly otherVersions: readonly number[];
  /** Tick of the kept snapshot that the range begins with; null when it begins with the log or the version. */
  readonly snapshotMs: number | null;
}

/** The newest range of this version up to `committed`; empty when another version wrote last. Error: `fold.newer_version`. */
export async function stretchOf(options: AuditOptions, partition: number, committed: number): Promise<Stretch> {
  const { log, codecs } = options;
  const newest = (await newestProgress(log, codecs, partition))?.foldVersion ?? FOLD_VERSION;
  const starts = await versionStarts(log, partition);
  const versions = async (fromOffset: number, afterTickMs: number, before: readonly number[]): Promise<number[]> => {
    const found = await progressVersions(options, partition, afterTickMs);
    for (const { version, frameOffset } of starts) if (frameOffset < fromOffset) found.add(version);
    return [...new Set([...found, ...before])].sort((a, b) => a - b);
  };
  if (newest !== FOLD_VERSION) {
    const afterTickMs = Number.POSITIVE_INFINITY;
    const otherVersions = await versions(committed, afterTickMs, [newest]);
    return { fold: new PartitionFold(options.fold), fromOffset: committed, afterTickMs, otherVersions, snapshotMs: null };
  }
  const own = starts.find(({ name }) => name === versionName(FOLD_VERSION, partition));
  const fromMs = options.fromMs ?? null;
  // Records of another version cannot be compared, wherever the audit begins.
  if (fromMs !== null && (own === undefined || own.tickMs < fromMs)) return keptStretch(options, partition, fromMs);
  if (own === undefined) {
    const fromOffset = (await log.committed(BEGIN_GROUP, 'frames', partition)) ?? 0;
    return { fold: new PartitionFold(options.fold), fromOffset, afterTickMs: -1, otherVersions: [], snapshotMs: null };
  }
  const { frameOffset: fromOffset, tickMs: afterTickMs, versionBefore, open } = own;
  const otherVersions = await versions(fromOffset, afterTickMs, [versionBefore]);
  return { fold: PartitionFold.restore(open(), options.fold), fromOffset, afterTickMs, otherVersions, snapshotMs: null };
}

/** Begins at a kept snapshot. Error: `audit.no_snapshot`. */
async function keptStretch({ log, fold }: AuditOptions, partition: number, fromMs: number): Promise<Stretch> {
  const { earliest } = await log.bounds('frames', partition);
  let snapshot = await keptBefore(log, partition, fromMs + 1);
  if (snapshot === null || snapshot.frameOffset < earliest) {
    const first = await firstRecord(log, 'frames', partition);
    snapshot = await keptFrom(log, partition, Math.max(fromMs, first?.timestampMs ?? 0));
    while (snapshot !== null && snapshot.frameOffset < earliest) snapshot = await keptFrom(log, partition, snapshot.tickMs + 1);
  }
  if (snapshot === null || snapshot.version !== FOLD_VERSION) throw new SquitterError('audit.no_snapshot', { partition });
  const { frameOffset: fromOffset, tickMs, receiver } = snapshot;
  const restored = PartitionFold.restore(snapshot.open(), { ...fold, receiver });
  return { fold: restored, fromOffset, afterTickMs: tickMs, otherVersions: [], snapshotMs: tickMs };
}

/** Versions in the stored progress records up to a tick. */
async function progressVersions({ log, codecs }: AuditOptions, partition: number, toTickMs: number): Promise<Set<number>> {
  const versions = new Set<number>();
  for await (const record of storedRecords(log, 'progress', partition, 'end')) {
    if (record.timestampMs > toTickMs) break;
    if (record.value !== null) versions.add(codecs.FoldProgress.decode(record.value).foldVersion);
  }
  return versions;
}

/** Number of stored records in a range of the frames topic. */
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
