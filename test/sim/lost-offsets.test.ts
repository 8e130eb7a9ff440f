// Lost offsets and frames: a group offset is missing, reset or outdated, or retention has deleted frames before they were folded (a power cut, followed by a
// stop longer than the retention). The fold continues where its outputs end, reports a gap once, and no frame takes effect twice.
import { expect, it } from 'vitest';
import { FOLD_GROUP, FOLD_VERSION } from '../../pipeline/fold/version.ts';
import type { FoldWorkerOptions } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { OffsetRecovery } from '../../pipeline/log/group-offset.ts';
import type { LmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { groupRowKey } from '../../pipeline/log/lmdb/rows.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { topics } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { auditOf, emptyLog, expectEqual, foldToEnd } from '../support/folded-log.ts';

type Gap = Parameters<NonNullable<FoldWorkerOptions['onGap']>>[0];

/** Several records a second. */
const cut = batches(simulatedFrames(60, 20), 100);
const unreadable = { key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: 1 };

const committedIn = ({ log }: OpenData): Promise<number | null> => log.committed(FOLD_GROUP, 'frames', 0);

const moveGroupTo = async (data: OpenData, nextOffset: number): Promise<void> =>
  data.log.commit({ group: FOLD_GROUP, topic: 'frames', partition: 0, fromOffset: (await committedIn(data))!, nextOffset, outputs: [] });

/** Folds to the end; returns what was corrected. */
async function recoveries(data: OpenData): Promise<OffsetRecovery[]> {
  const found: OffsetRecovery[] = [];
  const { offsetsRecovered } = await foldToEnd(data, { onRecovered: (recovery) => found.push(recovery) });
  for (const problem of ['missing', 'behind', 'ahead'] as const)
    expect(offsetsRecovered[problem]).toBe(found.filter((recovery) => recovery.problem === problem).length);
  return found;
}

/** The last tick is written; a dead letter after it is written by a fold that leaves, and not by one that crashes. */
async function folded(crash: boolean): Promise<{ data: OpenData; later: OutgoingRecord[] }> {
  const data = await emptyLog();
  const records = frameRecords(data.codecs, cut);
  const half = Math.floor(records.length / 2);
  await data.log.append('frames', 0, [...records.slice(0, half), unreadable]);
  await foldToEnd(data, { crash });
  return { data, later: records.slice(half) };
}

it.each([
  ['behind', 'reset to the earliest frame', false, () => 0],
  ['behind', 'reset to the earliest frame after a crash', true, () => 0],
  ['behind', 'reset by a few records after a crash', true, (stood: number) => stood - 3],
  ['ahead', 'reset to the newest frame after a crash', true, (_: number, end: number) => end],
  ['ahead', 'beyond the newest frame', false, (_: number, end: number) => end + 1000],
] as const)('an offset that is %s (%s) is corrected, and the audit is equal', async (problem, _, crash, resetTo) => {
  const { data, later } = await folded(crash);
  const stood = (await committedIn(data))!;
  await data.log.append('frames', 0, later);
  const { next } = await data.log.bounds('frames', 0);
  const committed = resetTo(stood, next);
  await moveGroupTo(data, committed);
  expect(await recoveries(data)).toEqual([{ partition: 0, problem, committed, offset: stood }]);
  expect(await committedIn(data)).toBe(next);
  expectEqual(await auditOf(data));
  // A correct offset stays unchanged.
  expect(await recoveries(data)).toEqual([]);
});

it('a group that is forgotten is found again, also behind thousands of dead letters without a tick, which are written once', async () => {
  const data = await emptyLog();
  await data.log.append('frames', 0, frameRecords(data.codecs, cut).slice(0, 20));
  // Each append is a separate read.
  for (let append = 0; append < 7; append += 1)
    await data.log.append(
      'frames',
      0,
      Array.from({ length: 500 }, () => unreadable),
    );
  await foldToEnd(data);
  const stood = (await committedIn(data))!;
  expect(stood).toBeGreaterThan(20);
  await (data.log as LmdbLog).store.rows.remove(groupRowKey(FOLD_GROUP, 'frames', 0));
  expect(await recoveries(data)).toEqual([{ partition: 0, problem: 'missing', committed: null, offset: stood }]);
  expectEqual(await auditOf(data));
});

function tickRecord({ codecs }: OpenData, frameOffset: number): OutgoingRecord {
  const counts = { frames: 0, messages: 0, positions: 0, positionsDropped: 0, aircraft: 0, rejected: [], reaches: null };
  const value = codecs.FoldProgress.encode({ partition: 0, tickMs: 0, frameOffset, foldVersion: FOLD_VERSION, ...counts });
  return { key: '0', value, timestampMs: 1 };
}

it.each([
  ['a tick before positions of later frames', 3, cut.length],
  ['outputs without frames', 1000, 0],
])('nothing is folded after %s', async (_, frameOffset, records) => {
  const data = await emptyLog();
  if (records > 0) await data.log.append('frames', 0, frameRecords(data.codecs, cut));
  if (records > 0) await foldToEnd(data, { crash: true });
  await data.log.append('progress', 0, [tickRecord(data, frameOffset)]);
  await expect(foldToEnd(data)).rejects.toMatchObject({ code: 'log.offset_contradiction' });
});

async function gapsOf(data: OpenData, crash = false): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const stats = await foldToEnd(data, { crash, onGap: (gap) => gaps.push(gap) });
  expect(stats.gaps).toBe(gaps.length);
  return gaps;
}

/** Frame offsets in the positions topic. */
async function positionOffsets({ log, codecs }: OpenData): Promise<number[]> {
  const records = await readAll(log, whole('positions'));
  return records.flatMap(({ value }) => codecs.PositionBatch.decode(value!).rows.map(({ frameOffset }) => frameOffset));
}

it.each([
  ['a crash, those since the newest snapshot', true, 0.5],
  ['a crash, and some that were never folded', true, 0.75],
  ['a clean stop, whose snapshot contains them all', false, 0.5],
])('frames deleted after %s: it continues with the next ones, and nothing takes effect twice', async (_, crash, appended) => {
  const data = await emptyLog();
  const { log } = data;
  const append = (from: number, to: number) =>
    log.append('frames', 0, frameRecords(data.codecs, cut).slice(from * cut.length, to * cut.length));
  await append(0, 0.5);
  await gapsOf(data, crash);
  const before = await positionOffsets(data);
  if (appended > 0.5) await append(0.5, appended);
  // Retention, a day after the frames expire.
  await log.maintain(Date.now() + topics.frames.retentionMs + 86_400_000);
  const { earliest, next } = await log.bounds('frames', 0);
  expect(earliest).toBe(next);
  await append(appended, 1);
  const gaps = await gapsOf(data);
  expect(gaps).toEqual(crash ? [{ partition: 0, from: expect.any(Number), earliest }] : []);
  for (const { from } of gaps) expect(from).toBeLessThan(earliest);
  const offsets = await positionOffsets(data);
  expect(offsets.slice(0, before.length)).toEqual(before);
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  expect(offsets.length).toBeGreaterThan(before.length + 100);
  if (crash) expect(offsets[before.length]).toBeGreaterThanOrEqual(earliest);
  const ticks = (await readAll(log, whole('progress'))).map(({ timestampMs }) => timestampMs);
  expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
  expect(await committedIn(data)).toBe((await log.bounds('frames', 0)).next);
  // Reported once: the next fold has its own snapshot.
  expect(await gapsOf(data)).toEqual([]);
});
