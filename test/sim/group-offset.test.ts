// A group offset that is lost, reset manually or outdated: the fold continues where its outputs end, and every frame takes effect once.
import { afterEach, describe, expect, it } from 'vitest';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { FOLD_GROUP, type OffsetRecovery, startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { LmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { groupRowKey } from '../../pipeline/log/lmdb/rows.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { audit } from '../../pipeline/tools/audit/audit.ts';
import { differencesOf } from '../../pipeline/tools/audit/report.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { temporaryFolder } from '../support/service.ts';

const FOLD = { tickMs: TICK_MS, receiver: null };
/** Several records a second. */
const cut = batches(simulatedFrames(60, 20), 100);
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function emptyLog(): Promise<OpenData> {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const data = await openData(folder.path, 'write');
  cleanups.push(() => data.log.close());
  return data;
}

/** Folds to the end. `crash` ends without the commit and the snapshot of a revoked partition. */
async function fold({ log, codecs }: OpenData, how: 'leave' | 'crash' = 'leave'): Promise<OffsetRecovery[]> {
  const recoveries: OffsetRecovery[] = [];
  let crashed = false;
  let lostCommits = 0;
  const crashing = new Proxy(log, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'commit' && crashed)
        return () => {
          lostCommits += 1;
          return Promise.reject(new Error('crashed'));
        };
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { member, stats } = await startFoldWorker({ log: crashing, codecs, fold: FOLD, onRecovered: (it) => recoveries.push(it) });
  const { next } = await log.bounds('frames', 0);
  while (stats.partitions < 2 || (stats.nextOffsets.get(0) ?? 0) < next)
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), member.done]);
  crashed = how === 'crash';
  await member.leave();
  const end = await member.done.then(
    () => 'left',
    (error: Error) => error.message,
  );
  // Proof of the fault: a commit was lost.
  expect([end, lostCommits > 0]).toEqual(how === 'crash' ? ['crashed', true] : ['left', false]);
  expect(stats.offsetsRecovered).toEqual({ missing: 0, behind: 0, ahead: 0, ...countsOf(recoveries) });
  return recoveries;
}

function countsOf(recoveries: readonly OffsetRecovery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { problem } of recoveries) counts[problem] = (counts[problem] ?? 0) + 1;
  return counts;
}

const committedIn = ({ log }: OpenData): Promise<number | null> => log.committed(FOLD_GROUP, 'frames', 0);

async function moveGroupTo({ log }: OpenData, nextOffset: number | null): Promise<void> {
  if (nextOffset === null) await (log as LmdbLog).store.rows.remove(groupRowKey(FOLD_GROUP, 'frames', 0));
  else {
    const fromOffset = (await log.committed(FOLD_GROUP, 'frames', 0))!;
    await log.commit({ group: FOLD_GROUP, topic: 'frames', partition: 0, fromOffset, nextOffset, outputs: [] });
  }
}

async function differences({ log, codecs }: OpenData): Promise<number> {
  return differencesOf(await audit({ log, codecs, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal }));
}

describe.each(['leave', 'crash'] as const)('after a fold that ended with a %s', (how) => {
  async function folded(): Promise<{ data: OpenData; rest: OutgoingRecord[] }> {
    const data = await emptyLog();
    const records = frameRecords(data.codecs, cut);
    const poison = { key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: 1 };
    const half = Math.floor(records.length / 2);
    // The last tick is written; a dead letter after it is not.
    await data.log.append('frames', 0, [...records.slice(0, half), poison]);
    await fold(data, how);
    return { data, rest: records.slice(half) };
  }

  it.each([
    ['missing', 'deleted', () => null],
    ['behind', 'reset to the earliest frame', () => 0],
    ['behind', 'reset by a few records', (stood: number) => stood - 3],
    ['ahead', 'reset to the newest frame', (_: number, end: number) => end],
    ['ahead', 'beyond the newest frame', (_: number, end: number) => end + 1000],
  ] as const)('an offset that is %s (%s) is corrected, and the audit is equal', async (problem, _, resetTo) => {
    const { data, rest } = await folded();
    const stood = (await committedIn(data))!;
    await data.log.append('frames', 0, rest);
    const { next } = await data.log.bounds('frames', 0);
    const committed = resetTo(stood, next);
    await moveGroupTo(data, committed);
    expect(await fold(data)).toEqual([{ partition: 0, problem, committed, offset: stood }]);
    expect([await committedIn(data), await differences(data)]).toEqual([next, 0]);
  });

  it('a correct offset stays unchanged', async () => {
    const { data, rest } = await folded();
    await data.log.append('frames', 0, rest);
    expect(await fold(data)).toEqual([]);
    expect(await differences(data)).toBe(0);
  });
});

