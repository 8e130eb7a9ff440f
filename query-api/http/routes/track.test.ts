// The track of an aircraft and the signal history over HTTP: members, thinning, what is unknown, and conditional requests.
import { beforeEach, describe, expect, it } from 'vitest';
import { TrackMemory } from '../../../pipeline/tracks/track-memory.ts';
import { SignalHistory } from '../../../pipeline/view/signal-history.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { bareState, fullState, NOW_MS } from '../../../test/support/full-state.ts';
import { createTestApi, type TestApi } from '../../../test/support/live-view.ts';
import { positionOf, type TestPosition } from '../../../test/support/track-points.ts';
import { HistoryStore } from '../../queries/history/history-store.ts';

let api: TestApi;
let tracks: TrackMemory;
let signals: SignalHistory;
const { hex, flight } = fullState(3);
const KEY = Number.parseInt(hex, 16);

interface TrackBody {
  readonly total: number;
  readonly from: number;
  readonly to: number;
  readonly thinned: boolean;
  readonly positions: readonly { readonly time: number; readonly lat: number }[];
}

beforeEach(async () => {
  tracks = new TrackMemory();
  signals = new SignalHistory();
  api = await createTestApi(5, { tracks, signals });
});

/** A position `seconds` before the snapshot, in a turn: each is kept. */
function put(seconds: number, change: Partial<TestPosition> = {}, key = KEY): void {
  const timeMs = NOW_MS - seconds * 1000;
  const trackDeg = (((7200 - seconds) * 10) % 360) + 0.25;
  tracks.add(
    key,
    positionOf({ timeMs, lat: 52, lon: 4 + seconds / 1000, altitudeFt: 12_000, speedKt: 250.5, rateFpm: -640, trackDeg, ...change }),
  );
}

const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });

