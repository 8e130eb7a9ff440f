// Changes the number of partitions of a data folder: its frames are written into a new log and folded again, what is not folded is copied, and the new log
// takes the place of the old one. The history store has the positions and ended flights of before: its sinks begin behind them.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseFeederKey } from '../../schemas/avro/feeder-record.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { PACKED_FRAME_BYTES, packFrame, viewOf } from '../../schemas/packed-frame.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import { FLIGHTS_GROUP } from '../flights/worker.ts';
import { latestSnapshot } from '../fold/snapshot-store.ts';
import { decodeFrames, startFoldWorker, TICK_MS } from '../fold/worker.ts';
import { frameRecords } from '../ingest/frame-records.ts';
import { addressPartition, framePartition } from '../ingest/partition.ts';
import { openCodecs, type TopicCodec } from '../log/codec.ts';
import type { RecordBatch } from '../log/event-log.ts';
import { BEGIN_GROUP, moveGroup } from '../log/group-offset.ts';
import { type LmdbLog, openLmdbLog } from '../log/lmdb/lmdb-log.ts';
import { partitionRowKey } from '../log/lmdb/rows.ts';
import { partitionRow } from '../log/lmdb/store.ts';
import { newDataDir, removeBeside, swapLogs } from '../log/lmdb/swap.ts';
import { openLocalRegistry } from '../log/local-registry.ts';
import { logPath, type OpenData, openData } from '../log/open-data.ts';
import { planGroupOf, sinkGroup } from '../project/sink.ts';
import { mebibytes } from '../runtime/disk-space.ts';
import { historyFolder } from '../store/address-file.ts';
import { readMerged } from './partition-merge.ts';
import { framesOf, WHOLE } from './replay/log-frames.ts';

export interface ChangeOptions {
  readonly partitions: number;
  /** Called with the frame records folded, their total, and the frames. */
  readonly onProgress: (done: number, total: number, frames: number) => void;
  readonly signal: AbortSignal;
}

/** Topics that the history store has. */
const STORED = ['positions', 'flightsEnded'] as const;
/** The service removes by its own limits. Nothing follows the states, so superseded ones go. */
const FOREVER = { ageMs: null, bytesMax: null };
const RETENTION = {
  frames: FOREVER,
  positions: FOREVER,
  snapshotsKept: FOREVER,
  flightsEnded: FOREVER,
  aircraft: { bytesMax: 64 * 1024 ** 2 },
};
const MAINTENANCE_MS = 200;
const POLL_MS = 5;
const SECOND_US = 1_000_000;

/** Returns the number of partitions before, and of frames; null if the signal aborts it. Errors: those of the log, `log.history_behind`, `log.no_space`. */
export async function changePartitions(
  dataDir: string,
  options: ChangeOptions,
): Promise<{ readonly before: number; readonly frames: number } | null> {
  const path = logPath(dataDir);
  // A folder without a log stays without one.
  await (await openData(dataDir, 'read')).log.close();
  const old = await openData(dataDir, 'write');
  let isSwapped = false;
  try {
    const before = old.log.partitions('frames');
    if (before === options.partitions) return { before, frames: 0 };
    const hasHistory = existsSync(historyFolder(dataDir)) && (await isStored(old.log, historyFolder(dataDir)));
    await checkSpace(old.log);
    const frames = await writeNew(old, newDataDir(path), hasHistory, options);
    if (options.signal.aborted) return null;
    swapLogs(path);
    isSwapped = true;
    return { before, frames };
  } finally {
    // A close in order would write to its path, where the new log is.
    await (isSwapped ? old.log.store.root.close() : old.log.close());
    removeBeside(path);
  }
}

/** True if the history has the log's records. Error: `log.history_behind` if it lacks some, which the new log would not give it. */
async function isStored(log: LmdbLog, folder: string): Promise<boolean> {
  let isFound = false;
  for (const topic of STORED)
    for (const [partition, end] of (await endsOf(log, topic)).entries()) {
      const committed = await log.committed(sinkGroup({ topic }), topic, partition);
      isFound ||= committed !== null;
      const records = end - (committed ?? end);
      if (records > 0) throw new SquitterError('log.history_behind', { topic: topics[topic].name, records, folder });
    }
  return isFound;
}

