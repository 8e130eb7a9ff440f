// Retention has deleted frames that the fold still needs: a power cut, followed by a stop longer than the retention. The fold reports the
// gap once and continues with the remaining frames; nothing that was folded before takes effect again.
import { afterEach, expect, it } from 'vitest';
import { FOLD_GROUP, type FoldWorkerOptions, startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit-report.ts';
import { topics } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { nextFold } from '../support/next-fold.ts';
import { temporaryFolder } from '../support/service.ts';

type Gap = Parameters<NonNullable<FoldWorkerOptions['onGap']>>[0];

const FOLD = { tickMs: TICK_MS, receiver: null };
const frames = simulatedFrames(60, 20);
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function logIn(folder: { path: string; remove: () => void }): Promise<OpenData> {
  cleanups.push(folder.remove);
  const data = await openData(folder.path, 'write');
  cleanups.push(() => data.log.close());
  return data;
}

const recordsOf = ({ codecs }: OpenData, from: number, to: number): OutgoingRecord[] =>
  frameRecords(codecs, batches(frames.slice(from * frames.length, to * frames.length), 100));

/** Folds to the end. `crash` ends without the last commit and the snapshot of a revoked partition. */
async function fold({ log, codecs }: OpenData, how: 'leave' | 'crash' = 'leave', start = startFoldWorker) {
  const gaps: Gap[] = [];
  let crashed = false;
  const mortal = new Proxy(log, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'commit' && crashed) return () => Promise.reject(new Error('crashed'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { member, stats } = await start({ log: mortal, codecs, fold: FOLD, onGap: (gap) => gaps.push(gap) });
  for (const partition of [0, 1]) {
    const { next } = await log.bounds('frames', partition);
    while ((stats.nextOffsets.get(partition) ?? -1) < next)
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), member.done]);
  }
  crashed = how === 'crash';
  await member.leave();
  await member.done.catch((error: Error) => expect([how, error.message]).toEqual(['crash', 'crashed']));
  expect(stats.gaps).toBe(gaps.length);
  return { gaps, stats };
}

/** Applies retention, a day after the frames expire; returns the first remaining offset. */
async function deleteAll({ log }: OpenData): Promise<number> {
  await log.maintain(Date.now() + topics.frames.retentionMs + 86_400_000);
  const { earliest, next } = await log.bounds('frames', 0);
  expect(earliest).toBe(next);
  return earliest;
}

/** Offsets of the frames that gave positions, in order. */
async function positionOffsets({ log, codecs }: OpenData): Promise<number[]> {
  const offsets: number[] = [];
  for await (const { records } of log.read({ topic: 'positions', partition: 0, from: 'earliest', to: 'end' }))
    for (const { value } of records) offsets.push(...codecs.PositionBatch.decode(value!).rows.map(({ frameOffset }) => frameOffset));
  return offsets;
}

/** No tick is reported twice, and none after a later one. */
async function expectTicksInOrder({ log }: OpenData): Promise<void> {
  const ticks: number[] = [];
  for await (const { records } of log.read({ topic: 'progress', partition: 0, from: 'earliest', to: 'end' }))
    ticks.push(...records.map(({ timestampMs }) => timestampMs));
  expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
}

it.each([
  ['since the newest snapshot', 0.5],
  ['and some that were never folded', 0.75],
])('deleted after a crash, those %s: it continues with the next ones, and nothing takes effect twice', async (_, appended) => {
  const data = await logIn(temporaryFolder());
  await data.log.append('frames', 0, recordsOf(data, 0, 0.5));
  await fold(data, 'crash');
  const before = await positionOffsets(data);
  if (appended > 0.5) await data.log.append('frames', 0, recordsOf(data, 0.5, appended));
  const earliest = await deleteAll(data);
  await data.log.append('frames', 0, recordsOf(data, appended, 1));
  const { gaps } = await fold(data);
  expect(gaps).toEqual([{ partition: 0, from: expect.any(Number), earliest }]);
  expect(gaps[0]!.from).toBeLessThan(earliest);
  const offsets = await positionOffsets(data);
  expect(offsets.slice(0, before.length)).toEqual(before);
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  expect(offsets.length).toBeGreaterThan(before.length + 100);
  expect(offsets[before.length]).toBeGreaterThanOrEqual(earliest);
  await expectTicksInOrder(data);
  expect(await data.log.committed(FOLD_GROUP, 'frames', 0)).toBe((await data.log.bounds('frames', 0)).next);
  // Reported once: the next fold has its own snapshot.
  expect((await fold(data)).gaps).toEqual([]);
});

it('deleted after a clean stop: the snapshot contains them all', async () => {
  const data = await logIn(temporaryFolder());
  await data.log.append('frames', 0, recordsOf(data, 0, 0.5));
  await fold(data);
  await deleteAll(data);
  await data.log.append('frames', 0, recordsOf(data, 0.5, 1));
  expect((await fold(data)).gaps).toEqual([]);
});

it('deleted before an upgrade: the new version begins after them, and an audit proves its output', async () => {
  const data = await logIn(temporaryFolder());
  const { log, codecs } = data;
  await log.append('frames', 0, recordsOf(data, 0, 0.4));
  await fold(data, 'crash');
  const earliest = await deleteAll(data);
  await log.append('frames', 0, recordsOf(data, 0.4, 1));
  const next = await nextFold();
  cleanups.push(next.remove);
  const { gaps, stats } = await fold(data, 'leave', next.startFoldWorker);
  expect(stats.takeOvers).toBe(1);
  expect(gaps.map((gap) => gap.earliest)).toEqual([earliest]);
  await expectTicksInOrder(data);
  const result = await next.audit({ log, codecs, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal });
  expect(differencesOf(result), auditReport(result)).toBe(0);
  expect(result.partitions[0]).toMatchObject({ fromOffset: earliest });
});
