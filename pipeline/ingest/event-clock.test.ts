// The event clock never goes back, and follows the newest time of a log. test/sim/ingest-clocks and test/e2e/clock show its effect: times that continue
// from a later one in the log, and half speed while a clock catches up.
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';
import type { EventLog } from '../log/event-log.ts';
import { openData } from '../log/open-data.ts';
import { type ClockStep, createEventClock } from './event-clock.ts';
import { followLogTime, newestFrameMs } from './log-time.ts';

const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const YEARS_MS = 10 * 365 * 86_400_000;

let log: EventLog;
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
  const { clock } = testClock();
  let raised = 0;
  const onRaised = (): void => {
    raised += 1;
  };
  const follower = followLogTime(log, clock, onRaised, 1);
  await append(1, START_MS + 300);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(clock.aheadMs()).toBe(0);
  await append(1, START_MS + 60_000);
  while (clock.aheadMs() < 60_000) await new Promise((resolve) => setTimeout(resolve, 5));
  expect([raised, follower.raised]).toEqual([1, 1]);
  await follower.stop();
});

function testClock() {
  let wallMs = START_MS;
  let steadyMs = 5;
  const steps: ClockStep[] = [];
  const clock = createEventClock({ wallMs: () => wallMs, steadyMs: () => steadyMs }, (step) => steps.push(step));
  return {
    clock,
    steps,
    /** Advances time by 10 ms at a time and reads the clock at each, as callers do. */
    pass(ms: number): number {
      let us = clock.nowUs();
      for (let passed = 0; passed < ms; passed += 10) {
        wallMs += 10;
        steadyMs += 10;
        const now = clock.nowUs();
        expect(now).toBeGreaterThanOrEqual(us);
        us = now;
      }
      return us;
    },
    setBy(ms: number): void {
      wallMs += ms;
    },
  };
}

it('reports each step once, and no slow correction', () => {
  const { steps, pass, setBy } = testClock();
  for (let i = 0; i < 100; i += 1) {
    setBy(10);
    pass(100);
  }
  expect(steps).toEqual([]);
  setBy(-HOUR_MS);
  pass(10_000);
  setBy(-HOUR_MS);
  pass(10_000);
  expect(steps.map(({ byMs }) => Math.round(byMs / 1000))).toEqual([-3600, -3600]);
  expect(Math.round(steps[1]!.aheadMs / 1000)).toBe(7195);
});
