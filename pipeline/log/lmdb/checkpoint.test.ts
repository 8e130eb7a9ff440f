// A simulated power loss: the owner did not close, the machine has another boot id, and unflushed bytes are gone.
import { cpSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { folderOfTest } from '../../../test/support/test-folder.ts';
import { until } from '../../../test/support/until.ts';
import type { EventLog } from '../event-log.ts';
import { checkpointedTo } from './checkpoint.ts';
import { type LmdbLog, openLmdbLog } from './lmdb-log.ts';
import type { Owner } from './rows.ts';
import { SegmentWriter } from './segments.ts';

const folder = folderOfTest();
let path = '';
let survivor = '';
beforeEach(() => {
  path = join(folder.path, 'log');
  survivor = join(folder.path, 'survivor');
});

async function values(log: EventLog, topic: 'frames' | 'aircraft' | 'positions'): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of log.read({ topic, partition: 0, from: 'earliest', to: 'end' })) {
    for (const { value } of batch.records) found.push(Buffer.from(value!).toString('utf8', 0, 8));
  }
  return found;
}

const valueOfNumber = (i: number) => Buffer.from(String(i).padEnd(8).repeat(1000));

/** Appends a frame and commits its outputs. */
async function step(log: EventLog, i: number): Promise<void> {
  await log.append('frames', 0, [{ key: null, value: valueOfNumber(i), timestampMs: i }]);
  await log.commit({
    group: 'fold',
    topic: 'frames',
    partition: 0,
    fromOffset: i,
    nextOffset: i + 1,
    outputs: [
      { topic: 'positions', partition: 0, records: [{ key: null, value: valueOfNumber(i), timestampMs: i }] },
      { topic: 'aircraft', partition: 0, records: [{ key: `k${i % 3}`, value: valueOfNumber(i), timestampMs: i }] },
    ],
  });
}

/** The disk after the power failure: the index as it is, segments only up to the last flush of a checkpoint. */
async function failPower(log: LmdbLog, flushedBytes: ReadonlyMap<string, number>): Promise<void> {
  const owner = log.store.meta.get('owner') as Owner;
  await log.store.meta.put('owner', { ...owner, bootId: 'another boot' });
  await log.store.root.flushed;
  cpSync(path, survivor, { recursive: true });
  for (const [name, bytes] of flushedBytes) truncateSync(join(survivor, 'segments', name), bytes);
}

function segmentBytes(): Map<string, number> {
  return new Map(readdirSync(join(path, 'segments')).map((name) => [name, statSync(join(path, 'segments', name)).size]));
}

/** Opens the log again; returns it and the number of lost records that it reported. */
async function opened(at: string): Promise<{ readonly log: LmdbLog; readonly lost: number }> {
  let lost = 0;
  const onPowerLoss = (records: number): void => {
    lost = records;
  };
  return { log: await openLmdbLog({ path: at, mode: 'write', onPowerLoss }), lost };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i).padEnd(8));

test('the log goes back to its last checkpoint as a whole, and continues from there', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  for (let i = 0; i < 5; i += 1) await step(log, i);
  await log.checkpoint();
  const flushed = segmentBytes();
  for (let i = 5; i < 12; i += 1) await step(log, i);
  await failPower(log, flushed);
  await log.close();

  const { log: after, lost } = await opened(survivor);
  expect(lost).toBe(3 * 7);
  for (const topic of ['frames', 'positions'] as const) expect(await values(after, topic)).toEqual(numbers(0, 5));
  expect(await after.committed('fold', 'frames', 0)).toBe(5);
  for (let i = 5; i < 8; i += 1) await step(after, i);
  await after.maintain(Date.now(), true);
  expect(await values(after, 'positions')).toEqual(numbers(0, 8));
  expect(await after.committed('fold', 'frames', 0)).toBe(8);
  await after.close();
});

test('compaction never merges across the checkpoint; a log that was closed properly loses nothing after a reboot', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  for (let i = 0; i < 6; i += 1) await step(log, i);
  await log.maintain(Date.now(), true);
  for (let i = 6; i < 9; i += 1) await step(log, i);
  await failPower(log, new Map());
  await log.close();
  const { log: whole, lost } = await opened(path);
  expect([lost, await values(whole, 'frames')]).toEqual([0, numbers(0, 9)]);
  await whole.close();
  const { log: after } = await opened(survivor);
  expect(await values(after, 'aircraft')).toEqual(numbers(3, 6));
  expect(await after.bounds('aircraft', 0)).toEqual({ earliest: 0, next: 6 });
  await after.close();
});

test('checkpoints follow what is written by themselves, again and again, also after a flush that fails', async () => {
  const failures: unknown[] = [];
  const log = await openLmdbLog({ path, mode: 'write', onError: (error) => failures.push(error) });
  const flush = vi.spyOn(SegmentWriter.prototype, 'flush').mockRejectedValueOnce(new Error('the disk fails'));
  for (let i = 0; i < 2; i += 1) {
    await step(log, i);
    await until(() => checkpointedTo(log.store, 'positions', 0) === i + 1, 'the checkpoint of the timer');
  }
  flush.mockRestore();
  expect(failures.length).toBe(1);
  await failPower(log, segmentBytes());
  await log.close();
  const { log: after, lost } = await opened(survivor);
  expect([(await values(after, 'frames')).length, (await values(after, 'positions')).length, lost]).toEqual([2, 2, 0]);
  await after.close();
});

test('two closes at the same time release the shared ownership once', async () => {
  const [log, other] = [await openLmdbLog({ path, mode: 'write' }), await openLmdbLog({ path, mode: 'write' })];
  await Promise.all([log.close(), log.close()]);
  expect(other.store.meta.get('owner')).toMatchObject({ opens: 1 });
  await other.close();
});
