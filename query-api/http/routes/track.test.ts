// Tracks, trace files and the signal history over HTTP, without a history store: members, thinning, what is unknown, and conditional requests.
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyReference } from '../../../pipeline/reference/reference.ts';
import { TrackMemory } from '../../../pipeline/tracks/track-memory.ts';
import { SignalHistory } from '../../../pipeline/view/signal-history.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { bareState, fullState, NOW_MS } from '../../../test/support/full-state.ts';
import { createTestApi, type TestApi } from '../../../test/support/live-view.ts';
import { positionOf, type TestPosition } from '../../../test/support/positions.ts';
import { type ReadTrace, readTrace } from '../../../test/support/trace-reader.ts';
import { HistoryStore } from '../../queries/history/history-store.ts';

let api: TestApi;
let tracks: TrackMemory;
let signals: SignalHistory;
const { hex, flight } = fullState(3);
const KEY = Number.parseInt(hex, 16);
const LAST = hex.slice(-2);
const now = NOW_MS / 1000;

beforeEach(async () => {
  tracks = new TrackMemory();
  signals = new SignalHistory();
  const facts = (key: number) => (key === KEY ? { registration: 'PH-BXA', typeDesignator: 'B738', dbFlags: 1 } : null);
  api = await createTestApi(5, { tracks, signals, reference: { ...emptyReference, facts } });
});

/** A position `seconds` before the snapshot, in a turn: each is kept. */
function put(seconds: number, change: Partial<TestPosition> = {}, key = KEY): void {
  const base = { timeMs: NOW_MS - seconds * 1000, lat: 52, lon: 4 + seconds / 1000, altitudeFt: 12_000, speedKt: 250.5, rateFpm: -640 };
  tracks.add(key, positionOf({ ...base, trackDeg: (((7200 - seconds) * 10) % 360) + 0.25, ...change }));
}

const get = (url: string, headers: Record<string, string> = {}, { app } = api) => app.inject({ url, headers });
const trackOf = (query = '', address = hex) => get(`/v2/aircraft/${address}/track${query}`);
const tracePath = (kind: string, address = hex): string => `/data/traces/${address.slice(-2)}/trace_${kind}_${address}.json`;
const trace = async (kind: string, address = hex): Promise<ReadTrace> => readTrace((await get(tracePath(kind, address))).body);
/** The code of a refusal; null of a success. */
const refusal = async (url: string, address = api): Promise<readonly [string, number, string | null]> => {
  const { statusCode, json } = await get(url, {}, address);
  return [url, statusCode, statusCode === 200 ? null : json()['code']];
};

it('tracks and trace files have the aircraft, and positions with all their members', async () => {
  put(120, { onGround: true, altitudeFt: null, source: 7 });
  put(60);
  put(1);
  put(0, { speedKt: null, rateFpm: null, altitudeFt: null, trackDeg: null, source: 5 });
  put(-1);
  const moving = { alt_baro: 12_000, gs: 250.5, baro_rate: -640, type: 'adsb_icao' };
  expect((await trackOf('', hex.toUpperCase())).json()).toEqual({
    ...{ now, ctime: now + 0.3, ptime: now + 0.3, total: 4 },
    ...{ hex, flight, r: 'PH-BXA', t: 'B738', from: now - 3600, to: now, thinned: false },
    positions: [
      { time: now - 120, lat: 52, lon: 4.12, ...moving, alt_baro: 'ground', track: 240.25, type: undefined, stale: false, leg: false },
      { time: now - 60, lat: 52, lon: 4.06, ...moving, track: 120.25, stale: true, leg: true },
      { time: now - 1, lat: 52, lon: 4.001, ...moving, track: 350.25, stale: true, leg: false },
      { time: now, lat: 52, lon: 4, type: 'mlat', stale: false, leg: false },
    ].map((point) => JSON.parse(JSON.stringify(point))),
  });
  const { icao, about, points } = await trace('full');
  expect([icao, about]).toEqual([hex, { r: 'PH-BXA', t: 'B738', dbFlags: 1 }]);
  const flown = { lat: 52, gs: 250.5, rate: -640, type: 'adsb_icao', altitudeGeom: null };
  const flags = { isStale: false, isLeg: false, isGeometricRate: false, isGeometricAltitude: false };
  const details = { type: 'adsb_icao', flight, track: 120.25, baro_rate: -640 };
  expect(points).toEqual([
    {
      ...{ ...flown, ...flags, time: now - 120, lon: 4.12, altitude: 'ground', track: 240.25, type: 'mode_s' },
      // Before the last take-off the call sign is not known.
      details: { type: 'mode_s', track: 240.25, baro_rate: -640 },
    },
    { ...flown, ...flags, time: now - 60, lon: 4.06, altitude: 12_000, track: 120.25, isStale: true, isLeg: true, details },
    { ...flown, ...flags, time: now - 1, lon: 4.001, altitude: 12_000, track: 350.25, isStale: true, details: null },
    {
      ...{ ...flown, ...flags, time: now, lon: 4, altitude: null, gs: null, rate: null, track: null, type: 'mlat' },
      details: { type: 'mlat', flight },
    },
  ]);
  expect(await trace('recent')).toEqual(await trace('full'));
});

