// Event clock.
import { expect, it } from 'vitest';
import { type ClockStep, createEventClock } from './event-clock.ts';

const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

function testClock() {
  let wallMs = START_MS;
  let steadyMs = 5;
  const steps: ClockStep[] = [];
  const clock = createEventClock({ wallMs: () => wallMs, steadyMs: () => steadyMs }, (step) => steps.push(step));
  return {
    clock,
    steps,
    /** Advances time in steps and reads the clock at each, as callers do. */
    pass(ms: number, pieceMs = ms): number {
      let us = clock.nowUs();
      for (let passed = 0; passed < ms; passed += pieceMs) {
        wallMs += pieceMs;
        steadyMs += pieceMs;
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

it('gives whole microseconds of the wall clock, and never goes back', () => {
  const { clock, pass } = testClock();
  expect(clock.nowUs()).toBe(1000 * START_MS);
  expect(pass(0.0015)).toBe(1000 * START_MS + 1);
  expect(clock.aheadMs()).toBe(0);
  const real = createEventClock();
  let before = 0;
  for (let i = 0; i < 1000; i += 1) {
    const now = real.nowUs();
    expect(Number.isInteger(now) && now >= before).toBe(true);
    before = now;
  }
});

it('reports each step once, and no slow correction', () => {
  const { steps, pass, setBy } = testClock();
  for (let i = 0; i < 100; i += 1) {
    setBy(10);
    pass(100, 10);
  }
  expect(steps).toEqual([]);
  setBy(-HOUR_MS);
  pass(10_000, 10);
  setBy(-HOUR_MS);
  pass(10_000, 10);
  expect(steps.map(({ byMs }) => Math.round(byMs / 1000))).toEqual([-3600, -3600]);
  expect(Math.round(steps[1]!.aheadMs / 1000)).toBe(7195);
});

it('continues from a later time in the log', () => {
  const { clock, steps, pass } = testClock();
  clock.advanceTo(START_MS - 1000);
  expect(clock.nowUs()).toBe(1000 * START_MS);
  clock.advanceTo(START_MS + HOUR_MS);
  expect(clock.nowUs()).toBe(1000 * (START_MS + HOUR_MS));
  expect(pass(1000, 10)).toBe(1000 * (START_MS + HOUR_MS + 500));
  clock.advanceTo(START_MS + HOUR_MS + 1000);
  expect(pass(1000, 10)).toBe(1000 * (START_MS + HOUR_MS + 1500));
  expect(clock.aheadMs()).toBe(HOUR_MS - 500);
  expect(steps).toEqual([]);
});
