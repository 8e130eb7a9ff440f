// Threads of the stages: their statistics are added, and a thread that fails fails all.
import { expect, it } from 'vitest';
import { addedStats, startStages } from './stages.ts';
import type { StagesStats, StagesThreadData } from './stages-thread.ts';

const data = { dataDir: 'data', log: {}, receiver: null };
/** The parts of the statistics that are read here. */
const statsOf = (frames: number, plans = 3) => ({ fold: { counts: { frames } }, flights: { plans } }) as StagesStats;

it('adds the statistics of threads: numbers and lists of numbers by sum, lists of partitions joined, a hold of any', () => {
  const one = { counts: { frames: 1, rejected: [1, 2] }, lag: [{ partition: 0 }], ticksMs: [[0, 7]], held: null, plans: 3 };
  const other = { counts: { frames: 2, rejected: [3, 4] }, lag: [{ partition: 1 }], ticksMs: [[1, 8]], held: 'reserve', plans: 3 };
  expect(addedStats([one, other])).toEqual({
    counts: { frames: 3, rejected: [4, 6] },
    lag: [{ partition: 0 }, { partition: 1 }],
    ticksMs: [
      [0, 7],
      [1, 8],
    ],
    held: 'reserve',
    // Every thread has all plans.
    plans: 3,
  });
});

it('gives each thread its share, and passes on what all have reported', async () => {
  const shares: unknown[] = [];
  const seen: StagesStats[] = [];
  const start = async (_name: string, _file: URL, { share }: StagesThreadData, onStats: (stats: StagesStats) => void) => {
    shares.push(share);
    onStats(statsOf(10 * (share.index + 1)));
    return { info: {}, failed: new Promise<never>(() => {}), stop: async () => {} };
  };
  await startStages(2, data, start, (stats) => seen.push(stats));
  expect(shares).toEqual([
    { index: 0, threads: 2 },
    { index: 1, threads: 2 },
  ]);
  expect(seen.at(-1)).toEqual(statsOf(30));
});

it('rejects with the failure of a thread when all others have started, so that they can be stopped; fails when one fails later', async () => {
  let started = 0;
  const failure = new Error('no log');
  const start =
    (failing: boolean) =>
    async (_name: string, _file: URL, { share }: StagesThreadData) => {
      if (failing && share.index === 0) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 5));
      started += 1;
      const failed = share.index === 1 ? Promise.reject(failure) : new Promise<never>(() => {});
      failed.catch(() => {});
      return { info: {}, failed, stop: async () => {} };
    };
  await expect(startStages(3, data, start(true), () => {})).rejects.toBe(failure);
  expect(started).toBe(2);
  await expect((await startStages(3, data, start(false), () => {})).failed).rejects.toBe(failure);
});
