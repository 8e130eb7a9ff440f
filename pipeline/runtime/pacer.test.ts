// What is late, after a stall of the machine.
import { afterEach, expect, it, vi } from 'vitest';
import { createPacer } from './pacer.ts';

afterEach(() => vi.useRealTimers());

it.each([
  ['are sent at once', undefined, [0, 100]],
  ['keep their distances, where the clock starts again', 100, [0, 600]],
] as const)('frames that are late %s', (_, lateMsMax, waitsMs) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pacer = createPacer(1, new AbortController().signal, lateMsMax);
  expect([pacer.waitMs(1e6), pacer.waitMs(2e6)]).toEqual([0, 1000]);
  vi.advanceTimersByTime(1500);
  expect([pacer.waitMs(2e6), pacer.waitMs(2.6e6)]).toEqual(waitsMs);
});
