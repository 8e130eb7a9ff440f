// The fold over partitions: restores each partition's state, folds its frames, commits what every tick gives together with the input offset.
// Exactly once: outputs and offset are one commit; a state is the newest snapshot plus a silent replay up to the committed offset.
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog, GroupHandler, GroupMember, RecordBatch, StoredRecord } from '../log/event-log.ts';
import { type FoldOptions, PartitionFold } from './partition-fold.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { latestSnapshot, snapshotChunks, snapshotRecords } from './snapshot-store.ts';
import { TickOutputs } from './tick-outputs.ts';
import { type FoldCounts, WorkerCounts } from './worker-counts.ts';

export const FOLD_GROUP = 'fold';

/** Length of a tick in event time. */
export const TICK_MS = 1000;

export interface FoldWorkerOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly fold: FoldOptions;
}

/** What a worker tells its process; numbers are since the start of the process unless they say otherwise. */
export interface FoldWorkerStats {
  partitions: number;
  commits: number;
  snapshots: number;
  /** Snapshots of another version that a replay from the start took the place of. */
  unreadableSnapshots: number;
  deadLetters: number;
  replayedRecords: number;
  /** By partition: first offset not folded yet, and the newest tick. */
  readonly nextOffsets: Map<number, number>;
  readonly tickMs: Map<number, number>;
}

export interface FoldWorker {
  readonly member: GroupMember;
  readonly stats: FoldWorkerStats;
  /** What all its partitions counted while it had them. */
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
}

/** Joins the fold's group and folds until the member leaves or fails. */
export async function startFoldWorker(options: FoldWorkerOptions): Promise<FoldWorker> {
  const { log, codecs } = options;
  const stats: FoldWorkerStats = {
    partitions: 0,
    commits: 0,
    snapshots: 0,
    unreadableSnapshots: 0,
    deadLetters: 0,
    replayedRecords: 0,
    nextOffsets: new Map(),
    tickMs: new Map(),
  };
  const works = new Map<number, PartitionWork>();
  const counts = new WorkerCounts();

  const handler: GroupHandler = {
    async assigned(partition, committed) {
      const work = await restore(options, partition, committed, stats);
      works.set(partition, work);
      counts.came(partition, work.fold);
      stats.partitions = works.size;
      stats.nextOffsets.set(partition, work.committed);
      return work.committed;
    },
    async batch(batch) {
      const work = works.get(batch.partition)!;
      for (const record of batch.records) foldRecord(codecs, work, batch.partition, record, stats);
      stats.nextOffsets.set(batch.partition, batch.nextOffset);
      stats.tickMs.set(batch.partition, work.tickMs);
      const withTick = !work.outputs.isEmpty();
      const { frames, tickMs } = work;
      const withSnapshot = work.snapshots.isDue({ frames, tickMs, eventMs: batch.records.at(-1)!.timestampMs, withTick });
      // Between ticks nothing can be lost: a fold from the committed offset gives the same again.
      if (withTick || withSnapshot) await commit(log, work, batch, stats, withSnapshot);
    },
    async revoked(partition) {
      const work = works.get(partition);
      const next = stats.nextOffsets.get(partition);
      if (works.delete(partition)) counts.left(partition);
      stats.partitions = works.size;
      if (work === undefined || next === undefined) return;
      // Whoever gets the partition need not replay what this one has folded since its last snapshot.
      if (next > work.committed || work.frames > work.framesAtSnapshot)
        await commit(log, work, { topic: 'frames', partition, records: [], nextOffset: next }, stats, true);
    },
  };
  return { member: await log.join(FOLD_GROUP, 'frames', handler), stats, counts: () => counts.now() };
}

async function restore(
  options: FoldWorkerOptions,
  partition: number,
  committed: number | null,
  stats: FoldWorkerStats,
): Promise<PartitionWork> {
  const { log, codecs } = options;
  const start = committed ?? (await log.bounds('frames', partition)).earliest;
  const snapshot = committed === null ? null : await usableSnapshot(options, partition, committed, stats);
  const fold = snapshot?.fold ?? new PartitionFold(options.fold);
  const work: PartitionWork = {
    fold,
    committed: start,
    outputs: new TickOutputs(codecs, partition),
    snapshots: new SnapshotSchedule(partition, log.partitions('frames'), options.fold.tickMs),
    framesAtSnapshot: 0,
    snapshotChunks: snapshot?.chunks ?? 0,
    frames: 0,
    tickMs: 0,
  };
  if (committed === null) return work;
  const from = snapshot?.frameOffset ?? 'earliest';
  for await (const batch of log.read({ topic: 'frames', partition, from, to: committed })) {
    for (const record of batch.records) {
      const frames = decodeFrames(codecs, record);
      if (frames !== null) fold.apply(frames, record.offset, null);
      stats.replayedRecords += 1;
    }
  }
  return work;
}

interface RestoredFold {
  readonly fold: PartitionFold;
  readonly frameOffset: number;
  readonly chunks: number;
}

/** The newest snapshot as a fold; null where there is none, or only one of another version: then all frames are replayed. */
async function usableSnapshot(
  { log, fold: foldOptions }: FoldWorkerOptions,
  partition: number,
  committed: number,
  stats: FoldWorkerStats,
): Promise<RestoredFold | null> {
  const snapshot = await latestSnapshot(log, partition, committed);
  if (snapshot === null) return null;
  const { bytes, frameOffset } = snapshot;
  try {
    return { fold: PartitionFold.restore(bytes, foldOptions), frameOffset, chunks: snapshotChunks(bytes.length) };
  } catch (error) {
    if (!(error instanceof SquitterError && error.code === 'snapshot.unreadable')) throw error;
    // Without the first frames a replay would not give what was emitted: better stop than write a wrong state.
    if ((await log.bounds('frames', partition)).earliest > 0) throw error;
    stats.unreadableSnapshots += 1;
    return null;
  }
}

/** The frames of a record; null where it cannot be read. */
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
    work.outputs.addTick(tick);
  });
}

async function commit(
  log: EventLog,
  work: PartitionWork,
  batch: RecordBatch,
  stats: FoldWorkerStats,
  withSnapshot: boolean,
): Promise<void> {
  const { partition, nextOffset } = batch;
  const outputs = work.outputs.take();
  if (withSnapshot) {
    const bytes = work.fold.snapshot();
    outputs.push({
      topic: 'snapshots',
      partition,
      records: snapshotRecords(partition, bytes, nextOffset, work.tickMs, work.snapshotChunks),
    });
    work.snapshotChunks = snapshotChunks(bytes.length);
    work.framesAtSnapshot = work.frames;
    work.snapshots.taken(work);
    stats.snapshots += 1;
  }
  await log.commit({ group: FOLD_GROUP, topic: 'frames', partition, fromOffset: work.committed, nextOffset, outputs });
  work.committed = nextOffset;
  stats.commits += 1;
}
