// Take-over of a partition that another version wrote. The fold continues from the old state at the committed offset, and keeps the state
// with which it begins under its own name: an audit starts there to check what this version wrote.
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog, Output } from '../log/event-log.ts';
import { newestRecord } from '../log/group-offset.ts';
import type { FoldOptions, PartitionFold } from './partition-fold.ts';
import { newestName, snapshotRecords, tombstones, versionName, versionStarts } from './snapshot-store.ts';
import { checkedVersion, FOLD_VERSION } from './version.ts';

/** The newest progress record of a partition; null when it has none. Errors: `fold.newer_version`, `log.older_format`. */
export async function newestProgress(log: EventLog, codecs: Codecs, partition: number): Promise<FoldProgress | null> {
  const value = (await newestRecord(log, 'progress', partition))?.value ?? null;
  const progress = value && codecs.FoldProgress.decode(value);
  if (progress !== null) checkedVersion(progress.foldVersion);
  return progress;
}

/**
 * Turns a restored fold into one of this version. Returns what to commit before its first frame, at an unchanged offset: the state with which it
 * begins. `gone`: aircraft removed during the silent replay, which the other version may have emitted. Starting states of versions whose frames
 * are all deleted are dropped.
 */
export async function takeOver(
  log: EventLog,
  partition: number,
  fold: PartitionFold,
  { receiver }: FoldOptions,
  { versionBefore, frameOffset, gone }: { versionBefore: number; frameOffset: number; gone: readonly string[] },
): Promise<Output[]> {
  const tickMs = fold.emitAllNext();
  const name = versionName(FOLD_VERSION, partition);
  const starts = await versionStarts(log, partition);
  const { earliest } = await log.bounds('frames', partition);
  const others = starts.filter((start) => start.name !== name);
  const ended = others.filter((_, i) => (others[i + 1]?.frameOffset ?? frameOffset) <= earliest);
  const head = { frameOffset, tickMs, version: FOLD_VERSION, versionBefore, receiver };
  const state = fold.snapshot();
  const start = snapshotRecords(name, head, state);
  const old = starts.find((other) => other.name === name);
  const dropped = [
    ...tombstones(name, start.length, old?.chunks ?? 0, tickMs),
    ...ended.flatMap((other) => tombstones(other.name, 0, other.chunks, tickMs)),
  ];
  const forgotten = gone.map((key) => ({ key, value: null, timestampMs: tickMs }));
  return [
    ...(forgotten.length > 0 ? [{ topic: 'aircraft', partition, records: forgotten } as const] : []),
    { topic: 'snapshots', partition, records: [...start, ...dropped] },
    // Moments from here on are folded by this version.
    { topic: 'snapshotsKept', partition, records: snapshotRecords(newestName(partition), head, state) },
  ];
}
