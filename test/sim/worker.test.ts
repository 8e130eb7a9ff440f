// The fold worker on a real log: the topics are the same for all record sizes, stops and snapshots; unreadable records become dead
// letters; an audit detects every kind of wrong topic.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newestName, snapshotRecords } from '../../pipeline/fold/snapshot-store.ts';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { startFoldWorker } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import { audit } from '../../pipeline/tools/audit/audit.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { emptyLog, FOLD, foldedAll, foldToEnd } from '../support/folded-log.ts';

const frames = simulatedFrames(60, 30);

async function digest({ log }: OpenData, topic: TopicId): Promise<string> {
  const hash = createHash('sha256');
  for await (const batch of log.read({ topic, partition: 0, from: 'earliest', to: 'end' })) {
    for (const { key, value, timestampMs } of batch.records) {
      hash.update(`${key} ${timestampMs} ${value?.length ?? 'tombstone'}\n`);
      if (value !== null) hash.update(value);
    }
  }
  return hash.digest('hex');
}

/** All frames in partition 0, divided as `FrameBatch`; a worker starts and stops after each of `parts`. */
async function topicsAfter(parts: number): Promise<Record<string, string>> {
  const data = await emptyLog();
  const records = frameRecords(data.codecs, batches(frames));
  const size = Math.ceil(records.length / parts);
  for (let from = 0; from < records.length; from += size) {
    await data.log.append('frames', 0, records.slice(from, from + size));
    await foldToEnd(data);
  }
  return { positions: await digest(data, 'positions'), aircraft: await digest(data, 'aircraft'), progress: await digest(data, 'progress') };
}

describe('the fold worker', () => {
  it('gives the same topics when it is stopped and resumed from snapshots at any record', async () => {
    const whole = await topicsAfter(1);
    expect(await topicsAfter(3)).toEqual(whole);
    expect(await topicsAfter(10)).toEqual(whole);
  });

  it('continues after an unreadable record and stores it with its coordinates', async () => {
    const data = await emptyLog();
    const records = frameRecords(data.codecs, batches(frames));
    const poison = Buffer.from('this is no FrameBatch');
    await data.log.append('frames', 0, [records[0]!, { key: null, value: poison, timestampMs: 1 }, ...records.slice(1)]);
    await foldToEnd(data);
    const deadLetters = [];
    for await (const batch of data.log.read({ topic: 'deadletter', partition: 0, from: 'earliest', to: 'end' }))
      deadLetters.push(...batch.records.map(({ key, value }) => [key, Buffer.from(value!).toString()]));
    expect(deadLetters).toEqual([['frames/0/1', 'this is no FrameBatch']]);
    expect(await data.log.committed('fold', 'frames', 0)).toBe(records.length + 1);
  });
});

