// Lag by partition while the log responds for all partitions, for some of them, or not at all.
import { expect, it } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { limits } from '../../schemas/limits.ts';
import type { FoldStats } from './fold-service.ts';
import { LagMeter, notCaughtUp } from './lag.ts';
import type { OwnedPartition } from './observed-log.ts';

it('ages, then becomes unknown, for each partition separately, with one request at a time', async () => {
  let nowMs = 0;
  let asked = 0;
  const silent = new Set<number>();
  const bounds = (_: string, partition: number) => {
    asked += 1;
    return silent.has(partition) ? new Promise(() => {}) : Promise.resolve({ earliest: 0, next: 50 });
  };
  const partition = (nextOffset: number): OwnedPartition => ({
    restored: true,
    held: false,
    nextOffset,
    sinceMs: 0,
    timestampMs: Date.now() - 2000,
  });
  const owned = new Map([
    [1, partition(40)],
    [0, partition(50)],
  ]);
  const meter = new LagMeter({ bounds } as unknown as EventLog, 'frames', owned, () => nowMs);
  const shown = async () => (await meter.measure()).map(({ partition, records, ageSeconds }) => [partition, records, ageSeconds]);
  const readiness = async (): Promise<string | null> => {
    const fold = { hasShare: () => true, owned: () => ({ partitions: 2, restored: 2, held: 0 }) };
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
  expect(await readiness()).toBe('the lag of partitions 1 is unknown: Kafka has not responded for 14 s');

  // Assigned to another fold and back: the earlier measurement does not count.
  owned.set(1, { ...partition(40), sinceMs: nowMs });
  expect(await shown()).toEqual([
    [0, 0, 0],
    [1, null, 0],
  ]);
  expect(await readiness()).toBeNull();
});
