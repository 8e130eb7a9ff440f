// The fold over partitions: restores each partition's state, folds its frames, commits the outputs of each tick together with the input offset.
// Exactly once: outputs and offset are one commit; a state is the newest snapshot plus a silent replay up to the committed offset.
// Each commit ends behind the record that closed its newest tick, or at the offset of its snapshot: the outputs alone prove the group's offset.
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Codecs } from '../log/codec.ts';
import type { Commit, EventLog, GroupHandler, GroupMember, RecordBatch, StoredRecord } from '../log/event-log.ts';
import {
  type GroupPartition,
  type GroupStart,
  groupStart,
  moveGroup,
  newestRecord,
  type OffsetProblem,
  type OffsetRecovery,
} from '../log/group-offset.ts';
import { Turns } from '../runtime/waiting.ts';
import { type FoldOptions, PartitionFold } from './partition-fold.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { latestSnapshot, newestName, type StoredSnapshot, snapshotRecords, tombstones } from './snapshot-store.ts';
import { newestProgress, takeOver } from './take-over.ts';
import { TickOutputs } from './tick-outputs.ts';
import { checkedVersion, FOLD_GROUP, FOLD_VERSION } from './version.ts';
import { type FoldCounts, WorkerCounts } from './worker-counts.ts';

/** Length of a tick in event time. */
export const TICK_MS = 1000;

export interface FoldWorkerOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly fold: FoldOptions;
  /** Called when the group's offset was wrong and is corrected. */
  readonly onRecovered?: (recovery: OffsetRecovery) => void;
  /** Called when another version wrote a partition until now. */
  readonly onTakeOver?: (takeOver: { partition: number; version: number; versionBefore: number; offset: number }) => void;
  /** Called when frames that the fold still needed are deleted, from `from` on: it continues with the remaining ones. */
  readonly onGap?: (gap: { partition: number; from: number; earliest: number }) => void;
}

/** Counts of a worker, since the start of the process unless noted. */
export interface FoldWorkerStats {
  partitions: number;
  commits: number;
  snapshots: number;
  /** Those of them that are kept. */
  keptSnapshots: number;
  /** Snapshots that cannot be read: replaced by a replay from the start. */
  unreadableSnapshots: number;
  /** Partitions that another version had written. */
  takeOvers: number;
  /** Partitions whose next frames, or those since the newest snapshot, were already deleted. */
  gaps: number;
  deadLetters: number;
  replayedRecords: number;
  /** Group offsets that contradicted the outputs and were corrected. */
  readonly offsetsRecovered: Record<OffsetProblem, number>;
  /** By partition: first offset not folded yet, and the newest tick. */
  readonly nextOffsets: Map<number, number>;
  readonly tickMs: Map<number, number>;
}

export interface FoldWorker {
  readonly member: GroupMember;
  readonly stats: FoldWorkerStats;
  /** Counts of all its partitions while they were assigned. */
  counts(): FoldCounts;
}

interface PartitionWork {
  readonly fold: PartitionFold;
  /** The committed offset. */
  committed: number;
  outputs: TickOutputs;
  readonly snapshots: SnapshotSchedule;
  framesAtSnapshot: number;
  snapshotChunks: number;
  frames: number;
  tickMs: number;
  /** The offset after the record that closed that tick. */
  tickEnd: number;
}

/** Joins the fold's group and folds until the member leaves or fails. */
export async function startFoldWorker(options: FoldWorkerOptions): Promise<FoldWorker> {
  const { log, codecs } = options;
  const stats: FoldWorkerStats = {
    partitions: 0,
    commits: 0,
    snapshots: 0,
    keptSnapshots: 0,
    unreadableSnapshots: 0,
    takeOvers: 0,
    gaps: 0,
    deadLetters: 0,
    replayedRecords: 0,
    offsetsRecovered: { missing: 0, behind: 0, ahead: 0 },
    nextOffsets: new Map(),
    tickMs: new Map(),
  };
  const works = new Map<number, PartitionWork>();
  const counts = new WorkerCounts();
  const turns = new Turns(limits.foldTurnMsMax);

  const handler: GroupHandler = {
    async assigned(partition, committed) {
      const { work, nextOffset } = await restore({ options, stats, turns }, partition, committed);
      works.set(partition, work);
      counts.came(partition, work.fold);
      stats.partitions = works.size;
      stats.nextOffsets.set(partition, nextOffset);
      return nextOffset;
    },
    async batch(batch) {
      const work = works.get(batch.partition)!;
      await turns.each(batch.records, (record) => foldRecord(codecs, work, batch.partition, record, stats));
      stats.nextOffsets.set(batch.partition, batch.nextOffset);
      stats.tickMs.set(batch.partition, work.tickMs);
      const withTick = work.outputs.hasTick();
      const { frames, tickMs } = work;
      const moment = { frames, tickMs, eventMs: batch.records.at(-1)!.timestampMs, withTick };
      // No commit is needed between ticks: a fold from the committed offset gives the same again.
      const isDue = work.snapshots.isDue(moment);
      if (isDue || work.outputs.hasManyDeadLetters()) await commitSnapshot(options, work, batch, isDue, stats);
      else if (withTick)
        await commit(log, work, { partition: batch.partition, nextOffset: work.tickEnd, outputs: work.outputs.drain('tick') }, stats);
    },
    async revoked(partition) {
      const work = works.get(partition);
      const next = stats.nextOffsets.get(partition);
      if (works.delete(partition)) counts.left(partition);
      stats.partitions = works.size;
      if (work === undefined || next === undefined) return;
      // Then the next owner of the partition need not replay what was folded since the last snapshot.
      if (next > work.committed || work.frames > work.framesAtSnapshot)
        await commitSnapshot(options, work, { partition, nextOffset: next }, false, stats);
    },
  };
  return { member: await log.join(FOLD_GROUP, 'frames', handler), stats, counts: () => counts.now() };
}

