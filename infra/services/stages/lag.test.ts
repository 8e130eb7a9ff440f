// Lag by partition: the measurement of a partition whose log does not respond ages, then is unknown; that of the others is not.
import { expect, it } from 'vitest';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { LagMeter, notCaughtUp } from './lag.ts';

it('ages, then becomes unknown, for each partition separately', async () => {
  let nowMs = 0;
  const silent = new Set<number>();
  const bounds = (_: string, partition: number) =>
    silent.has(partition) ? new Promise(() => {}) : Promise.resolve({ earliest: 0, next: 50 });
  const partition = (nextOffset: number, sinceMs = 0) => ({ nextOffset, sinceMs, timestampMs: Date.now() - 2000 });
  const owned = new Map([
    [1, partition(40)],
    [0, partition(50)],
  ]);
  const meter = new LagMeter({ bounds } as unknown as EventLog, 'frames', owned, () => nowMs);
  const fold = { hasShare: () => true, owned: () => ({ partitions: 2, restored: 2, held: 0 }) };
  const shown = async () => {
    const lag = await meter.measure();
    return [...lag.map(({ records, ageSeconds }) => [records, ageSeconds]), notCaughtUp(fold, { lag })];
  };
  expect(await shown()).toEqual([[0, 0], [10, 0], null]);
  silent.add(1);
  nowMs = limits.statisticsAgeMsMax;
  expect(await shown()).toEqual([[0, 0], [10, 10], null]);
  nowMs += 4000;
  expect(await shown()).toEqual([[0, 0], [null, 14], 'the lag of partitions 1 is unknown: Kafka has not responded for 14 s']);
  // Assigned to another fold and back: the earlier measurement does not count.
  owned.set(1, partition(40, nowMs));
  expect(await shown()).toEqual([[0, 0], [null, 0], null]);
});
