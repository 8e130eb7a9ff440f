// The fold worker on a real log: the topics are the same for all record sizes, stops and snapshots; unreadable records become dead
// letters; an audit detects every kind of wrong topic.
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newestName, snapshotRecords } from '../../pipeline/fold/snapshot-store.ts';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { auditOf, emptyLog, foldToEnd, withMethod } from '../support/folded-log.ts';

const frames = simulatedFrames(60, 30);
const unreadable = { key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: 1 };

async function digest({ log }: OpenData, topic: TopicId): Promise<string> {
  const hash = createHash('sha256');
  for (const { key, value, timestampMs } of await readAll(log, whole(topic))) {
    hash.update(`${key} ${timestampMs} ${value?.length ?? 'tombstone'}\n`);
    if (value !== null) hash.update(value);
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
    const unstopped = await topicsAfter(1);
    expect(await topicsAfter(3)).toEqual(unstopped);
    expect(await topicsAfter(10)).toEqual(unstopped);
  });
});

it('ignores a snapshot that it cannot read: the state is replayed from the first frame, and the topics are the same', async () => {
  const unstopped = await topicsAfter(1);
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
  expect({ ...unstopped, positions: await digest(data, 'positions'), aircraft: await digest(data, 'aircraft') }).toEqual(unstopped);
});

it('gives heartbeats and other partitions turns within a large batch', async () => {
  const data = await emptyLog();
  await data.log.append('frames', 0, frameRecords(data.codecs, batches(frames)));
  await foldToEnd(data, { crash: true });
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(next));
  let records = 0;
  let turns = 0;
  // Unlike the other reads, a silent replay ends at an offset, and commits nothing.
  const log = withMethod(data.log, 'read', async function* (request) {
    for await (const batch of data.log.read(request)) {
      const before = turn;
      yield batch;
      if (request.topic !== 'frames' || request.to === 'follow') continue;
      turns += turn - before;
      records += batch.records.length;
    }
  });
  // Each record takes a whole turn.
  let foldedMs = 0;
  const { FrameBatch } = data.codecs;
  const decode: typeof FrameBatch.decode = (bytes) => {
    foldedMs += limits.foldTurnMsMax;
    return FrameBatch.decode(bytes);
  };
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + foldedMs);
  onTestFinished(() => clock.mockRestore());
  const codecs = { ...data.codecs, FrameBatch: { ...FrameBatch, decode } };
  await foldToEnd({ ...data, log: log as typeof data.log, codecs });
  expect(records).toBeGreaterThan(5);
  expect(turns).toBeGreaterThanOrEqual(records - 1);
});

describe('an audit', () => {
  async function foldedLog(): Promise<OpenData> {
    const data = await emptyLog();
    const records = frameRecords(data.codecs, batches(frames));
    await data.log.append('frames', 0, [records[0]!, unreadable, ...records.slice(1)]);
    await foldToEnd(data);
    return data;
  }

  it('finds an extra record in every topic, and a dead letter that is duplicated or of a readable record', async () => {
    const data = await foldedLog();
    const [deadLetter] = await readAll(data.log, whole('deadletter'));
    expect([deadLetter!.key, String(deadLetter!.value)]).toEqual(['frames/0/1', 'this is no FrameBatch']);
    expect((await auditOf(data)).deadLetters).toMatchObject({ expected: 1, stored: 1, differenceCount: 0 });
    for (const topic of ['positions', 'aircraft', 'progress'] as const)
      await data.log.append(topic, 0, (await readAll(data.log, whole(topic))).slice(0, 1));
    // The last one is outside this partition's frames up to the committed offset: it is ignored.
    for (const key of ['frames/0/1', 'frames/0/0', 'frames/0/100000']) await data.log.append('deadletter', 0, [{ ...unreadable, key }]);
    const { partitions, deadLetters } = await auditOf(data);
    expect(partitions[0]!.topics.map(({ differenceCount }) => differenceCount > 0)).toEqual([true, true, true]);
    expect(deadLetters).toMatchObject({ differenceCount: 2 });
    expect(deadLetters.differences.sort()).toEqual([
      'dead letter frames/0/0 belongs to a readable record',
      'dead letter frames/0/1 is stored twice',
    ]);
  });

  it('finds missing output: frames committed without their results', async () => {
    const data = await foldedLog();
    const { log, codecs } = data;
    const more = frameRecords(codecs, batches(frames.map((frame) => ({ ...frame, timeUs: frame.timeUs + 100e6 }))));
    const fromOffset = (await log.committed('fold', 'frames', 0))!;
    await log.append('frames', 0, more);
    await log.commit({ group: 'fold', topic: 'frames', partition: 0, fromOffset, nextOffset: fromOffset + more.length, outputs: [] });
    const [positions, aircraft] = (await auditOf(data)).partitions[0]!.topics;
    expect([positions!.differenceCount > 0, aircraft!.differenceCount > 0]).toEqual([true, true]);
  });
});