it('thousands of dead letters without a tick are written once, whatever happens to the group', async () => {
  const data = await emptyLog();
  const poison = Array.from({ length: 3500 }, () => ({ key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: 1 }));
  await data.log.append('frames', 0, frameRecords(data.codecs, cut).slice(0, 20));
  // Each append is a separate read.
  for (let from = 0; from < poison.length; from += 500) await data.log.append('frames', 0, poison.slice(from, from + 500));
  // They were committed without a tick, so nothing is left for the end.
  await fold(data);
  const stood = (await committedIn(data))!;
  expect(stood).toBeGreaterThan(20);
  await moveGroupTo(data, null);
  expect(await fold(data)).toEqual([{ partition: 0, problem: 'missing', committed: null, offset: stood }]);
  expect(await differences(data)).toBe(0);
});

it('nothing is folded when positions of frames after the newest tick exist', async () => {
  const data = await emptyLog();
  await data.log.append('frames', 0, frameRecords(data.codecs, cut));
  await fold(data, 'crash');
  await moveGroupTo(data, null);
  await data.log.append('progress', 0, [codecsTick(data, 3)]);
  await expect(fold(data)).rejects.toMatchObject({ code: 'log.offset_contradiction' });
});

function codecsTick({ codecs }: OpenData, frameOffset: number): OutgoingRecord {
  const none = {
    frames: 0,
    messages: 0,
    positions: 0,
    positionsDropped: 0,
    aircraft: 0,
    rejected: [],
    reaches: null,
    foldVersion: FOLD_VERSION,
  };
  return { key: '0', value: codecs.FoldProgress.encode({ partition: 0, tickMs: 0, frameOffset, ...none }), timestampMs: 1 };
}

it('an offset that an earlier version committed past the record of its tick is accepted', async () => {
  const data = await emptyLog();
  const records = frameRecords(data.codecs, cut);
  await data.log.append('frames', 0, records.slice(0, 30));
  await fold(data, 'crash');
  const stood = (await committedIn(data))!;
  expect(stood).toBeLessThan(30);
  await moveGroupTo(data, 30);
  await data.log.append('frames', 0, records.slice(30));
  expect(await fold(data)).toEqual([]);
  expect(await differences(data)).toBe(0);
});

it('outputs without frames, and positions without progress, are refused', async () => {
  const data = await emptyLog();
  await data.log.append('progress', 0, [codecsTick(data, 1000)]);
  await expect(fold(data)).rejects.toMatchObject({ code: 'log.offset_contradiction' });
  const other = await emptyLog();
  await other.log.append('frames', 0, frameRecords(other.codecs, cut.slice(0, 5)));
  const row = {
    hex: '4ca1fa',
    timeUs: 1,
    latitudeMicrodeg: 0,
    longitudeMicrodeg: 0,
    onGround: false,
    altitudeBaroFt: null,
    altitudeGeomFt: null,
    groundSpeedDeciKt: null,
    trackCentideg: null,
    baroRateFpm: null,
    source: 0,
    nic: 0,
    rcM: 0,
    frameOffset: 3,
    frameIndex: 0,
    ...{ callsign: null, squawk: null, rssiDeciDbfs: null },
  };
  await other.log.append('positions', 0, [
    { key: null, value: other.codecs.PositionBatch.encode({ tickMs: 0, rows: [row] }), timestampMs: 1 },
  ]);
  // The group offset is correct only until the next request.
  await other.log.commit({ group: FOLD_GROUP, topic: 'frames', partition: 0, fromOffset: 0, nextOffset: 4, outputs: [] });
  await expect(fold(other)).rejects.toMatchObject({ code: 'log.offset_contradiction' });
});