/** A partition that is being restored. */
interface Restoring {
  readonly options: FoldWorkerOptions;
  readonly partition: number;
  /** The newest outputs; null when there are none. */
  readonly progress: FoldProgress | null;
  readonly snapshot: StoredSnapshot | null;
  readonly stats: FoldWorkerStats;
  readonly turns: Turns;
  /** Aircraft removed during the replay. */
  readonly gone: string[];
}

/** Applies the remaining records of a range, without outputs. */
async function replay(
  { options: { log, codecs }, partition, stats, turns, gone }: Restoring,
  fold: PartitionFold,
  range: { readonly from: number | 'earliest'; readonly to: number },
): Promise<void> {
  const { earliest } = await log.bounds('frames', partition);
  const from = range.from === 'earliest' ? earliest : Math.max(range.from, earliest);
  if (from >= range.to) return;
  for await (const batch of log.read({ topic: 'frames', partition, from, to: range.to }))
    await turns.each(batch.records, (record) => {
      const frames = decodeFrames(codecs, record);
      if (frames !== null) fold.apply(frames, record.offset, (tick) => void gone.push(...tick.gone));
      stats.replayedRecords += 1;
    });
}

/** `nextOffset`: where folding continues; past the committed offset when frames there are deleted. */
async function restore(
  worker: Pick<Restoring, 'options' | 'stats' | 'turns'>,
  partition: number,
  committed: number | null,
): Promise<{ readonly work: PartitionWork; readonly nextOffset: number }> {
  const { options, stats } = worker;
  const { log, codecs } = options;
  const progress = await newestProgress(log, codecs, partition);
  const snapshot = await latestSnapshot(log, partition);
  const restoring: Restoring = { ...worker, partition, progress, snapshot, gone: [] };
  const work = await restoredAt(restoring, committed);
  const { earliest } = await log.bounds('frames', partition);
  const needed = snapshot?.frameOffset ?? (progress === null ? earliest : 0);
  if (needed < earliest) {
    stats.gaps += 1;
    // A state from before the newest tick must not write what is already written.
    if (progress !== null) work.fold.advance(1000 * progress.tickMs, (tick) => void restoring.gone.push(...tick.gone));
    options.onGap?.({ partition, from: needed, earliest });
  }
  const nextOffset = Math.max(work.committed, earliest);
  const version = progress?.foldVersion ?? snapshot?.version ?? FOLD_VERSION;
  if (version !== FOLD_VERSION) {
    const handover = { versionBefore: version, frameOffset: nextOffset, gone: restoring.gone };
    const outputs = await takeOver(log, partition, work.fold, options.fold, handover);
    await commit(log, work, { partition, nextOffset, outputs }, stats);
    stats.takeOvers += 1;
    options.onTakeOver?.({ partition, version: FOLD_VERSION, versionBefore: version, offset: nextOffset });
  }
  return { work, nextOffset };
}

/** The state where the outputs end. Moves the group there, if its offset differs. */
async function restoredAt(restoring: Restoring, committed: number | null): Promise<PartitionWork> {
  const { options, partition, stats } = restoring;
  const group: GroupPartition = { log: options.log, group: FOLD_GROUP, topic: 'frames', partition, committed };
  const { offset, problem } = await provenStart(group, restoring);
  const work = await rebuilt(restoring, offset);
  if (problem === null) return { ...work, committed: committed ?? offset };
  await moveGroup(group, offset);
  stats.offsetsRecovered[problem] += 1;
  options.onRecovered?.({ partition, problem, committed, offset });
  return work;
}

