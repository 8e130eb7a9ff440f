// Shares of partitions: each partition has exactly one owner, however many threads and partitions there are.
import { expect, it } from 'vitest';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { until } from '../../test/support/until.ts';
import { sharedPartitions } from './group.ts';
import { openLmdbLog } from './lmdb/lmdb-log.ts';

const folder = folderOfTest();

it.each([
  [1, 2],
  [2, 2],
  [2, 5],
  [3, 4],
  [8, 8],
  [4, 3],
])('%i threads share %i partitions: each has one owner, and no thread has two more than another', (threads, count) => {
  const shares = Array.from({ length: threads }, (_, index) => sharedPartitions(count, { index, threads }));
  expect(shares.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, partition) => partition));
  const sizes = shares.map(({ length }) => length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
});

it('members of log objects with shares are assigned the partitions of their share, and no other', async () => {
  const { path } = folder;
  const owned: number[][] = [[], []];
  const logs = [];
  for (const index of [0, 1]) {
    const log = await openLmdbLog({ path, mode: 'write', framePartitionsIfNew: 5, share: { index, threads: 2 } });
    logs.push(log);
    await log.join('fold', 'frames', {
      assigned: async (partition) => {
        owned[index]!.push(partition);
        return 0;
      },
      batch: async () => {},
      revoked: async () => {},
    });
  }
  await until(() => owned.flat().length === 5, 'all partitions are assigned');
  expect(owned).toEqual([
    [0, 2, 4],
    [1, 3],
  ]);
  for (const log of logs) await log.close();
});
