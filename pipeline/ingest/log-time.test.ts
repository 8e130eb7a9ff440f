// The newest event time of a log, and a clock that follows it.
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';
import type { EventLog } from '../log/event-log.ts';
import { openData } from '../log/open-data.ts';
import { createEventClock } from './event-clock.ts';
import { followLogTime, newestFrameMs } from './log-time.ts';

const START_MS = 1_700_000_000_000;
const YEARS_MS = 10 * 365 * 86_400_000;

let log: EventLog;
const testClock = (): ReturnType<typeof createEventClock> => createEventClock({ wallMs: () => START_MS, steadyMs: () => 0 });
const append = (partition: number, ...timesMs: number[]): Promise<number> =>
  log.append(
    'frames',
    partition,
    timesMs.map((timestampMs) => ({ key: null, value: Uint8Array.of(1), timestampMs })),
  );

beforeEach(async () => {
  const folder = temporaryFolder();
  log = (await openData(folder.path, 'write')).log;
  return async () => {
    await log.close();
    folder.remove();
  };
});

it('is found if earlier times follow later ones, near or ten years ahead', async () => {
  expect(await newestFrameMs(log, 0, START_MS)).toBe(START_MS);
  await append(0, START_MS - 1000, START_MS - 5);
  expect(await newestFrameMs(log, 0, START_MS)).toBe(START_MS);
  for (const aheadMs of [1, 700, 3_600_000, YEARS_MS]) {
    await append(0, START_MS + aheadMs, START_MS + 1);
    const newestMs = await newestFrameMs(log, 0, START_MS);
    expect(newestMs).toBeGreaterThan(START_MS + aheadMs);
    expect(newestMs).toBeLessThanOrEqual(START_MS + aheadMs + 50);
  }
});

it('is followed while others append later times, except within the tolerance for good clocks', async () => {
  const clock = testClock();
  let raised = 0;
  const follower = followLogTime(
    log,
    clock,
    () => {
      raised += 1;
    },
    1,
  );
  await append(1, START_MS + 300);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(clock.aheadMs()).toBe(0);
  await append(1, START_MS + 60_000);
  while (clock.aheadMs() < 60_000) await new Promise((resolve) => setTimeout(resolve, 5));
  expect([raised, follower.raised]).toEqual([1, 1]);
  await follower.stop();
});