/** Where the outputs of a partition end: behind the record of the newest tick, or at the newest snapshot. */
async function provenStart(group: GroupPartition, { options: { codecs }, progress, snapshot }: Restoring): Promise<GroupStart> {
  const { log, partition } = group;
  const tickEnd = progress === null ? null : progress.frameOffset + 1;
  return groupStart(group, {
    next: tickEnd === null && snapshot === null ? null : Math.max(tickEnd ?? 0, snapshot?.frameOffset ?? 0),
    async outputsEnd() {
      const positions = (await newestRecord(log, 'positions', partition))?.value ?? null;
      return positions === null ? 0 : (codecs.PositionBatch.decode(positions).rows.at(-1)?.frameOffset ?? -1) + 1;
    },
  });
}

/** The state at an offset, from the snapshot and a silent replay. */
async function rebuilt(restoring: Restoring, offset: number): Promise<PartitionWork> {
  const { log, codecs, fold: foldOptions } = restoring.options;
  const restored = await usableSnapshot(restoring);
  const snapshot = restored === null ? null : restoring.snapshot;
  const fold = restored ?? new PartitionFold(foldOptions);
  await replay(restoring, fold, { from: snapshot?.frameOffset ?? 'earliest', to: offset });
  return {
    fold,
    committed: offset,
    outputs: new TickOutputs(codecs, restoring.partition),
    snapshots: new SnapshotSchedule(restoring.partition, log.partitions('frames'), foldOptions.tickMs),
    framesAtSnapshot: 0,
    snapshotChunks: snapshot?.chunks ?? 0,
    frames: 0,
    tickMs: 0,
    tickEnd: offset,
  };
}

/** The snapshot as a fold; null when there is none, or it cannot be read: then all frames are replayed. */
async function usableSnapshot({ options: { log, fold }, partition, snapshot, stats }: Restoring): Promise<PartitionFold | null> {
  if (snapshot === null) return null;
  checkedVersion(snapshot.version);
  try {
    return PartitionFold.restore(snapshot.open(), fold);
  } catch (error) {
    if (!(error instanceof SquitterError && error.code === 'snapshot.unreadable')) throw error;
    // Without the first frames a replay would not give what was emitted: stop rather than write a wrong state.
    if ((await log.bounds('frames', partition)).earliest > 0) throw error;
    stats.unreadableSnapshots += 1;
    return null;
  }
}

/** The frames of a record; null when it cannot be read. */
export function decodeFrames(codecs: Codecs, record: StoredRecord): FrameBatch | null {
  if (record.value === null) return null;
  try {
    return codecs.FrameBatch.decode(record.value);
  } catch {
    return null;
  }
}

function foldRecord(codecs: Codecs, work: PartitionWork, partition: number, record: StoredRecord, stats: FoldWorkerStats): void {
  const frames = decodeFrames(codecs, record);
  if (frames === null) {
    stats.deadLetters += 1;
    work.outputs.addDeadLetter(partition, record);
    return;
  }
  work.frames += frames.count;
  work.fold.apply(frames, record.offset, (tick) => {
    work.tickMs = tick.tickMs;
    work.tickEnd = record.offset + 1;
    work.outputs.addTick(tick);
  });
}

/**
 * Commits everything folded so far, with the state: the snapshot stands for the offset. With `isKept` it is also written to the kept ones:
 * at most once in 20 s, however often partitions move between folds.
 */
async function commitSnapshot(
  { log, fold: { receiver } }: FoldWorkerOptions,
  work: PartitionWork,
  { partition, nextOffset }: Pick<RecordBatch, 'partition' | 'nextOffset'>,
  isKept: boolean,
  stats: FoldWorkerStats,
): Promise<void> {
  const outputs = work.outputs.drain('all');
  const head = { frameOffset: nextOffset, tickMs: work.tickMs, version: FOLD_VERSION, versionBefore: 0, receiver };
  const name = newestName(partition);
  const records = snapshotRecords(name, head, work.fold.snapshot());
  outputs.push({
    topic: 'snapshots',
    partition,
    records: [...records, ...tombstones(name, records.length, work.snapshotChunks, work.tickMs)],
  });
  if (isKept) {
    outputs.push({ topic: 'snapshotsKept', partition, records });
    stats.keptSnapshots += 1;
  }
  work.snapshotChunks = records.length;
  work.framesAtSnapshot = work.frames;
  work.snapshots.note(work);
  stats.snapshots += 1;
  await commit(log, work, { partition, nextOffset, outputs }, stats);
}

async function commit(
  log: EventLog,
  work: PartitionWork,
  what: Pick<Commit, 'partition' | 'nextOffset' | 'outputs'>,
  stats: FoldWorkerStats,
): Promise<void> {
  await log.commit({ group: FOLD_GROUP, topic: 'frames', fromOffset: work.committed, ...what });
  work.committed = what.nextOffset;
  stats.commits += 1;
}
