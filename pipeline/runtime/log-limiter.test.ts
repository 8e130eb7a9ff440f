// Lines of one kind: the first at once, the others summed once per interval. Kinds are independent and their number is bounded.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { type LogFields, LogLimiter } from './log-limiter.ts';

const INTERVAL_MS = limits.logLineIntervalMs;
const SECONDS = INTERVAL_MS / 1000;

let written: [string, LogFields, string][];
const write = (level: string, fields: LogFields, message: string): void => void written.push([level, fields, message]);

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('writes one line per interval while lines continue, and the first one at once after a quiet interval', () => {
  const limiter = new LogLimiter(write);
  for (let i = 0; i < 10 * SECONDS; i += 1) {
    limiter.line('warn', {}, 'no connection');
    vi.advanceTimersByTime(1000);
  }
  expect(written).toHaveLength(1 + 10);
  vi.advanceTimersByTime(2 * INTERVAL_MS);
  expect(vi.getTimerCount()).toBe(0);
  const before = written.length;
  limiter.line('warn', {}, 'no connection');
  expect(written.slice(before)).toEqual([['warn', {}, 'no connection']]);
});

it('loses no count: lines written plus lines summed are all lines', () => {
  const limiter = new LogLimiter(write, { linesMax: 3 });
  let came = 0;
  for (let step = 0; step < 500; step += 1) {
    for (let i = 0; i < (step * 7) % 11; i += 1, came += 1) limiter.line('info', {}, 'feeder seen');
    vi.advanceTimersByTime(997);
  }
  limiter.flush();
  const summed = written.reduce((sum, [, { repeated }]) => sum + Number(repeated ?? 1), 0);
  expect(summed).toBe(came);
  expect(vi.getTimerCount()).toBe(0);
});

it('keeps kinds separate and bounds their number', () => {
  const limiter = new LogLimiter(write);
  limiter.line('warn', {}, 'a', 'one');
  limiter.line('warn', {}, 'b', 'two');
  expect(written).toHaveLength(2);
  for (let i = 0; i < 10_000; i += 1) limiter.line('warn', {}, `line ${i}`);
  expect(written.length).toBeLessThanOrEqual(limits.logLineKindsMax + 1);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(limits.logLineKindsMax + 1);
});
