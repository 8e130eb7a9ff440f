// The embedded log under several threads of one process, each with its own connection; a second process is refused.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { folderOfTest } from '../support/test-folder.ts';
import { range, readAll, whole } from './event-log-support.ts';

const folder = folderOfTest();
const THREADS = 4;
const ROUNDS = 150;

test('threads write concurrently with retention and compaction: no record is lost, duplicated or out of order', async () => {
  const { path } = folder;
  const log = await openLmdbLog({ path, mode: 'write' });
  const script = join(import.meta.dirname, '../../dist/modules/test/contract/event-log-thread.js');
  const done = range(THREADS).map((thread) => once(new Worker(script, { workerData: { path, thread, rounds: ROUNDS } }), 'message'));
  const compacting = (async () => {
    for (const _ of range(20)) {
      await log.maintain(Date.now(), true);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  expect((await Promise.all(done)).flat()).toEqual(range(THREADS).map(() => ROUNDS));
  await compacting;
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
