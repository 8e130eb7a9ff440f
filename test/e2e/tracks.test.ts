// Tracks and signal levels of a running service: current to the second, and there again right after a restart.
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Track {
  readonly now: number;
  readonly positions: readonly { readonly time: number; readonly lat: number; readonly lon: number }[];
}
interface Aircraft {
  readonly hex: string;
  readonly lat?: number;
  readonly lon?: number;
  readonly seen_pos?: number;
}
interface SignalHistory {
  readonly total: number;
  readonly history: readonly { readonly t: number; readonly avg?: number; readonly aircraft_count: number }[];
}

let folder: ReturnType<typeof temporaryFolder>;
let service: RunningService;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await service.stop();
  folder.remove();
});

const json = async <T>(path: string): Promise<T> => (await service.get(path)).json() as Promise<T>;
const trackOf = (hex: string): Promise<Track> => json(`/v2/aircraft/${hex}/track`);

it('tracks and signal levels survive a restart', { timeout: 90_000 }, async () => {
  service = await startService(folder.path, ['--simulate', '30']);
  const followed = await until(
    async () => {
      const { ac = [] } = await json<{ ac?: Aircraft[] }>('/v2/all');
      for (const { hex } of ac) if ((await trackOf(hex)).positions.length >= 3) return hex;
      return undefined;
    },
    'a track with three positions',
    40_000,
  );
  // The newest position of the list is the last one of the track, in responses of the same tick.
  await until(async () => {
    const { now, ac } = await json<{ now: number; ac: Aircraft[] }>(`/v2/hex/${followed}`);
    const track = await trackOf(followed);
    const last = track.positions.at(-1)!;
    return track.now === now && last.lat === ac[0]?.lat && last.lon === ac[0]?.lon;
  }, 'the position of the list at the end of the track');
  const levels = await until(async () => {
    const { history } = await json<SignalHistory>('/v2/signal/history');
    return history.length >= 4 ? history : undefined;
  }, 'four samples of signal levels');
  const before = await trackOf(followed);
  expect(await service.stop()).toBe(0);

  service = await startService(folder.path, ['--simulate', '30']);
  await until(async () => {
    const track = await trackOf(followed);
    const times = new Set((track.positions ?? []).map(({ time }) => time));
    // The last one may have been no point yet.
    return before.positions.slice(0, -1).every(({ time }) => times.has(time));
  }, 'the track from before the restart');
  const restored = await until(async () => {
    const { history = [] } = await json<Partial<SignalHistory>>('/v2/signal/history');
    const times = new Set(history.map(({ t }) => t));
    return levels.every(({ t }) => times.has(t)) ? history : undefined;
  }, 'the signal levels from before the restart');
  const byTime = new Map(restored.map((sample) => [sample.t, sample]));
  // On a busy machine the live view may have taken a sample without a late partition.
  const same = levels.filter((sample) => isDeepStrictEqual(byTime.get(sample.t), sample));
  expect(same.length).toBeGreaterThan(0);
});