it('counts only what it folded itself, also when a partition is revoked', async () => {
  const data = await emptyLog();
  const records = frameRecords(data.codecs, batches(frames));
  const half = Math.floor(records.length / 2);
  for (const partition of [0, 1]) await data.log.append('frames', partition, records.slice(0, half));
  await foldToEnd(data);
  const worker = await startFoldWorker({ log: data.log, codecs: data.codecs, fold: FOLD });
  while (worker.stats.partitions < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(worker.counts()).toMatchObject({ frames: 0, messages: 0, positions: 0, positionsDropped: 0 });
  for (const partition of [0, 1]) await data.log.append('frames', partition, records.slice(half));
  await foldedAll(data.log, worker);
  const counts = worker.counts();
  const later = batches(frames).slice(half);
  const framesLater = later.reduce((sum, { count }) => sum + count, 0);
  expect(counts.frames).toBe(2 * framesLater);
  expect(counts.messages + counts.rejected.reduce((sum, count) => sum + count, 0)).toBe(2 * framesLater);

  await worker.member.leave();
  const after = worker.counts();
  expect(after).toMatchObject({ frames: counts.frames, messages: counts.messages, positions: counts.positions, rejected: counts.rejected });
  expect([after.receiversLate, after.feedersContradicted]).toEqual([0, 0]);
});

it('ignores a snapshot that it cannot read: the state is replayed from the first frame, and the topics are the same', async () => {
  const whole = await topicsAfter(1);
  const data = await emptyLog();
  const { log } = data;
  const records = frameRecords(data.codecs, batches(frames));
  await log.append('frames', 0, records.slice(0, 3));
  await foldToEnd(data);
  const frameOffset = (await log.committed('fold', 'frames', 0))!;
  const head = { frameOffset, tickMs: 1, version: FOLD_VERSION, versionBefore: 0, receiver: null };
  await log.append('snapshots', 0, snapshotRecords(newestName(0), head, Buffer.from('no state')));
  await log.append('frames', 0, records.slice(3));
  await foldToEnd(data);
  expect({ ...whole, positions: await digest(data, 'positions'), aircraft: await digest(data, 'aircraft') }).toEqual(whole);
});

describe('an audit', () => {
  const auditOf = async ({ log, codecs }: OpenData) => {
    const { partitions } = await audit({ log, codecs, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal });
    return Object.fromEntries(partitions[0]!.topics.map(({ topic, differenceCount }) => [topic, differenceCount]));
  };
  async function foldedLog(): Promise<OpenData> {
    const data = await emptyLog();
    await data.log.append('frames', 0, frameRecords(data.codecs, batches(frames)));
    await foldToEnd(data);
    return data;
  }

  it('finds an extra record in every topic', async () => {
    const data = await foldedLog();
    for (const topic of ['positions', 'aircraft', 'progress'] as const) {
      let copy: { key: string | null; value: Uint8Array | null; timestampMs: number } | null = null;
      for await (const batch of data.log.read({ topic, partition: 0, from: 'earliest', to: 'end' })) {
        const { key, value, timestampMs } = batch.records[0]!;
        copy ??= { key, value: value && Buffer.from(value), timestampMs };
      }
      await data.log.append(topic, 0, [copy!]);
    }
    const found = await auditOf(data);
    expect(found['positions']).toBeGreaterThan(0);
    expect(found['aircraft']).toBeGreaterThan(0);
    expect(found['progress']).toBeGreaterThan(0);
  });

  it('finds a dead letter that is missing, duplicated or of a readable record', async () => {
    const data = await emptyLog();
    const records = frameRecords(data.codecs, batches(frames));
    const poison = { key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: 1 };
    await data.log.append('frames', 0, [records[0]!, poison, ...records.slice(1)]);
    await foldToEnd(data);
    const deadLettersNow = async () => {
      const { deadLetters } = await audit({ ...data, fold: FOLD, onProgress: () => {}, signal: new AbortController().signal });
      return deadLetters;
    };
    expect(await deadLettersNow()).toMatchObject({ expected: 1, stored: 1, differenceCount: 0 });
    await data.log.append('deadletter', 0, [{ ...poison, key: 'frames/0/1' }]);
    expect((await deadLettersNow()).differences).toEqual(['dead letter frames/0/1 is stored twice']);
    await data.log.append('deadletter', 0, [{ ...poison, key: 'frames/0/0' }]);
    expect((await deadLettersNow()).differences).toContain('dead letter frames/0/0 belongs to a readable record');
    // Outside this partition's frames up to the committed offset: ignored.
    await data.log.append('deadletter', 0, [{ ...poison, key: 'frames/0/100000' }]);
    expect((await deadLettersNow()).differenceCount).toBe(2);
  });

  it('finds missing output: frames committed without their results', async () => {
    const data = await foldedLog();
    const { log, codecs } = data;
    const more = frameRecords(codecs, batches(frames.map((frame) => ({ ...frame, timeUs: frame.timeUs + 100e6 }))));
    const fromOffset = (await log.committed('fold', 'frames', 0))!;
    await log.append('frames', 0, more);
    await log.commit({ group: 'fold', topic: 'frames', partition: 0, fromOffset, nextOffset: fromOffset + more.length, outputs: [] });
    const found = await auditOf(data);
    expect(found['positions']).toBeGreaterThan(0);
    expect(found['aircraft']).toBeGreaterThan(0);
  });
});