it('`minutes` and `limit` choose the span and the number of a track, and `thinned` says that some are left out', async () => {
  for (let n = 7200; n >= 0; n -= 1) put(n);
  const bodyOf = async (query: string) => (await trackOf(query)).json<{ positions: { time: number }[] }>();
  const timesOf = async (query: string): Promise<number[]> => (await bodyOf(query)).positions.map(({ time }) => time);
  expect(await bodyOf('')).toMatchObject({ total: 500, thinned: true, from: now - 3600 });
  expect(await bodyOf('?minutes=5')).toMatchObject({ total: 301, thinned: false, from: now - 300 });
  expect((await timesOf('?minutes=5'))[0]).toBe(now - 300);
  const few = await timesOf('?minutes=1440&limit=7');
  expect([few.length, few[0], few[6]]).toEqual([7, now - 7200, now]);
  expect(await timesOf('?limit=1')).toEqual([now]);
  for (const query of ['minutes=0', 'minutes=1441', 'limit=0', 'limit=5001', 'limit=1.5', 'minutes=x', 'hours=1'])
    expect([query, (await trackOf(`?${query}`)).statusCode]).toEqual([query, 400]);
});

it('trace files have the points of the track; the recent one is the end of the full one; details come every few points', async () => {
  for (let n = 7200; n >= 0; n -= 5) put(n);
  const { positions } = (await trackOf('?minutes=1440&limit=5000')).json<{ positions: { time: number }[] }>();
  const [full, recent] = [(await trace('full')).points, (await trace('recent')).points];
  expect(full.map(({ time }) => time)).toEqual(positions.map(({ time }) => time));
  expect([full.length, recent.length]).toEqual([1441, limits.traceRecentPoints]);
  expect(recent.at(-1)).toEqual(full.at(-1));
  expect(full.slice(-recent.length).map(({ time }) => time)).toEqual(recent.map(({ time }) => time));
  expect(full.filter(({ details }) => details !== null).length).toBeLessThan(full.length / 3);
});

