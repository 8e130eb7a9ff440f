// Lag by partition while the log answers, answers for some partitions only, or not at all.
import { expect, it } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { limits } from '../../schemas/limits.ts';
import type { FoldStats } from './fold-service.ts';
import { LagMeter, notCaughtUp } from './lag.ts';
import type { OwnedPartition } from './observed-log.ts';

it('grows old, then unknown, for each partition by itself, and is asked for once at a time', async () => {
  let nowMs = 0;
  let asked = 0;
  const silent = new Set<number>();
  const bounds = (_: string, partition: number) => {
    asked += 1;
    return silent.has(partition) ? new Promise(() => {}) : Promise.resolve({ earliest: 0, next: 50 });
  };
  const place = (nextOffset: number): OwnedPartition => ({ restored: true, nextOffset, sinceMs: 0, timestampMs: Date.now() - 2000 });
  const owned = new Map([
    [1, place(40)],
    [0, place(50)],
  ]);
  const meter = new LagMeter({ bounds } as unknown as EventLog, 'frames', owned, () => nowMs);
  const shown = async () => (await meter.measure()).map(({ partition, records, ageSeconds }) => [partition, records, ageSeconds]);
  const readiness = async (): Promise<string | null> => {
    const fold = { hasShare: () => true, owned: () => ({ partitions: 2, restored: 2 }) };
    return notCaughtUp(fold, { lag: await meter.measure() } as unknown as FoldStats);
  };
  expect(await shown()).toEqual([
    [0, 0, 0],
    [1, 10, 0],
  ]);
  expect((await meter.measure())[1]!.seconds).toBeGreaterThan(1.9);

  silent.add(1);
  nowMs = limits.statisticsAgeMsMax;
  expect(await shown()).toEqual([
    [0, 0, 0],
    [1, 10, 10],
  ]);
  expect(await readiness()).toBeNull();
  const before = asked;
  nowMs += 4000;
  expect(await shown()).toEqual([
    [0, 0, 0],
    [1, null, 14],
  ]);
  expect(asked - before).toBe(1);
  expect(await readiness()).toBe('how far partitions 1 are behind is unknown: Kafka has not answered for 14 s');

  // Handed to another fold and back: what was known of it then counts for nothing.
  owned.set(1, { ...place(40), sinceMs: nowMs });
  expect(await shown()).toEqual([
    [0, 0, 0],
    [1, null, 0],
  ]);
  expect(await readiness()).toBeNull();
});