async function checkSpace(log: LmdbLog): Promise<void> {
  const { disk, usage } = await log.space();
  const bytes = Object.values(usage.topics).reduce((sum, topicBytes) => sum + topicBytes, usage.indexBytes + disk.reserveBytes);
  if (disk.freeBytes >= bytes) return;
  const detail = `a second log beside it needs ${mebibytes(bytes)} MiB, and ${mebibytes(disk.freeBytes)} MiB are free`;
  throw new SquitterError('log.no_space', { path: log.store.path, detail });
}

const partitionsOf = (log: LmdbLog, topic: TopicId): number[] => Array.from({ length: log.partitions(topic) }, (_, partition) => partition);

async function endsOf(log: LmdbLog, topic: TopicId): Promise<number[]> {
  return Promise.all(partitionsOf(log, topic).map(async (partition) => (await log.bounds(topic, partition)).next));
}

/** Writes the new log whole. Returns the number of its frames. */
async function writeNew(old: OpenData, dataDir: string, hasHistory: boolean, options: ChangeOptions): Promise<number> {
  const { partitions: framePartitionsIfNew } = options;
  const how = { mode: 'write', framePartitionsIfNew, retention: RETENTION, maintenanceIntervalMs: MAINTENANCE_MS } as const;
  const log = await openLmdbLog({ ...how, path: logPath(dataDir) });
  try {
    // Values name their schema by its number.
    for (const { key, value } of old.log.store.schemas.getRange()) await log.store.schemas.put(key, value);
    const next = { log, codecs: await openCodecs(openLocalRegistry(log)) };
    // Rows of the history name offsets of frames and ended flights: those of the new log are greater.
    for (const topic of ['frames', 'flightsEnded'] as const) {
      const begin = Math.max(...(await endsOf(old.log, topic)));
      for (const partition of partitionsOf(log, topic)) {
        const row = { ...partitionRow(log.store, topic, partition), earliest: begin, next: begin };
        await log.store.rows.put(partitionRowKey(topic, partition), row, 2);
        await moveGroup({ log, group: BEGIN_GROUP, topic, partition, committed: null }, begin);
      }
    }
    const frames = await foldFrames(old, next, options);
    if (options.signal.aborted) return 0;
    await copyRest(old, next);
    await log.maintain(Date.now(), true);
    for (const topic of hasHistory ? STORED : [])
      for (const group of [BEGIN_GROUP, sinkGroup({ topic }), planGroupOf(sinkGroup({ topic }))])
        for (const [partition, end] of (await endsOf(log, topic)).entries())
          await moveGroup({ log, group, topic, partition, committed: await log.committed(group, topic, partition) }, end);
    return frames;
  } finally {
    await log.close();
  }
}

/** Writes the frames second by second, and folds them. Records that cannot be read are left out. Returns the number of frames. */
async function foldFrames(old: OpenData, { log, codecs }: OpenData, { onProgress, signal }: ChangeOptions): Promise<number> {
  const receiver = (await latestSnapshot(old.log, 0))?.receiver ?? null;
  const { member, stats, counts } = await startFoldWorker({ log, codecs, fold: { tickMs: TICK_MS, receiver } });
  const bounds = await Promise.all(partitionsOf(old.log, 'frames').map((partition) => old.log.bounds('frames', partition)));
  const total = bounds.reduce((sum, { earliest, next }) => sum + next - earliest, 0);
  const partitions = partitionsOf(log, 'frames');
  let done = 0;
  let waiting: Part[] = [];
  const foldBefore = async (second: number): Promise<void> => {
    const ready = waiting.filter((part) => part.second < second).sort((a, b) => a.second - b.second);
    waiting = waiting.filter((part) => part.second >= second);
    const batchesOf = (partition: number): Part[] => ready.filter((part) => part.partition === partition);
    const appends = partitions.map((partition) => log.append('frames', partition, frameRecords(codecs, batchesOf(partition))));
    const ends = await Promise.all(appends);
    const isBehind = (partition: number): boolean => (stats.nextOffsets.get(partition) ?? 0) <= ends[partition]!;
    while (partitions.some(isBehind)) await Promise.race([sleep(POLL_MS), member.done]);
    onProgress(done, total, counts().frames);
  };
  const from = async (partition: number): Promise<number> => bounds[partition]!.earliest;
  const to = async (partition: number): Promise<number> => bounds[partition]!.next;
  for await (const record of readMerged(old.log, { topic: 'frames', from, to, signal })) {
    done += 1;
    const batch = decodeFrames(old.codecs, record);
    if (batch === null) continue;
    // Records come by their earliest frame: later ones have none of the seconds before.
    const second = secondOf(batch.baseTimeUs);
    if (waiting.length >= limits.changePartsMax && waiting[0]!.second < second) await foldBefore(second);
    waiting.push(...split(batch, partitions.length));
  }
  // All partitions close the same ticks.
  const end = waiting.reduce((last, { second }) => Math.max(last, second), 0);
  waiting.push(...split({ baseTimeUs: end * SECOND_US, receivers: [], count: 0, frames: new Uint8Array(0) }, partitions.length));
  await foldBefore(Number.POSITIVE_INFINITY);
  await member.leave();
  await member.done;
  return counts().frames;
}

