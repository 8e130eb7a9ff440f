// Retention has deleted frames that the fold still needs: a power cut, followed by a stop longer than the retention. The fold reports the
// gap once and continues with the remaining frames; nothing that was folded before takes effect again.
import { expect, it, onTestFinished } from 'vitest';
import { FOLD_GROUP, type FoldWorkerOptions } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import { topics } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { emptyLog, FOLD, foldToEnd } from '../support/folded-log.ts';
import { nextFold } from '../support/next-fold.ts';

type Gap = Parameters<NonNullable<FoldWorkerOptions['onGap']>>[0];

const frames = simulatedFrames(60, 20);

const recordsOf = ({ codecs }: OpenData, from: number, to: number): OutgoingRecord[] =>
  frameRecords(codecs, batches(frames.slice(from * frames.length, to * frames.length), 100));

async function gapsOf(data: OpenData, crash = false): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const stats = await foldToEnd(data, { crash, onGap: (gap) => gaps.push(gap) });
  expect(stats.gaps).toBe(gaps.length);
  return gaps;
}

/** Applies retention, a day after the frames expire; returns the first remaining offset. */
async function deleteAll({ log }: OpenData): Promise<number> {
  await log.maintain(Date.now() + topics.frames.retentionMs + 86_400_000);
  const { earliest, next } = await log.bounds('frames', 0);
  expect(earliest).toBe(next);
  return earliest;
}

/** Offsets of the frames that gave positions, and ticks, in order. */
async function outputs({ log, codecs }: OpenData): Promise<{ offsets: number[]; ticks: number[] }> {
  const offsets: number[] = [];
  const ticks: number[] = [];
  for await (const { records } of log.read({ topic: 'positions', partition: 0, from: 'earliest', to: 'end' }))
    for (const { value } of records) offsets.push(...codecs.PositionBatch.decode(value!).rows.map(({ frameOffset }) => frameOffset));
  for await (const { records } of log.read({ topic: 'progress', partition: 0, from: 'earliest', to: 'end' }))
    ticks.push(...records.map(({ timestampMs }) => timestampMs));
  return { offsets, ticks };
}

it.each([
  ['since the newest snapshot', 0.5],
  ['and some that were never folded', 0.75],
])('deleted after a crash, those %s: it continues with the next ones, and nothing takes effect twice', async (_, appended) => {
  const data = await emptyLog();
  await data.log.append('frames', 0, recordsOf(data, 0, 0.5));
  await gapsOf(data, true);
  const before = (await outputs(data)).offsets;
  if (appended > 0.5) await data.log.append('frames', 0, recordsOf(data, 0.5, appended));
  const earliest = await deleteAll(data);
  await data.log.append('frames', 0, recordsOf(data, appended, 1));
  const gaps = await gapsOf(data);
  expect(gaps).toEqual([{ partition: 0, from: expect.any(Number), earliest }]);
  expect(gaps[0]!.from).toBeLessThan(earliest);
  const { offsets, ticks } = await outputs(data);
  expect(offsets.slice(0, before.length)).toEqual(before);
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  expect(offsets.length).toBeGreaterThan(before.length + 100);
  expect(offsets[before.length]).toBeGreaterThanOrEqual(earliest);
  expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
  expect(await data.log.committed(FOLD_GROUP, 'frames', 0)).toBe((await data.log.bounds('frames', 0)).next);
  // Reported once: the next fold has its own snapshot.
  expect(await gapsOf(data)).toEqual([]);
});

it('deleted after a clean stop: the snapshot contains them all', async () => {
  const data = await emptyLog();
  await data.log.append('frames', 0, recordsOf(data, 0, 0.5));
  await gapsOf(data);
  await deleteAll(data);
  await data.log.append('frames', 0, recordsOf(data, 0.5, 1));
  expect(await gapsOf(data)).toEqual([]);
});

it('deleted before an upgrade: the new version begins after them, and an audit proves its output', async () => {
  const data = await emptyLog();
  const { log, codecs } = data;
  await log.append('frames', 0, recordsOf(data, 0, 0.4));
  await gapsOf(data, true);
  const earliest = await deleteAll(data);
  await log.append('frames', 0, recordsOf(data, 0.4, 1));
  const next = await nextFold();
  onTestFinished(next.remove);
  const gaps: Gap[] = [];
  const stats = await foldToEnd(data, { start: next.startFoldWorker, onGap: (gap) => gaps.push(gap) });
  expect(stats.takeOvers).toBe(1);
  expect(gaps.map((gap) => gap.earliest)).toEqual([earliest]);
  const { ticks } = await outputs(data);
  expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
  const result = await next.audit({ log, codecs, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal });
  expect(differencesOf(result), auditReport(result)).toBe(0);
  expect(result.partitions[0]).toMatchObject({ fromOffset: earliest });
});
