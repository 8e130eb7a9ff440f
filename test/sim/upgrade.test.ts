// A fold on a log that an older version wrote: it continues at the committed offset from the old state, stores the state from which it
// begins, and survives a crash on the way. An audit proves its output and lists what it cannot compare. The log of a newer version is
// refused.
import { afterEach, describe, expect, it } from 'vitest';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { latestSnapshot, newestName, snapshotRecords, versionName, versionStarts } from '../../pipeline/fold/snapshot-store.ts';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { type FoldWorker, startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { framePartition } from '../../pipeline/ingest/partition.ts';
import type { Commit } from '../../pipeline/log/event-log.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { PartitionPast } from '../../pipeline/past/partition-past.ts';
import { type Audit, audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { oldData, RULE_AIRCRAFT, VERSION_1_COMMITTED, VERSION_1_RECORDS, VERSION_1_TICK_MS } from '../support/version-1-data.ts';

const FOLD = { tickMs: TICK_MS, receiver: null };
const PARTITIONS = [0, 1];
/** The same aircraft continue from the second in which version 1 stopped. */
const frames = simulatedFrames(8, 185).filter(({ timeUs }) => timeUs > 125e6);
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function oldLog(version: 1 | 2 = 1): Promise<OpenData> {
  const folder = oldData(version);
  cleanups.push(folder.remove);
  const data = await openData(folder.path, 'write');
  cleanups.push(() => data.log.close());
  return data;
}

async function append({ log, codecs }: OpenData): Promise<void> {
  for (const partition of PARTITIONS) {
    const own = frames.filter(({ bytes }) => framePartition(bytes, 0, bytes.length === 7 ? 7 : 14, 2) === partition);
    await log.append('frames', partition, frameRecords(codecs, batches(own, 20)));
  }
}

const startWorker = ({ log, codecs }: OpenData): Promise<FoldWorker> => startFoldWorker({ log, codecs, fold: FOLD });

async function foldToEnd(data: OpenData): Promise<FoldWorker> {
  const worker = await startWorker(data);
  for (const partition of PARTITIONS) {
    const { next } = await data.log.bounds('frames', partition);
    while ((worker.stats.nextOffsets.get(partition) ?? 0) < next)
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), worker.member.done]);
  }
  await worker.member.leave();
  return worker;
}

const auditOf = ({ log, codecs }: OpenData): Promise<Audit> =>
  audit({ log, codecs, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal });

async function statesOf({ log, codecs }: OpenData, hex: string): Promise<AircraftState[]> {
  const states: AircraftState[] = [];
  for (const partition of PARTITIONS)
    for await (const { records } of log.read({ topic: 'aircraft', partition, from: 'earliest', to: 'end' }))
      for (const { key, value } of records) if (key === hex && value !== null) states.push(codecs.AircraftState.decode(value));
  return states;
}

async function positionsOf({ log, codecs }: OpenData): Promise<PositionRow[]> {
  const rows: PositionRow[] = [];
  for (const partition of PARTITIONS)
    for await (const { records } of log.read({ topic: 'positions', partition, from: 'earliest', to: 'end' }))
      for (const { value } of records) rows.push(...codecs.PositionBatch.decode(value!).rows);
  return rows;
}

/** The log, with commits that end as `outcome` decides, by their number from 0. */
function withCommits({ log, codecs }: OpenData, outcome: (number: number, commit: Commit) => 'done' | 'lost'): OpenData {
  let number = -1;
  const proxy = new Proxy(log, {
    get(target, name) {
      if (name === 'join') return (...args: Parameters<typeof log.join>) => target.join.apply(proxy, args);
      const value: unknown = Reflect.get(target, name);
      if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
      return async (commit: Commit) => {
        number += 1;
        if (outcome(number, commit) === 'lost') throw new Error('killed');
        await target.commit(commit);
      };
    },
  });
  return { log: proxy, codecs };
}