const secondOf = (timeUs: number): number => Math.floor(timeUs / SECOND_US);

/** The frames of a record in one partition and second, in their order. */
interface Part extends FrameBatch {
  readonly second: number;
  readonly partition: number;
}

/** A partition without frames of the record gets an empty part: event time is the same in all. */
function split(batch: FrameBatch, partitions: number): Part[] {
  const parts = new Map<number, Part & { readonly numbers: Map<string, number>; readonly view: DataView }>();
  const partOf = (second: number, partition: number) => {
    const key = second * partitions + partition;
    let part = parts.get(key);
    if (part === undefined) {
      const frames = new Uint8Array(batch.frames.length);
      const baseTimeUs = Math.max(batch.baseTimeUs, second * SECOND_US);
      part = { second, partition, baseTimeUs, receivers: [], count: 0, frames, numbers: new Map(), view: viewOf(frames) };
      parts.set(key, part);
    }
    return part;
  };
  for (let partition = 0; partition < partitions; partition += 1) partOf(secondOf(batch.baseTimeUs), partition);
  for (const [frame, receiver] of framesOf(batch, WHOLE, (id) => id)) {
    const part = partOf(secondOf(frame.timeUs), framePartition(frame.bytes, frame.at, frame.byteLength, partitions));
    frame.receiver = part.numbers.get(receiver) ?? part.receivers.push(receiver) - 1;
    part.numbers.set(receiver, frame.receiver);
    packFrame(part.view, part.count * PACKED_FRAME_BYTES, part.baseTimeUs, frame);
    part.count += 1;
  }
  return [...parts.values()].map((part) => ({ ...part, frames: part.frames.slice(0, part.count * PACKED_FRAME_BYTES) }));
}

/** Copies what the fold does not write: feeders, flight plans and flights. */
async function copyRest(old: OpenData, { log, codecs }: OpenData): Promise<void> {
  await eachBatch(old.log, 'feeders', ({ records }) =>
    // The fold has written the counts of its partitions.
    log.append(
      'feeders',
      0,
      records.filter(({ key }) => parseFeederKey(key ?? '')?.kind !== 'receiver'),
    ),
  );
  await eachBatch(old.log, 'flightplans', ({ records }) => log.append('flightplans', 0, records));
  const ends = await endsOf(log, 'aircraft');
  for (const topic of ['flights', 'flightsEnded'] as const) {
    const codec = (topic === 'flights' ? codecs.Flight : codecs.EndedFlight) as TopicCodec<Pick<Flight, 'aircraftOffset'>>;
    await eachBatch(old.log, topic, ({ records }) =>
      Promise.all(
        records.map(({ key, value, timestampMs }) => {
          const partition = addressPartition(hexKey(key ?? '') & 0xff_ffff, ends.length);
          const end = ends[partition]!;
          // The flights stage continues behind the newest state, as if that had made the record.
          const moved = value === null ? null : codec.encode({ ...codec.decode(value), aircraftOffset: end - 1 });
          const outputs = [{ topic, partition, records: [{ key, value: moved, timestampMs }] }];
          return log.commit({ group: FLIGHTS_GROUP, topic: 'aircraft', partition, fromOffset: end, nextOffset: end, outputs });
        }),
      ),
    );
  }
}

async function eachBatch(log: LmdbLog, topic: TopicId, use: (batch: RecordBatch) => Promise<unknown>): Promise<void> {
  for (const partition of partitionsOf(log, topic))
    for await (const batch of log.read({ topic, partition, from: 'earliest', to: 'end' })) await use(batch);
}
