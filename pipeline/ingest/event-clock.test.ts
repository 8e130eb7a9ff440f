// What the event clock promises.
import { expect, it } from 'vitest';
import { createEventClock } from './event-clock.ts';

it('tells whole microseconds, follows the wall clock when that is set, and never goes back', () => {
  let wallMs = 1_700_000_000_000;
  let steadyMs = 5;
  const nowUs = createEventClock({ wallMs: () => wallMs, steadyMs: () => steadyMs });
  const pass = (ms: number): number => {
    wallMs += ms;
    steadyMs += ms;
    return nowUs();
  };
  expect(pass(0)).toBe(1_700_000_000_000_000);
  expect(pass(0.0015)).toBe(1_700_000_000_000_001);
  wallMs += 3_600_000;
  expect(pass(1)).toBe(1_700_003_600_001_001);
  wallMs -= 7_200_000;
  expect(pass(1)).toBe(1_700_003_600_001_001);
  const real = createEventClock();
  let before = 0;
  for (let i = 0; i < 1000; i += 1) {
    const now = real();
    expect(Number.isInteger(now) && now >= before).toBe(true);
    before = now;
  }
});
