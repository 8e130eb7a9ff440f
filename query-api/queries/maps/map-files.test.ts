// The files that web maps read beside the live aircraft: history files, statistics and the range outline.
import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { bareState, NOW_MS } from '../../../test/support/full-state.ts';
import { createTestApi, type TestApi } from '../../../test/support/live-view.ts';
import { MapFiles } from './map-files.ts';

const SITE = { lat: 52, lon: 4 };
let api: TestApi;
let maps: MapFiles;

beforeEach(async () => {
  maps = new MapFiles(SITE);
  api = await createTestApi(0, { maps });
});

function put(hex: string, lat: number, lon: number, source = 0, seenMs = NOW_MS): void {
  const position = {
    positionMs: seenMs,
    positionValid: true,
    latitudeMicrodeg: Math.round(lat * 1e6),
    longitudeMicrodeg: Math.round(lon * 1e6),
    nic: 8,
    rcM: 186,
  };
  api.view.table.applyState(
    bareState(hex, { ...position, messages: 10, seenMs, source, altitudeBaroFt: 30_000, flight: 'KLM1    ', onGround: false }),
  );
}

async function tick(nowMs: number): Promise<void> {
  api.view.clockMs = nowMs + 300;
  maps.note(api.view.tick(nowMs));
  await maps.history.settled();
}

const get = async (url: string): Promise<Record<string, unknown>> => (await api.app.inject(url)).json();

describe('history', () => {
  it('has a file in 30 s with the members that a track needs, packed or plain, and receiver.json counts them', async () => {
    put('aa0001', 52.5, 4);
    api.view.table.applyState(bareState('aa0002', { messages: 10, seenMs: NOW_MS }));
    for (const seconds of [0, 1, 29, 30, 31]) await tick(NOW_MS + seconds * 1000);
    expect(await get('/data/receiver.json')).toMatchObject({ history: 2 });
    const file = await get('/data/history_0.json');
    expect(file).toMatchObject({
      now: NOW_MS / 1000,
      aircraft: [{ hex: 'aa0001', flight: 'KLM1    ', lat: 52.5, lon: 4, alt_baro: 30_000, seen_pos: 0 }],
    });
    expect(file['aircraft']).toHaveLength(1);
    const packed = await api.app.inject({ url: '/data/history_1.json', headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect((await api.app.inject('/data/history_2.json')).statusCode).toBe(404);
    expect((await api.app.inject('/data/history_x.json')).statusCode).toBe(400);
    // It is no number for the router, so no route has it.
    expect((await api.app.inject('/data/history_%C2%A3%0D.json')).statusCode).toBe(404);
  });

  it('forgets the oldest file after an hour, and holds no snapshot', async () => {
    put('aa0001', 52.5, 4);
    for (let n = 0; n <= limits.mapHistoryFilesMax; n += 1) await tick(NOW_MS + n * limits.mapHistoryIntervalMs);
    expect(maps.history.count).toBe(limits.mapHistoryFilesMax);
    expect((await get('/data/history_0.json'))['now']).toBe((NOW_MS + limits.mapHistoryIntervalMs) / 1000);
    const newest = `/data/history_${limits.mapHistoryFilesMax - 1}.json`;
    expect((await get(newest))['now']).toBe((NOW_MS + limits.mapHistoryFilesMax * limits.mapHistoryIntervalMs) / 1000);
    // Arenas are reused only when their snapshots have no lease.
    expect(api.view.builder.pool.allocated).toBe(2);
  });
});

it('statistics have periods that end at minutes', async () => {
  put('aa0001', 52.5, 4);
  for (const seconds of [0, 10]) await tick(NOW_MS + seconds * 1000);
  const young = { start: NOW_MS / 1000, end: NOW_MS / 1000 + 10 };
  expect(await get('/data/stats.json')).toMatchObject({ last1min: young, last15min: young });
  maps = new MapFiles(SITE);
  api = await createTestApi(0, { maps });
  for (let seconds = 0; seconds <= 130; seconds += 10) {
    const tickMs = NOW_MS + seconds * 1000;
    put('aa0001', 52.5, 4, 0, tickMs);
    put('aa0002', 52.6, 4, 5, tickMs);
    if (seconds === 130) api.view.table.applyState(bareState('aa0003', { messages: 10, seenMs: tickMs }));
    await tick(tickMs);
  }
  const now = NOW_MS / 1000;
  expect(await get('/data/stats.json')).toMatchObject({
    now: now + 130,
    aircraft_with_pos: 2,
    aircraft_without_pos: 1,
    aircraft_count_by_type: { adsb_icao: 1, mlat: 1 },
    latest: { start: now + 120, end: now + 130, messages: 0, messages_valid: 0, remote: { accepted: [0] }, position_count_total: 2 },
    last1min: { start: now + 60, end: now + 120, position_count_total: 12, tracks: { all: 0, single_message: 0 } },
    last5min: { start: now, end: now + 120 },
    total: { start: now, end: now + 130, tracks: { all: 1 }, cpr: { global_ok: 0, local_ok: 0 }, cpu: {} },
  });
});

describe('the range outline', () => {
  const points = async (): Promise<unknown> =>
    ((await get('/data/outline.json'))['actualRange'] as { last24h: { points: unknown } }).last24h.points;

  it('has the farthest own position of each direction in 24 hours', async () => {
    put('aa0001', 53, 4);
    put('aa0002', 53.5, 4.001);
    put('aa0003', 52, 6);
    put('aa0004', 54, 4, 5);
    put('aa0005', 80, 4);
    await tick(NOW_MS);
    expect(await points()).toEqual([
      [53.5, 4.001, 30_000],
      [52, 6, 30_000],
    ]);
    expect(await get('/data/receiver.json')).toMatchObject({ ...SITE, outlineJson: true });
    for (const hex of ['aa0001', 'aa0002', 'aa0003'])
      api.view.table.applyState(bareState(hex, { messages: 10, seenMs: NOW_MS + 25 * 3_600_000 }));
    await tick(NOW_MS + 25 * 3_600_000);
    expect(await points()).toEqual([]);
  });

  it('is empty, and the receiver has no position, unless the operator publishes it', async () => {
    const hidden = await createTestApi(3);
    expect((await hidden.app.inject('/data/outline.json')).json()).toEqual({ actualRange: { last24h: { points: [] } } });
    expect((await hidden.app.inject('/data/receiver.json?_=1')).json()).toEqual({
      ...{ version: 'squitter', readsb: true, refresh: 1000, history: 0, haveTraces: true },
    });
  });
});
