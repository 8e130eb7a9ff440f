// What every stage shares: owned partitions, statistics, the drain, and the order in which it stops.
import { expect, it } from 'vitest';
import type { EventLog, GroupHandler } from '../../pipeline/log/event-log.ts';
import { startStage } from './stage.ts';

it('owns what it is assigned, drains to the end of its input, leaves the group before it closes the log', async () => {
  const events: string[] = [];
  let end = 3;
  let handler: GroupHandler | undefined;
  const member = { rebalances: 1, leave: async () => void events.push('leave'), done: Promise.resolve() };
  const log = {
    bounds: async () => ({ earliest: 0, next: end }),
    join: async (_group: string, _topic: string, given: GroupHandler) => {
      handler = given;
      return member;
    },
    close: async () => void events.push('close'),
  } as unknown as EventLog;
  const stage = await startStage(log, 'aircraft', async (watched) => {
    const inner: GroupHandler = { assigned: async () => 1, batch: async () => {}, revoked: async () => {} };
    const joined = await watched.join('group', 'aircraft', inner);
    return { member: joined, done: joined.done, stats: (shared) => ({ ...shared, own: 7 }), stop: joined.leave };
  });
  const read = (nextOffset: number) =>
    handler!.batch({ partition: 0, records: [{ timestampMs: 1 }], nextOffset } as never, new AbortController().signal);

  expect(stage.owned()).toEqual({ partitions: 0, restored: 0, held: 0 });
  await handler!.assigned(0, null);
  expect(stage.owned()).toEqual({ partitions: 1, restored: 1, held: 0 });
  expect(stage.hasShare()).toBe(true);
  expect(await stage.stats()).toMatchObject({ own: 7, partitions: 1, assigned: 1, revoked: 0, rebalances: 1, restores: 1 });
  expect((await stage.stats()).lag).toMatchObject([{ partition: 0, nextOffset: 1, records: 2 }]);

  let isDrained = false;
  const drained = stage.drain().then(() => {
    isDrained = true;
  });
  await read(2);
  expect(isDrained).toBe(false);
  end = 2;
  await drained;
  await stage.stop();
  expect(events).toEqual(['leave', 'close']);
});