describe('/v2/aircraft/{hex}/track', () => {
  it('has the aircraft, the span, and positions with all their members', async () => {
    put(7201);
    put(120, { onGround: true, altitudeFt: null, source: 7 });
    put(60);
    put(1);
    put(0, { speedKt: null, rateFpm: null, altitudeFt: null, trackDeg: null, source: 5 });
    put(-1);
    const response = await get(`/v2/aircraft/${hex.toUpperCase()}/track`);
    const now = NOW_MS / 1000;
    const moving = { alt_baro: 12_000, gs: 250.5, baro_rate: -640, type: 'adsb_icao' };
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      ...{ now, ctime: now + 0.3, ptime: now + 0.3, total: 4 },
      ...{ hex, flight, from: now - 3600, to: now, thinned: false },
      positions: [
        { time: now - 120, lat: 52, lon: 4.12, ...moving, alt_baro: 'ground', track: 240.25, type: undefined, stale: true, leg: true },
        { time: now - 60, lat: 52, lon: 4.06, ...moving, track: 120.25, stale: true, leg: true },
        { time: now - 1, lat: 52, lon: 4.001, ...moving, track: 350.25, stale: true, leg: false },
        { time: now, lat: 52, lon: 4, type: 'mlat', stale: false, leg: false },
      ].map((point) => JSON.parse(JSON.stringify(point))),
    });
  });

  it('`minutes` and `limit` choose the span and the number, and `thinned` says that some are left out', async () => {
    for (let n = 7200; n >= 0; n -= 1) put(n);
    const bodyOf = async (query: string): Promise<TrackBody> => (await get(`/v2/aircraft/${hex}/track?${query}`)).json();
    expect(await bodyOf('')).toMatchObject({ total: 500, thinned: true, from: NOW_MS / 1000 - 3600 });
    const short = await bodyOf('minutes=5');
    expect(short).toMatchObject({ total: 301, thinned: false, from: NOW_MS / 1000 - 300 });
    expect(short.positions[0]!.time).toBe(NOW_MS / 1000 - 300);
    const few = await bodyOf('minutes=1440&limit=7');
    expect(few.positions.length).toBe(7);
    expect([few.positions[0]!.time, few.positions[6]!.time]).toEqual([NOW_MS / 1000 - 7200, NOW_MS / 1000]);
    expect(await bodyOf('limit=1')).toMatchObject({ total: 1, positions: [{ time: NOW_MS / 1000 }] });
    for (const query of ['minutes=0', 'minutes=1441', 'limit=0', 'limit=5001', 'limit=1.5', 'minutes=x', 'hours=1'])
      expect([query, (await get(`/v2/aircraft/${hex}/track?${query}`)).statusCode]).toEqual([query, 400]);
  });

  it('is 404 for an aircraft that was never heard, and empty for one without positions', async () => {
    const unknown = await get('/v2/aircraft/abcdef/track');
    expect([unknown.statusCode, unknown.json()['code']]).toEqual([404, 'unknown-aircraft']);
    expect((await get('/v2/aircraft/xyz/track')).statusCode).toBe(400);
    expect((await get(`/v2/aircraft/${hex}/track`)).json()).toMatchObject({ total: 0, thinned: false, positions: [] });
    // Heard, but no longer listed; then forgotten.
    api.view.table.applyState(bareState('aa0001', { messages: 5, seenMs: NOW_MS - 200_000 }));
    api.view.tick(NOW_MS);
    const gone = '/v2/aircraft/aa0001/track';
    expect((await get(gone)).json()).toMatchObject({ total: 0, hex: 'aa0001' });
    api.view.table.remove('aa0001');
    expect((await get(gone)).statusCode).toBe(404);
    put(5, {}, 0xaa0001);
    const first = await get(gone);
    expect(first.json()).toMatchObject({ total: 1, hex: 'aa0001' });
    // An ETag is that of its bytes.
    put(4, {}, 0xaa0001);
    expect((await get(gone, { 'if-none-match': String(first.headers['etag']) })).json()).toMatchObject({ total: 2 });
  });

  it('is 503 with the code of the history for an aircraft that only its store may know, while that does not answer', async () => {
    const fail = (): never => {
      throw new SquitterError('history.busy', { detail: 'a test' });
    };
    const away = await createTestApi(5, { tracks, history: new HistoryStore({ bytes: fail, rows: fail } as never) });
    tracks.beginAt(NOW_MS - 60_000);
    put(5);
    const codeOf = async (url: string): Promise<unknown[]> => {
      const response = await away.app.inject(url);
      return [response.statusCode, response.statusCode === 200 ? null : response.json()['code']];
    };
    const traceOf = (address: string): string => `/data/traces/${address.slice(-2)}/trace_full_${address}.json`;
    const without = fullState(4).hex;
    expect(await codeOf('/v2/aircraft/abcdef/track')).toEqual([503, 'history-unavailable']);
    expect(await codeOf(traceOf('abcdef'))).toEqual([503, 'history-unavailable']);
    // Present, and without positions in memory: a track may be empty, a trace may not.
    expect(await codeOf(`/v2/aircraft/${without}/track`)).toEqual([200, null]);
    expect(await codeOf(traceOf(without))).toEqual([503, 'history-unavailable']);
    expect(await codeOf(`/v2/aircraft/${hex}/track`)).toEqual([200, null]);
    expect(await codeOf(traceOf(hex))).toEqual([200, null]);
  });
});

describe('/v2/signal/history', () => {
  it('has the samples of five minutes, without levels where none is known', async () => {
    expect((await get('/v2/signal/history')).json()).toEqual({ interval: 2, window: 300, total: 0, history: [] });
    for (let n = 400; n >= 0; n -= 1) signals.note(api.view.tick(NOW_MS - n * 1000));
    const body = (await get('/v2/signal/history')).json();
    expect(body).toMatchObject({ interval: 2, window: 300, total: 150 });
    const { now, ...levels } = (await get('/v2/signal')).json();
    expect(body['history'][0]).toEqual({ t: now - 300, ...levels });
    expect(body['history'][149]).toEqual({ t: now - 2, ...levels });
    const none = { avg: null, median: null, p10: null, p90: null, aircraftCount: 0 };
    const later = (ms: number) => ({ ...api.view.current()!, times: { ...api.view.current()!.times, nowMs: NOW_MS + ms } });
    signals.note({ ...later(2000), signal: none });
    signals.note({ ...later(3000), signal: none });
    api.view.clockMs = NOW_MS + 3000;
    api.view.tick();
    expect((await get('/v2/signal/history')).json()['history'].at(-1)).toEqual({ t: NOW_MS / 1000 + 2, aircraft_count: 0 });
  });
});
