// Changes the number of partitions of a data folder: writes its frames into a new log, folds them again, copies what is not folded, and swaps the logs.
// Rows of the history store name partitions and offsets of the old log: those of the new one are greater. What the store has, the new log does not keep: it
// would be written twice.
import { existsSync } from 'node:fs';
import { parseFeederKey } from '../../../schemas/avro/feeder-record.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { hexKey } from '../../aircraft/hex-key.ts';
import { FLIGHTS_GROUP } from '../../flights/worker.ts';
import { latestSnapshot } from '../../fold/snapshot-store.ts';
import { addressPartition } from '../../ingest/partition.ts';
import { openCodecs } from '../../log/codec.ts';
import type { RecordBatch } from '../../log/event-log.ts';
import { BEGIN_GROUP } from '../../log/group-offset.ts';
import { type LmdbLog, openLmdbLog } from '../../log/lmdb/lmdb-log.ts';
import type { RetentionOverrides } from '../../log/lmdb/retention.ts';
import { partitionRowKey } from '../../log/lmdb/rows.ts';
import { partitionRow } from '../../log/lmdb/store.ts';
import { newDataDir, removeBeside, swapLogs } from '../../log/lmdb/swap.ts';
import { openLocalRegistry } from '../../log/local-registry.ts';
import { logPath, type OpenData, openData } from '../../log/open-data.ts';
import type { OutgoingRecord } from '../../log/record-block.ts';
import { planGroupOf, sinkGroup } from '../../project/sink.ts';
import { mebibytes } from '../../runtime/disk-space.ts';
import { programFile } from '../../runtime/package-root.ts';
import { CalledThread } from '../../runtime/thread-calls.ts';
import { historyFolder } from '../../store/address-file.ts';
import { copyFrames } from './copy-frames.ts';
import type { FoldThreadData, FoldUpTo } from './fold-thread.ts';

export interface ChangeOptions {
  readonly partitions: number;
  readonly threads: number;
  /** Called with the records folded, the records of the old log, and the frames folded. */
  readonly onProgress: (done: number, total: number, frames: number) => void;
  readonly signal: AbortSignal;
}

export interface Change {
  /** Partitions before. */
  readonly before: number;
  readonly frames: number;
  /** The positions and ended flights are in the history store alone. */
  readonly inHistory: boolean;
}

const threadFile = programFile('pipeline/tools/partitions/fold-thread');
const MAINTENANCE_MS = 200;
const STORED: readonly TopicId[] = ['positions', 'flightsEnded'];
const FOREVER = { ageMs: null, bytesMax: null };
/** Superseded states need not be kept: nothing follows them. */
const AIRCRAFT_BYTES_MAX = 64 * 1024 ** 2;

/** Null when the signal aborts it: the folder is as before. Errors: those of the log, `log.history_behind`, `log.no_space`. */
export async function changePartitions(dataDir: string, options: ChangeOptions): Promise<Change | null> {
  const path = logPath(dataDir);
  // A folder without a log stays without one.
  await (await openData(dataDir, 'read')).log.close();
  const old = await openData(dataDir, 'write');
  let isSwapped = false;
  try {
    const before = old.log.partitions('frames');
    const inHistory = existsSync(historyFolder(dataDir)) && (await isStored(old.log, historyFolder(dataDir)));
    if (before === options.partitions) return { before, frames: 0, inHistory };
    await checkSpace(old.log);
    const frames = await writeNew(old, newDataDir(path), inHistory, options);
    if (options.signal.aborted) return null;
    swapLogs(path);
    isSwapped = true;
    return { before, frames, inHistory };
  } finally {
    // Closed in order, it would write to its path, which is that of the new log after the swap.
    await (isSwapped ? old.log.store.root.close() : old.log.close());
    removeBeside(path);
  }
}