describe('a log of fold version 1', () => {
  it('continues at the committed offset from the old state, with the rules of this version', async () => {
    const data = await oldLog();
    expect((await statesOf(data, RULE_AIRCRAFT)).at(-1)).toMatchObject({ groundSpeedDeciKt: 2783 });
    const worker = await foldToEnd(data);
    expect(worker.stats).toMatchObject({ takeOvers: 2, unreadableSnapshots: 0 });
    // A snapshot of version 1 was used: the log was not replayed in full.
    expect(worker.stats.replayedRecords).toBeGreaterThan(0);
    expect(worker.stats.replayedRecords).toBeLessThan(VERSION_1_RECORDS);
    await append(data);
    await foldToEnd(data);
    expect((await foldToEnd(data)).stats.takeOvers).toBe(0);
    // Reported again at the first tick of this version, without new frames.
    const first = (await statesOf(data, RULE_AIRCRAFT)).find(({ tickMs }) => tickMs > VERSION_1_TICK_MS);
    expect(first).toMatchObject({ groundSpeedDeciKt: 3000, trackCentideg: 27_000, tickMs: VERSION_1_TICK_MS + 1000 });
  });

  it('is audited from the start of this version; the output of version 1 is counted and reported as not compared', async () => {
    const data = await oldLog();
    const before = await auditOf(data);
    expect(auditReport(before)).toMatch(
      /^audit: equal: 0 frames, 0 positions, 2 partitions; 498 frame records not compared: written by fold version 1, this is version \d+$/m,
    );
    expect(differencesOf(before)).toBe(0);
    await append(data);
    await foldToEnd(data);
    const result = await auditOf(data);
    expect(differencesOf(result), auditReport(result)).toBe(0);
    for (const partition of result.partitions) {
      expect(partition).toMatchObject({
        fromOffset: VERSION_1_COMMITTED,
        notCompared: { versions: [1], frameRecords: VERSION_1_COMMITTED },
      });
      expect(partition.frames).toBeGreaterThan(500);
      for (const topic of partition.topics) expect(Math.min(topic.expected, topic.others), topic.topic).toBeGreaterThan(40);
    }
    expect(auditReport(result)).toMatch(
      /^partition 1: frames before offset 249 not compared: written by fold version 1 \(249 frame records; 123 of positions, \d+ of aircraft, 124 of progress\)$/m,
    );
  });

  it('gives moments of this version, and says of those before which version gave them; an audit begins at its first snapshot', async () => {
    const data = await oldLog();
    await append(data);
    const untouched = new PartitionPast(data.log, data.codecs, 0).at(VERSION_1_TICK_MS - 5000);
    await expect(untouched).rejects.toMatchObject({ code: 'api.moment_of_other_version', details: { found: 1, own: FOLD_VERSION } });
    await foldToEnd(data);
    for (const partition of PARTITIONS) {
      const past = new PartitionPast(data.log, data.codecs, partition);
      for (const atMs of [VERSION_1_TICK_MS - 60_000, VERSION_1_TICK_MS - 1000])
        await expect(past.at(atMs)).rejects.toMatchObject({
          code: 'api.moment_of_other_version',
          details: { found: 1, own: FOLD_VERSION },
        });
      const { tickMs, ends } = await past.at(VERSION_1_TICK_MS + 40_000);
      expect([tickMs, ends.length > 0]).toEqual([VERSION_1_TICK_MS + 40_000, true]);
    }
    const from = (fromMs: number): Promise<Audit> =>
      audit({ ...data, fold: FOLD, fromMs, onProgress: () => {}, signal: new AbortController().signal });
    // Of the stretch before, it counts what it cannot compare; behind it, it compares from a snapshot on.
    for (const [fromMs, fromVersion] of [
      [VERSION_1_TICK_MS - 60_000, [1]],
      [VERSION_1_TICK_MS + 50_000, undefined],
    ] as const) {
      const result = await from(fromMs);
      expect(differencesOf(result), auditReport(result)).toBe(0);
      expect(result.partitions.map(({ notCompared }) => notCompared?.versions)).toEqual([fromVersion, fromVersion]);
      expect(result.partitions.every(({ frames }) => frames > 0)).toBe(true);
    }
  });

  it('differs in an audit when the output of this version is wrong', async () => {
    const data = await oldLog();
    await append(data);
    await foldToEnd(data);
    const { log } = data;
    const { next } = await log.bounds('positions', 0);
    for await (const { records } of log.read({ topic: 'positions', partition: 0, from: next - 1, to: 'end' })) {
      const { key, value, timestampMs } = records[0]!;
      await log.append('positions', 0, [{ key, value: Buffer.from(value!), timestampMs }]);
    }
    expect(differencesOf(await auditOf(data))).toBe(1);
  });

  it('gives the same records whenever the new fold dies', async () => {
    const whole = await oldLog();
    await append(whole);
    await foldToEnd(whole);
    const expected = (await auditOf(whole)).partitions.map(({ topics }) => topics.map(({ storedSha256 }) => storedSha256));
    // Before the initial state is stored, between the two partitions, before the first records, and between those of the partitions.
    for (const died of [0, 1, 2, 3]) {
      const data = await oldLog();
      await append(data);
      const mortal = withCommits(data, (number) => (number < died ? 'done' : 'lost'));
      await expect((await startWorker(mortal)).member.done).rejects.toThrow('killed');
      await foldToEnd(data);
      const result = await auditOf(data);
      expect(differencesOf(result), auditReport(result)).toBe(0);
      expect(
        result.partitions.map(({ topics }) => topics.map(({ storedSha256 }) => storedSha256)),
        `died at commit ${died}`,
      ).toEqual(expected);
    }
  });

  it('stores the state once, through any number of newer snapshots, and drops it when its frames and those after it are gone', async () => {
    const data = await oldLog();
    const { log } = data;
    await append(data);
    await foldToEnd(data);
    const begins = await versionStarts(log, 0);
    expect(begins.map(({ name, frameOffset }) => [name, frameOffset])).toEqual([[versionName(FOLD_VERSION, 0), VERSION_1_COMMITTED]]);
    await log.maintain(Date.now());
    expect((await versionStarts(log, 0)).map(({ name }) => name)).toEqual([versionName(FOLD_VERSION, 0)]);
  });
});

