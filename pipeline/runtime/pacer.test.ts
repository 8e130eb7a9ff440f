// Pacing of frames that are late: after a stall of the machine, and behind newer ones.
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

it('a frame that is behind newer ones delays none of them', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pacer = createPacer(1, new AbortController().signal, 100);
  expect([pacer.waitMs(1e6), pacer.waitMs(2e6)]).toEqual([0, 1000]);
  vi.advanceTimersByTime(1000);
  expect([pacer.waitMs(1.7e6), pacer.waitMs(2.5e6)]).toEqual([0, 500]);
});
