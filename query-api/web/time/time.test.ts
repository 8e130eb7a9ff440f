// The slider's windows and gaps, and the times that it reads.
import { afterEach, expect, it, vi } from 'vitest';
import { stepOf, Traffic, windowAt } from './traffic.ts';
import { inputText, readInput } from './words.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 26, 12);
const FIRST_MS = NOW_MS - 100 * HOUR_MS;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('shows a part of what is kept around a time, never more than is kept', () => {
  expect(windowAt('day', NOW_MS, FIRST_MS, NOW_MS)).toEqual({ fromMs: NOW_MS - 24 * HOUR_MS, toMs: NOW_MS });
  expect(windowAt('day', FIRST_MS, FIRST_MS, NOW_MS)).toEqual({ fromMs: FIRST_MS, toMs: FIRST_MS + 24 * HOUR_MS });
  expect(windowAt('all', FIRST_MS, FIRST_MS, NOW_MS)).toEqual({ fromMs: FIRST_MS, toMs: NOW_MS });
  expect(stepOf({ fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS })).toBe(60_000);
  expect(stepOf({ fromMs: NOW_MS - 168 * HOUR_MS, toMs: NOW_MS })).toBe(HOUR_MS);
});

it('knows gaps by steps without samples', async () => {
  vi.useFakeTimers({ now: NOW_MS });
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1/map/' });
  const requested: string[] = [];
  const row = (hour: number) => ({ t: NOW_MS / 1000 - hour * 3600, aircraft: 100 + hour, signal: { aircraft_count: 1 } });
  vi.stubGlobal('fetch', (url: URL) => {
    requested.push(url.pathname + url.search);
    const history = [9, 8, 5, 4, 3, 2, 1].map(row);
    return Promise.resolve(Response.json({ kept: { log: FIRST_MS / 1000, history: FIRST_MS / 1000 - 60 }, history }));
  });
  const traffic = new Traffic(() => {});
  const window = { fromMs: NOW_MS - 48 * HOUR_MS, toMs: NOW_MS };
  await traffic.load({ fromMs: NOW_MS - 168 * HOUR_MS, toMs: NOW_MS });
  await traffic.load({ fromMs: NOW_MS - 168 * HOUR_MS, toMs: NOW_MS });
  expect(requested).toEqual(['/map/v2/stats/history?from=1793664000&to=1796256000&step=3600']);
  expect(traffic.firstMs).toBe(FIRST_MS - 60_000);
  expect(traffic.count(NOW_MS - 8.5 * HOUR_MS, HOUR_MS)).toBe(109);
  expect(traffic.gapAt(NOW_MS - 6.5 * HOUR_MS, HOUR_MS)).toEqual({ fromMs: NOW_MS - 7 * HOUR_MS, toMs: NOW_MS - 5 * HOUR_MS });
  expect(traffic.gapAt(NOW_MS - 4.5 * HOUR_MS, HOUR_MS)).toBeNull();
  expect(traffic.gapAt(NOW_MS - 4.5 * HOUR_MS, stepOf(window))).toBeNull();
});

it('reads the times it writes', () => {
  for (const isLocal of [false, true]) expect(readInput(inputText(NOW_MS, isLocal), isLocal)).toBe(NOW_MS);
  expect(inputText(NOW_MS, false)).toBe('2026-11-26T12:00:00');
  expect(readInput('', false)).toBeNull();
});