describe('a log of fold version 2', () => {
  it('continues with positions that have what version 2 did not know, and its positions are read without', async () => {
    const data = await oldLog(2);
    await append(data);
    expect((await foldToEnd(data)).stats).toMatchObject({ takeOvers: 2, unreadableSnapshots: 0 });
    const result = await auditOf(data);
    expect(differencesOf(result), auditReport(result)).toBe(0);
    for (const partition of result.partitions)
      expect(partition).toMatchObject({ fromOffset: VERSION_1_COMMITTED, notCompared: { versions: [2] } });
    const rows = await positionsOf(data);
    const identity = ({ callsign, squawk, rssiDeciDbfs }: PositionRow) => [callsign, squawk, rssiDeciDbfs];
    // Rows that waited for their tick when version 2 stopped have no values of these, too.
    const [before, since] = [true, false].map((old) => rows.filter(({ timeUs }) => timeUs < 1000 * VERSION_1_TICK_MS === old));
    expect(before!.length).toBeGreaterThan(100);
    expect(new Set(before!.flatMap(identity))).toEqual(new Set([null]));
    expect(since!.some(({ callsign, squawk }) => callsign !== null && squawk !== null)).toBe(true);
    // All frames were packed with half the full amplitude.
    expect(since!.at(-1)!.rssiDeciDbfs).toBe(-60);
  });
});

describe('a snapshot of an older version', () => {
  it.each([1, 2] as const)(
    '%i: call sign, squawk and selections, which lay elsewhere in its records, are those of its states',
    async (version) => {
      const data = await oldLog(version);
      const known = new Map<string, AircraftState>();
      const compared = new Set<string>();
      for (const partition of PARTITIONS) {
        const { bytes, tickMs } = (await latestSnapshot(data.log, partition, VERSION_1_COMMITTED))!;
        const fold = PartitionFold.restore(bytes, FOLD);
        for (const state of [...fold.slots()].map((slot) => fold.state(slot, tickMs))) known.set(state.hex, state);
      }
      for (const [hex, restored] of known) {
        const stored = (await statesOf(data, hex)).find(({ tickMs }) => tickMs >= restored.tickMs)!;
        for (const name of ['flight', 'squawk', 'navHeadingCentideg', 'navModes'] as const) {
          expect([hex, name, restored[name]]).toEqual([hex, name, stored[name]]);
          if (restored[name] !== null) compared.add(name);
        }
      }
      expect(compared.size).toBe(4);
    },
  );
});

describe('a log of a newer fold version', () => {
  const refused = { code: 'fold.newer_version' };

  it('is refused by its progress, by the fold and by an audit', async () => {
    const data = await oldLog();
    const { log, codecs } = data;
    await append(data);
    await foldToEnd(data);
    const { next } = await log.bounds('progress', 0);
    for await (const { records } of log.read({ topic: 'progress', partition: 0, from: next - 1, to: 'end' })) {
      const value = codecs.FoldProgress.encode({ ...codecs.FoldProgress.decode(records[0]!.value!), foldVersion: FOLD_VERSION + 1 });
      await log.append('progress', 0, [{ ...records[0]!, value }]);
    }
    await expect((await startWorker(data)).member.done).rejects.toMatchObject(refused);
    await expect(auditOf(data)).rejects.toMatchObject(refused);
  });

  it('is refused by its snapshot', async () => {
    const data = await oldLog();
    await foldToEnd(data);
    const [start] = await versionStarts(data.log, 0);
    const bytes = Buffer.from(start!.bytes);
    bytes.writeUInt32LE(FOLD_VERSION + 1, 8);
    await data.log.append('snapshots', 0, snapshotRecords({ ...start!, name: newestName(0), bytes }, 0));
    await expect((await startWorker(data)).member.done).rejects.toMatchObject(refused);
  });
});
