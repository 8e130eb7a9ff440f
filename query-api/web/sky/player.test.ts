// The player of the past: no picture without aircraft while the next stretch is on its way.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Player } from './player.ts';
import { Replay } from './stretch.ts';

const FROM_MS = Date.UTC(2026, 10, 26, 12, 30);
const aircraft = [
  { hex: '4840d6', t: [0, 30_000], lat: [52, 52.1], lon: [4, 4], alt: [1000, 1000], ground: [0, 0], gs: [100, 100], track: [0, 0] },
];

beforeEach(() => {
  vi.useFakeTimers({ now: FROM_MS + 86_400_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('shows the aircraft of before while the file of a faster pace loads', async () => {
  const requested: string[] = [];
  vi.stubGlobal('fetch', (url: URL) => {
    requested.push(url.pathname);
    if (!url.pathname.endsWith('positions')) return new Promise(() => {});
    return Promise.resolve(Response.json({ stored_to: FROM_MS / 1000 + 3600, aircraft }));
  });
  const replay = new Replay();
  let shown: { pace: number; hexes: string[] } | undefined;
  const player = new Player(new URL('http://sky/'), {
    step: (atMs, pace, stretches) => {
      shown = { pace, hexes: replay.at(stretches, atMs).map((seen) => seen.aircraft.hex) };
    },
    failed: (error) => expect.fail(String(error)),
    ended: () => expect.fail('ended'),
  });
  player.start(FROM_MS + 1000, 10);
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual({ pace: 10, hexes: ['4840d6'] });
  player.start(player.atMs, 60);
  await vi.advanceTimersByTimeAsync(1000);
  expect(requested.at(-1)).toBe('/globe_history/2026/11/26/heatmap/25.bin.ttf');
  expect(shown).toEqual({ pace: 0, hexes: ['4840d6'] });
  player.stop();
});