describe('what is not there', () => {
  it('is 404 for an aircraft that was never heard, and empty for one without positions', async () => {
    expect(await refusal('/v2/aircraft/abcdef/track')).toContain('unknown-aircraft');
    expect(await refusal('/v2/aircraft/xyz/track')).toContain(400);
    expect((await trackOf()).json()).toMatchObject({ total: 0, thinned: false, positions: [] });
    // Heard, but no longer listed; then forgotten.
    api.view.table.applyState(bareState('aa0001', { messages: 5, seenMs: NOW_MS - 200_000 }));
    api.view.tick(NOW_MS);
    expect((await trackOf('', 'aa0001')).json()).toMatchObject({ total: 0, hex: 'aa0001' });
    api.view.table.remove('aa0001');
    expect((await trackOf('', 'aa0001')).statusCode).toBe(404);
    put(5, {}, 0xaa0001);
    const first = await trackOf('', 'aa0001');
    expect(first.json()).toMatchObject({ total: 1, hex: 'aa0001' });
    expect((await trace('full', 'aa0001')).points.map(({ time }) => time)).toEqual([now - 5]);
    // An ETag is that of its bytes.
    put(4, {}, 0xaa0001);
    const again = await get('/v2/aircraft/aa0001/track', { 'if-none-match': String(first.headers['etag']) });
    expect(again.json()).toMatchObject({ total: 2 });
  });

  it('is 404 for a trace file, and 400 for a wrong address; days of the past are checked, and 503 without a history', async () => {
    put(5);
    put(5000, {}, 0x1aa0001);
    for (const kind of ['full', 'recent']) expect((await trace(kind, '~aa0001')).points.map(({ time }) => time)).toEqual([now - 5000]);
    const day = (text: string): string => `/globe_history/${text}/traces/${LAST}/trace_full_${hex}.json`;
    for (const [path, status, code] of [
      [tracePath('full', 'abcdef'), 404, 'unknown-aircraft'],
      [tracePath('recent', 'abcdef'), 404, 'unknown-aircraft'],
      [`/data/traces/00/trace_full_${hex}.json`, 404, 'not-found'],
      [`/data/traces/zz/trace_recent_${hex}.json`, 400, 'bad-value'],
      [`/data/traces/${LAST}/trace_full_4840.json`, 400, 'bad-value'],
      [tracePath('some'), 404, 'not-found'],
      [day('2026/11/22'), 503, 'no-history'],
      [day('2026/02/30'), 404, 'no-recording'],
      ...['2026/02/32', '2026/13/01', '1969/12/31', '2300/01/01', '26/01/01', 'a/b/c'].map(
        (text) => [day(text), 400, 'bad-value'] as const,
      ),
    ] as const)
      expect(await refusal(path)).toEqual([path, status, code]);
    const upper = `/data/traces/${LAST.toUpperCase()}/trace_full_${hex.toUpperCase()}.json?v=1`;
    expect((await get(upper)).headers).toMatchObject({ etag: expect.any(String), 'cache-control': 'private, max-age=1' });
  });

  it('is 503 with the code of the history for an aircraft that only its store may know, while that does not answer', async () => {
    const fail = (): never => {
      throw new SquitterError('history.busy', { detail: 'a test' });
    };
    const away = await createTestApi(5, { tracks, history: new HistoryStore({ bytes: fail, rows: fail } as never) });
    tracks.beginAt(NOW_MS - 60_000);
    put(5);
    // The second is present, and without positions in memory: a track may be empty, a trace may not.
    for (const [address, ofTrack, ofTrace] of [
      ['abcdef', 503, 503],
      [fullState(4).hex, 200, 503],
      [hex, 200, 200],
    ] as const)
      for (const [url, status] of [
        [`/v2/aircraft/${address}/track`, ofTrack],
        [tracePath('full', address), ofTrace],
      ] as const)
        expect(await refusal(url, away)).toEqual([url, status, status === 200 ? null : 'history-unavailable']);
  });
});

it('/v2/signal/history has the samples of five minutes, without levels where none is known', async () => {
  expect((await get('/v2/signal/history')).json()).toEqual({ interval: 2, window: 300, total: 0, history: [] });
  for (let n = 400; n >= 0; n -= 1) signals.note(api.view.tick(NOW_MS - n * 1000));
  const body = (await get('/v2/signal/history')).json();
  expect(body).toMatchObject({ interval: 2, window: 300, total: 150 });
  const { now: atS, ...levels } = (await get('/v2/signal')).json();
  expect(body['history'][0]).toEqual({ t: atS - 300, ...levels });
  expect(body['history'][149]).toEqual({ t: atS - 2, ...levels });
  const none = { avg: null, median: null, p10: null, p90: null, aircraftCount: 0 };
  const later = (ms: number) => ({ ...api.view.current()!, times: { ...api.view.current()!.times, nowMs: NOW_MS + ms } });
  signals.note({ ...later(2000), signal: none });
  signals.note({ ...later(3000), signal: none });
  api.view.clockMs = NOW_MS + 3000;
  api.view.tick();
  expect((await get('/v2/signal/history')).json()['history'].at(-1)).toEqual({ t: NOW_MS / 1000 + 2, aircraft_count: 0 });
});