/** True if the history store has the positions and ended flights of the log. Error: `log.history_behind`. */
async function isStored(log: LmdbLog, folder: string): Promise<boolean> {
  let found = false;
  for (const topic of STORED)
    for (let partition = 0; partition < log.partitions(topic); partition += 1) {
      const committed = await log.committed(sinkGroup({ topic }), topic, partition);
      const { next } = await log.bounds(topic, partition);
      if (committed === null) continue;
      found = true;
      if (committed < next) throw new SquitterError('log.history_behind', { topic: topics[topic].name, records: next - committed, folder });
    }
  return found;
}

async function checkSpace(log: LmdbLog): Promise<void> {
  const { disk, usage } = await log.space();
  const bytes = Object.values(usage.topics).reduce((sum, topicBytes) => sum + topicBytes, usage.indexBytes);
  if (disk.freeBytes - disk.reserveBytes >= bytes) return;
  const detail = `${mebibytes(disk.freeBytes)} MiB are free; a second log beside it needs ${mebibytes(bytes)} MiB, and ${mebibytes(disk.reserveBytes)} MiB are kept in reserve`;
  throw new SquitterError('log.no_space', { path: log.store.path, detail });
}

/** Writes the new log whole. Returns the number of its frames. */
async function writeNew(
  old: OpenData,
  dataDir: string,
  inHistory: boolean,
  { partitions, threads, onProgress, signal }: ChangeOptions,
): Promise<number> {
  const clock = { us: 0 };
  // The service removes by its own limits. Records arrive at their event time.
  const retention: RetentionOverrides = {
    ...{ frames: FOREVER, snapshotsKept: FOREVER, flightsEnded: FOREVER, aircraft: { bytesMax: AIRCRAFT_BYTES_MAX } },
    positions: inHistory ? { ageMs: Number.NEGATIVE_INFINITY, bytesMax: null } : FOREVER,
  };
  const log = await openLmdbLog({
    ...{ path: logPath(dataDir), mode: 'write', framePartitionsIfNew: partitions, retention },
    ...{ maintenanceIntervalMs: MAINTENANCE_MS, now: () => clock.us / 1000 },
  });
  const folds: CalledThread<FoldUpTo, null>[] = [];
  try {
    // Values name their schema by its number.
    for (const { key, value } of old.log.store.schemas.getRange()) await log.store.schemas.put(key, value);
    await beginBehind(old.log, log);
    const next = { log, codecs: await openCodecs(openLocalRegistry(log)) };
    const receiver = (await latestSnapshot(old.log, 0))?.receiver ?? null;
    const counts = { read: 0, records: 0, total: await recordsIn(old.log) };
    const folded = new Map<number, number>();
    const frames = (): number => [...folded.values()].reduce((sum, each) => sum + each, 0);
    for (let index = 0; index < Math.min(threads, partitions); index += 1) {
      const data: FoldThreadData = { dataDir, share: { index, of: Math.min(threads, partitions) }, receiver };
      const onNote = (note: unknown): void => {
        folded.set(index, note as number);
        onProgress(counts.records * (frames() / Math.max(1, counts.read)), counts.total, frames());
      };
      folds.push(new CalledThread(`fold-${index}`, threadFile, data, onNote));
    }
    await Promise.all(folds.map((fold) => fold.call(null)));
    const onRecord = (count: number): void => {
      counts.read += count;
      counts.records += 1;
    };
    await copyFrames(old, next, { clock, onRecord, signal });
    if (signal.aborted) return 0;
    const ends = await Promise.all(numbers(partitions).map(async (partition) => (await log.bounds('frames', partition)).next));
    await Promise.all(folds.map((fold) => fold.call(ends)));
    await Promise.all(folds.map((fold) => fold.close()));
    await copyRest(old, next, inHistory);
    await log.maintain(Date.now(), true);
    if (inHistory) await beginHistory(log);
    return frames();
  } finally {
    await Promise.all(folds.map((fold) => fold.close()));
    await log.close();
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Frames and ended flights get greater offsets than in the old log. */
async function beginBehind(old: LmdbLog, log: LmdbLog): Promise<void> {
  const { store } = log;
  for (const topic of ['frames', 'flightsEnded'] as const) {
    const bounds = await Promise.all(numbers(old.partitions(topic)).map((partition) => old.bounds(topic, partition)));
    const begin = Math.max(...bounds.map(({ next }) => next));
    for (const partition of numbers(log.partitions(topic))) {
      await store.rows.put(
        partitionRowKey(topic, partition),
        { ...partitionRow(store, topic, partition), earliest: begin, next: begin },
        2,
      );
      await log.commit({ group: BEGIN_GROUP, topic, partition, fromOffset: begin, nextOffset: begin, outputs: [] });
    }
  }
}

async function recordsIn(log: LmdbLog): Promise<number> {
  const bounds = await Promise.all(numbers(log.partitions('frames')).map((partition) => log.bounds('frames', partition)));
  return bounds.reduce((sum, { earliest, next }) => sum + next - earliest, 0);
}

/** Copies what the fold does not write: feeders, flight plans and flights. */
async function copyRest(old: OpenData, { log, codecs }: OpenData, inHistory: boolean): Promise<void> {
  await eachBatch(old.log, 'feeders', ({ records }) =>
    // The fold has written the counts of its partitions.
    log.append(
      'feeders',
      0,
      records.filter(({ key }) => parseFeederKey(key ?? '')?.kind !== 'receiver'),
    ),
  );
  await eachBatch(old.log, 'flightplans', ({ records }) => log.append('flightplans', 0, records));
  const partitions = log.partitions('flights');
  const ends = await Promise.all(numbers(partitions).map(async (partition) => (await log.bounds('aircraft', partition)).next));
  const partitionOf = (key: string | null): number => addressPartition(hexKey(key ?? '') & 0xff_ffff, partitions);
  // They continue behind the newest state of their aircraft, whose record made the last of them.
  const moved = (topic: 'flights' | 'flightsEnded', value: Buffer, aircraftOffset: number): Buffer =>
    topic === 'flights'
      ? codecs.Flight.encode({ ...codecs.Flight.decode(value), aircraftOffset })
      : codecs.EndedFlight.encode({ ...codecs.EndedFlight.decode(value), aircraftOffset });
  for (const topic of inHistory ? (['flights'] as const) : (['flights', 'flightsEnded'] as const))
    await eachBatch(old.log, topic, async ({ records }) => {
      for (const partition of numbers(partitions)) {
        const end = ends[partition]!;
        const own = records.filter(({ key }) => partitionOf(key) === partition);
        const output: OutgoingRecord[] = own.map(({ key, value, timestampMs }) => ({
          ...{ key, timestampMs, value: value === null ? null : moved(topic, value as Buffer, end - 1) },
        }));
        if (output.length === 0) continue;
        const outputs = [{ topic, partition, records: output }];
        await log.commit({ group: FLIGHTS_GROUP, topic: 'aircraft', partition, fromOffset: end, nextOffset: end, outputs });
      }
    });
}

async function eachBatch(log: LmdbLog, topic: TopicId, use: (batch: RecordBatch) => Promise<unknown>): Promise<void> {
  for (const partition of numbers(log.partitions(topic)))
    for await (const batch of log.read({ topic, partition, from: 'earliest', to: 'end' })) await use(batch);
}

/** The sinks begin at the end of the log. */
async function beginHistory(log: LmdbLog): Promise<void> {
  for (const topic of STORED)
    for (const partition of numbers(log.partitions(topic))) {
      const { next: nextOffset } = await log.bounds(topic, partition);
      for (const group of [sinkGroup({ topic }), planGroupOf(sinkGroup({ topic }))])
        await log.commit({ group, topic, partition, fromOffset: nextOffset, nextOffset, outputs: [] });
    }
}
