// `squitter log partitions`: a new log with other partitions, folded again, takes the place of the old one; whatever fails or ends it, the folder is as before.
// Killed at any moment: test/e2e/data-folder.test.ts.
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { startFlightsWorker } from '../../pipeline/flights/worker.ts';
import { startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { Batcher } from '../../pipeline/ingest/batcher.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { addressPartition, frameAddress } from '../../pipeline/ingest/partition.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import { BEGIN_GROUP } from '../../pipeline/log/group-offset.ts';
import { logPath, type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { sinkGroup } from '../../pipeline/project/sink.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import { type ChangeOptions, changePartitions } from '../../pipeline/tools/change-partitions.ts';
import { framesOf } from '../../pipeline/tools/replay/log-frames.ts';
import { feederKey, feederRecord } from '../../schemas/avro/feeder-record.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { planOf } from '../support/flights.ts';
import { foldedAll, readToEnd } from '../support/folded-log.ts';
import { folderOfTest } from '../support/test-folder.ts';

const folder = folderOfTest();
const START_US = 1_790_000_000_000_000;
const FEEDER = '0123456789abcdef';
/** Receivers' locations are configured: each partition would learn them from its own aircraft. */
const FOLD = { tickMs: TICK_MS, receiver: { lat: 52.3, lon: 4.8 } };
const WHOLE = { sinceMs: null, untilMs: null };
const changed = (partitions: number, options: Partial<ChangeOptions> = {}) =>
  changePartitions(folder.path, { partitions, onProgress: () => {}, signal: new AbortController().signal, ...options });

async function withLog<Result>(use: (data: OpenData) => Promise<Result>, mode: 'read' | 'write' = 'read'): Promise<Result> {
  const data = await openData(folder.path, mode);
  try {
    return await use(data);
  } finally {
    await data.log.close();
  }
}

/** Simulated traffic in records of 50 ms, as those of a live ingest. */
async function appendTraffic({ log, codecs }: OpenData, seconds: number): Promise<void> {
  let nowUs = START_US;
  const receivers = new ReceiverTable();
  const batcher = new Batcher({
    ...{ partitions: log.partitions('frames'), receivers, counters: new Counters(), nowUs: () => nowUs },
    append: (partition, batches) => log.append('frames', partition, frameRecords(codecs, batches)),
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const traffic = createTraffic({ aircraft: 60, seed: 4, startUs: START_US });
  const numbers = traffic.receivers.map((_, i) => receivers.acquire(`receiver-${i}`));
  while (nowUs < START_US + seconds * 1_000_000) {
    nowUs += 10_000;
    traffic.advance(nowUs, (frame) => batcher.add({ ...frame, receiver: numbers[frame.receiver]! }));
    batcher.tick(nowUs);
    while (batcher.backlogBytes > 0) await nextTurn();
  }
  await batcher.drain();
}

/** Two partitions of simulated traffic, folded, with flights; a claim and a filed plan. */
async function fill(data: OpenData): Promise<void> {
  const { log, codecs } = data;
  await appendTraffic(data, 40);
  const plan = codecs.FlightPlan.encode(planOf('KLM1', 'EHAM', 'LOWW'));
  await log.append('flightplans', 0, [{ key: 'KLM1', value: plan, timestampMs: START_US / 1000 }]);
  const claim = codecs.FeederRecord.encode(feederRecord({ claim: { name: 'roof', showRange: true, claimedAtMs: 1 } }));
  await log.append('feeders', 0, [{ key: feederKey('claim', FEEDER), value: claim, timestampMs: START_US / 1000 }]);
  const fold = await startFoldWorker({ log, codecs, fold: FOLD });
  await foldedAll(log, fold);
  await fold.member.leave();
  const { reference, close } = await openReference({ folder: null, clock: () => 0 });
  const flights = await startFlightsWorker({ log, codecs, reference, airports: new FlightAirports(reference) });
  await readToEnd(log, 'aircraft', flights);
  await flights.stop();
  await close();
}

async function valuesOf<Value>({ log }: OpenData, topic: TopicId, read: (value: Buffer, partition: number) => Value): Promise<Value[]> {
  const values: Value[] = [];
  for (let partition = 0; partition < log.partitions(topic); partition += 1)
    for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
      for (const { value } of records) if (value !== null) values.push(read(value as Buffer, partition));
  return values;
}

/** The frames of each address in order, with their times and receivers. */
async function framesByAddress(data: OpenData): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = new Map<number, string[]>();
  await valuesOf(data, 'frames', (value, partition) => {
    for (const [frame, receiver] of framesOf(data.codecs.FrameBatch.decode(value), WHOLE, (id) => id)) {
      const { bytes, at, byteLength, timeUs, signal, counter } = frame;
      const address = frameAddress(bytes, at, byteLength);
      expect(addressPartition(address, data.log.partitions('frames'))).toBe(partition);
      const text = `${timeUs} ${receiver} ${signal} ${counter} ${Buffer.from(bytes.subarray(at, at + byteLength)).toString('hex')}`;
      found.set(address, [...(found.get(address) ?? []), text]);
    }
  });
  return found;
}

/** All positions, without the places of their frames in the log. */
const positions = async (data: OpenData): Promise<readonly string[]> => {
  const batches = await valuesOf(data, 'positions', (value) => data.codecs.PositionBatch.decode(value));
  const texts = batches.flatMap(({ tickMs, rows }) => rows.map((row) => JSON.stringify({ tickMs, ...row, frameOffset: 0, frameIndex: 0 })));
  return texts.sort();
};

async function expectAudited(data: OpenData): Promise<void> {
  const result = await audit({ ...data, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal });
  expect(differencesOf(result), auditReport(result)).toBe(0);
}

describe('a folder with another number of partitions', () => {
  beforeEach(() => withLog(fill, 'write'));

  it('has the same frames in order, positions, flights, claims and plans; and a change back gives the same again', async () => {
    const state = (data: OpenData) =>
      Promise.all([
        framesByAddress(data),
        positions(data),
        valuesOf(data, 'flights', (value) => data.codecs.Flight.decode(value)),
        valuesOf(data, 'flightplans', (value) => data.codecs.FlightPlan.decode(value).callsign),
        valuesOf(data, 'feeders', (value) => data.codecs.FeederRecord.decode(value).claim?.name ?? ''),
      ]);
    const before = await withLog(state);
    for (const partitions of [3, 2]) {
      const progress: number[] = [];
      const onProgress = (done: number, total: number): void => void progress.push(done / total);
      const change = await changed(partitions, { onProgress });
      expect(change).toEqual({ before: 5 - partitions, frames: [...before[0].values()].flat().length });
      expect(progress.at(-1)).toBe(1);
      expect(readdirSync(folder.path)).toEqual(['log']);
      await withLog(async (data) => {
        const [frames, found, flights, plans, claims] = await state(data);
        expect(data.log.partitions('frames')).toBe(partitions);
        expect(found).toEqual(before[1]);
        expect([...frames].sort()).toEqual([...before[0]].sort());
        expect([plans, claims.filter(Boolean)]).toEqual([[...new Set(before[3])], ['roof']]);
        await expectAudited(data);
        // The newest flight of each aircraft, in its partition.
        const newest = new Map(before[2].map((flight) => [flight.hex, flight]));
        const moved = new Map(flights.map((flight) => [flight.hex, flight]));
        expect([...moved.keys()].sort()).toEqual([...newest.keys()].sort());
        for (const [hex, flight] of moved) {
          const partition = addressPartition(hexKey(hex) & 0xff_ffff, partitions);
          const { next } = await data.log.bounds('aircraft', partition);
          expect(flight).toEqual({ ...newest.get(hex), aircraftOffset: next - 1 });
          expect(await data.log.committed('flights', 'aircraft', partition)).toBe(next);
        }
      });
    }
  });

  it('gives frames greater offsets than any before: rows of the history name them', async () => {
    const end = await withLog(async ({ log }) => Math.max((await log.bounds('frames', 0)).next, (await log.bounds('frames', 1)).next));
    await changed(3);
    await withLog(async ({ log }) => {
      for (const partition of [0, 1, 2]) {
        expect((await log.bounds('frames', partition)).earliest).toBe(end);
        expect(await log.committed(BEGIN_GROUP, 'frames', partition)).toBe(end);
      }
    });
  });

  it('lets the history begin behind what it has, and refuses while it lacks some', async () => {
    mkdirSync(join(folder.path, 'history'));
    const commitTo = (ahead: number) =>
      withLog(async ({ log }) => {
        for (const partition of [0, 1]) {
          const { next } = await log.bounds('positions', partition);
          const group = sinkGroup({ topic: 'positions' });
          const fromOffset = (await log.committed(group, 'positions', partition)) ?? 0;
          await log.commit({ group, topic: 'positions', partition, fromOffset, nextOffset: next - ahead, outputs: [] });
        }
      }, 'write');
    await commitTo(2);
    await expect(changed(3)).rejects.toMatchObject({ code: 'log.history_behind', details: { records: 2 } });
    await commitTo(0);
    await changed(3);
    await withLog(async (data) => {
      for (const partition of [0, 1, 2]) {
        const { next } = await data.log.bounds('positions', partition);
        for (const group of [BEGIN_GROUP, 'history.positions', 'history.positions.plan'])
          expect([group, await data.log.committed(group, 'positions', partition)]).toEqual([group, next]);
      }
      await expectAudited(data);
    });
  });

  it('is as before when the change is ended, and needs none for the number that it has', async () => {
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    expect(await changed(3, { signal: stop.signal, onProgress })).toBeNull();
    expect(readdirSync(folder.path)).toEqual(['log']);
    expect(await changed(2)).toMatchObject({ before: 2, frames: 0 });
    await withLog(expectAudited);
  });

  it('has a log at every step of the swap, and what an ended process left is removed', async () => {
    const path = logPath(folder.path);
    const beside = `${path}.new`;
    // A new log that is not complete.
    mkdirSync(join(beside, 'log'), { recursive: true });
    await withLog(async ({ log }) => expect(log.partitions('frames')).toBe(2), 'write');
    expect(existsSync(beside)).toBe(false);
    // The old one is moved away, the new one is not in its place yet.
    mkdirSync(beside);
    renameSync(path, join(beside, 'log'));
    mkdirSync(join(beside, 'before'));
    await withLog(expectAudited, 'write');
    expect(readdirSync(folder.path)).toEqual(['log']);
  });
});

it('a folder without a log stays without one', async () => {
  await expect(changed(3)).rejects.toMatchObject({ code: 'log.not_found' });
  expect(readdirSync(folder.path)).toEqual([]);
});
