// Time travel in a real service: responses as they were given live are given again for their second, also after a restart, which keeps tracks and signal
// levels; limits hold.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { historyEngine } from '../support/history-store.ts';
import { at, type RecordedList, RecordedLists } from '../support/recorded-lists.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Track {
  readonly positions: readonly { readonly time: number }[];
}
interface Levels {
  readonly history?: readonly { readonly t: number; readonly avg?: number; readonly aircraft_count: number }[];
}

const engine = historyEngine();
const folder = temporaryFolder();
let service: RunningService;
const recorded = new RecordedLists((path) => service.get(path));
const list = (path: string): Promise<RecordedList> => recorded.list(path);
const start = (): Promise<RunningService> =>
  startService(folder.path, ['--simulate', '80', '--fold-threads', '3'], engine.met ? { SQUITTER_NO_HISTORY: '' } : {});

let airport: string;
/** An aircraft with everything by which lists select. */
let some: Readonly<Record<string, unknown>>;
const isKnown = ({ lat, squawk, t }: Readonly<Record<string, unknown>>): boolean =>
  lat !== undefined && squawk !== undefined && t !== undefined;

beforeAll(async () => {
  service = await start();
  const seen = await until(async () => {
    const known = (await list('/v2/all')).ac.filter(isKnown);
    return known.length >= 20 ? known : undefined;
  }, 'aircraft with positions');
  some = seen[0]!;
  airport = await until(async () => {
    const { airports } = await recorded.json<{ airports: { icao: string; movements: number }[] }>('/v2/airports/active');
    return airports.find(({ movements }) => movements >= 3)?.icao;
  }, 'an airport with flights');
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

describe('`at`', () => {
  it('gives the responses of then again, of every list', () =>
    recorded.record([
      `/v2/hex/${some['hex']}`,
      `/v2/type/${some['t']}`,
      `/v2/squawk/${some['squawk']}`,
      '/v2/bbox?min_lat=30&min_lon=-20&max_lat=70&max_lon=10',
      `/v2/lat/${some['lat']}/lon/${some['lon']}/dist/250`,
      `/v2/aircraft/nearest?lat=${some['lat']}&lon=${some['lon']}&limit=20`,
      '/v2/all?min_altitude=10000&fields=flight,squawk,rssi',
      '/v2/all',
    ]));

  it.skipIf(!engine.met)(`gives the boards of an airport again ${engine.reason}`, () =>
    recorded.compareBoards(`/v2/airport/${airport}`, 3),
  );

  it('refuses requests beyond its limit at once, and serves live lists meanwhile', async () => {
    const { now } = await list('/v2/all');
    const flood = Array.from({ length: 3 * limits.pastRequestsMax }, (_, i) => service.get(at('/v2/all', now - (i % 3))));
    const live = await list('/v2/all');
    expect(live.now).toBeGreaterThanOrEqual(now);
    const responses = await Promise.all(flood);
    let refused = 0;
    for (const response of responses.filter(({ status }) => status === 503)) {
      const { code, detail } = (await response.json()) as { code: string; detail: string };
      // On a busy machine a moment may take longer than a request may.
      if (/takes longer than/.test(detail)) continue;
      expect([code, response.headers.get('retry-after')]).toEqual(['past-busy', '5']);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
    expect(responses.length - refused).toBeGreaterThanOrEqual(limits.pastRequestsMax);
    expect(await service.metric('squitter_past_requests_total', { outcome: 'busy' })).toBeGreaterThan(0);
  });

  it('can be played live into a second service', async () => {
    const last = recorded.lists.at(-1)!.body.now;
    const other = temporaryFolder();
    const second = await startService(other.path, ['--no-simulation']);
    try {
      const stretch = ['--from-log', folder.path, '--since', String(last - 5), '--until', new Date(1000 * last).toISOString()];
      const replay = await squitter(['replay', ...stretch, '--to', `127.0.0.1:${second.listenPort}`, '--speed', '4']);
      expect([replay.code, replay.stderr]).toEqual([0, expect.stringMatching(/^replay: [1-9]\d+ frames$/m)]);
      const hexes = new Set((await list(at('/v2/all', last))).ac.map(({ hex }) => hex));
      await until(async () => {
        const { ac = [] } = await second.json<Partial<RecordedList>>('/v2/all');
        return ac.some(({ lat, hex }) => lat !== undefined && hexes.has(hex));
      }, 'the aircraft of then');
    } finally {
      await second.stop();
      other.remove();
    }
    const wrong = await squitter(['replay', '--to', '127.0.0.1:1']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('FILE')]);
  });

  it('gives them after a restart, from the log alone; tracks and signal levels go on, too', async () => {
    const { hex } = some;
    const track = await until(async () => {
      const { positions } = await recorded.json<Track>(`/v2/aircraft/${hex}/track`);
      return positions.length >= 3 ? positions : undefined;
    }, 'a track with three positions');
    const levels = await until(async () => {
      const { history = [] } = await recorded.json<Levels>('/v2/signal/history');
      return history.length >= 4 ? history : undefined;
    }, 'four samples of signal levels');
    expect(await service.stop(), service.output()).toBe(0);
    service = await start();
    await until(async () => {
      const times = new Set((await recorded.json<Partial<Track>>(`/v2/aircraft/${hex}/track`)).positions?.map(({ time }) => time));
      // The last one may have been no point yet.
      return track.slice(0, -1).every(({ time }) => times.has(time));
    }, 'the track from before the restart');
    await until(async () => {
      const { history = [] } = await recorded.json<Levels>('/v2/signal/history');
      const byTime = new Map(history.map((sample) => [sample.t, sample]));
      // On a busy machine the live view may have taken a sample without a late partition.
      return levels.every(({ t }) => byTime.has(t)) && levels.some((sample) => isDeepStrictEqual(byTime.get(sample.t), sample));
    }, 'the signal levels from before the restart');
    await recorded.compareAgain('/v2/all');
  });
});
