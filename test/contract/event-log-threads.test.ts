// The embedded log under several threads of one process, each with its own connection; a second process is refused.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createChanges } from '../../pipeline/log/lmdb/changes.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { folderOfTest } from '../support/test-folder.ts';
import { range, readAll, whole } from './event-log-support.ts';

const folder = folderOfTest();
const THREADS = 4;
const ROUNDS = 150;

test('threads write concurrently with retention and compaction: no record is lost, duplicated or out of order, and a follower that only waits gets all', async () => {
  const { path } = folder;
  const changes = createChanges();
  const log = await openLmdbLog({ path, mode: 'write', changes });
  const following = (async () => {
    let records = 0;
    for await (const batch of log.read({ topic: 'positions', partition: 0, from: 'earliest', to: 'follow' })) {
      records += batch.records.length;
      if (records === THREADS * ROUNDS) return;
    }
  })();
  const script = join(import.meta.dirname, '../../dist/modules/test/contract/event-log-thread.js');
  const done = range(THREADS).map((thread) =>
    once(new Worker(script, { workerData: { path, changes, thread, rounds: ROUNDS } }), 'message'),
  );
  const compacting = (async () => {
    for (const _ of range(20)) {
      await log.maintain(Date.now(), true);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  expect((await Promise.all(done)).flat()).toEqual(range(THREADS).map(() => ROUNDS));
  await compacting;
  await following;
  const frames = [...(await readAll(log, whole('frames', 0))), ...(await readAll(log, whole('frames', 1)))];
  const positions = await readAll(log, whole('positions'));
  for (const records of [frames, positions]) {
    expect(records.length).toBe(THREADS * ROUNDS);
    for (const thread of range(THREADS)) {
      const numbers = records.filter(({ value }) => value!.at(-1) === thread).map(({ value }) => (value as Buffer).readUInt32LE(0));
      expect([...numbers].sort((a, b) => a - b)).toEqual(range(ROUNDS));
    }
  }
  for (const thread of range(THREADS)) {
    expect(await log.committed(`thread ${thread}`, 'frames', 0)).toBe(ROUNDS);
    const numbers = positions.filter(({ value }) => value!.at(-1) === thread).map(({ value }) => (value as Buffer).readUInt32LE(0));
    expect(numbers).toEqual(range(ROUNDS));
  }
  await log.maintain(Date.now(), true);
  const aircraft = await readAll(log, whole('aircraft'));
  expect(aircraft.length).toBe(THREADS * 50);
  for (const { key, value } of aircraft) expect((value as Buffer).readUInt32LE(0)).toBe(ROUNDS - 50 + Number(key!.split('/')[1]));
  await log.close();
});
