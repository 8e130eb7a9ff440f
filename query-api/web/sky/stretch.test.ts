// Stretches of the past: what files and responses become, where aircraft are between their positions, and what the player shows while the next one loads.
import { expect, it, onTestFinished, vi } from 'vitest';
import { Player } from './player.ts';
import { Replay } from './stretch.ts';
import { areaStretch, heatMapStretch } from './stretch-files.ts';

const FROM_MS = Date.UTC(2026, 10, 26, 12, 30);

/** A file with a slice each 30 s: entries of four words. */
function heatMap(slices: readonly (readonly (readonly number[])[])[]): ArrayBuffer {
  const words: number[] = [];
  let entry = 60;
  for (let i = 0; i < 60; i += 1) {
    words.push(entry, 0, 0, 0);
    entry += 1 + (slices[i]?.length ?? 0);
  }
  for (let i = 0; i < 60; i += 1) {
    const timeMs = FROM_MS + i * 30_000;
    words.push(0x0e7f_7c9d, Math.floor(timeMs / 2 ** 32), timeMs | 0, 30_000, ...(slices[i] ?? []).flat());
  }
  return Int32Array.from(words).buffer;
}
const position = (address: number, lat: number, lon: number, altitude: number, deciKt: number): number[] => [
  ...[address, lat * 1e6, lon * 1e6, (altitude & 0xffff) | (deciKt << 16)],
];
const name = (address: number, squawk: number, text: string): number[] => {
  const bytes = new DataView(new TextEncoder().encode(text.padEnd(8)).buffer);
  return [address, (1 << 30) | squawk, bytes.getInt32(0, true), bytes.getInt32(4, true)];
};

/** Stored positions of an aircraft. */
const columns = (t: number[], lat: number[]) => ({
  ...{ hex: '4840d6', t, lat, lon: t.map(() => 4), alt: t.map(() => 1000), ground: t.map(() => 0) },
  ...{ gs: t.map(() => 100), track: t.map(() => 0) },
});

it('interpolates between slices of a half-hour file', () => {
  const bytes = heatMap([
    [name(0x4840d6, 1000, 'KLM1023'), position(0x4840d6, 52, 4, 400, 2500)],
    [position(0x4840d6, 52, 5, 402, 2600), position(0x1ff_fff0, -10, 179, -123, -1)],
    [position(0x4840d6, 52.5, 5, 404, 2600), position(0x1ff_fff0, -10, -179, -123, -1)],
  ]);
  const stretch = heatMapStretch(bytes, FROM_MS, true);
  const replay = new Replay();
  expect(stretch.knownToMs).toBe(FROM_MS + 1_800_000);
  expect(replay.at([stretch], FROM_MS + 15_000)).toEqual([
    {
      aircraft: {
        ...{ hex: '4840d6', flight: 'KLM1023 ', squawk: '1000', alt_baro: 10_000, gs: 250, track: 90 },
        ...{ lat: 52, lon: 4.5, seen_pos: 0, seen: 0 },
      },
      updatedMs: FROM_MS + 15_000,
      next: { lat: 52, lon: 5, afterS: 15 },
    },
  ]);
  const crossing = replay.at([stretch], FROM_MS + 45_000).find(({ aircraft }) => aircraft.hex === '~fffff0')!;
  expect(crossing.aircraft).toMatchObject({ lat: -10, lon: 180, alt_baro: 'ground', track: 90 });
  expect(replay.at([stretch], FROM_MS + 125_000)).toEqual([]);
  expect(heatMapStretch(bytes, FROM_MS, false).knownToMs).toBe(FROM_MS + 90_000);
});

it('moves an aircraft of stored positions from its last one to the next, in whichever stretch that is', () => {
  const stretch = (fromMs: number, t: number[], lat: number[]) =>
    areaStretch({ stored_to: (fromMs + 60_000) / 1000, aircraft: [columns(t, lat)] }, fromMs, fromMs + 60_000);
  const stretches = [stretch(FROM_MS, [1000, 58_000], [52, 52.1]), stretch(FROM_MS + 60_000, [2000], [52.2])];
  const replay = new Replay();
  replay.remember([{ hex: '4840d6', t: 'B738', messages: 9 }]);
  expect(replay.at(stretches, FROM_MS + 61_000)).toEqual([
    {
      aircraft: { hex: '4840d6', t: 'B738', lat: 52.1, lon: 4, alt_baro: 1000, gs: 100, track: 0, seen_pos: 3, seen: 3 },
      updatedMs: FROM_MS + 61_000,
      next: { lat: 52.2, lon: 4, afterS: 4 },
    },
  ]);
  expect(replay.at(stretches, FROM_MS + 500)).toEqual([]);
});

it('shows the aircraft of before while the file of a faster pace loads', async () => {
  vi.useFakeTimers({ now: FROM_MS + 86_400_000 });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const aircraft = [columns([0, 30_000], [52, 52.1])];
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
