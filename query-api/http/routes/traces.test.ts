// Trace files without a history store: from memory, by their format, and what is not there.
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyReference } from '../../../pipeline/reference/reference.ts';
import { TrackMemory } from '../../../pipeline/tracks/track-memory.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { fullState, NOW_MS } from '../../../test/support/full-state.ts';
import { createTestApi, type TestApi } from '../../../test/support/live-view.ts';
import { type ReadTrace, readTrace } from '../../../test/support/trace-reader.ts';
import { positionOf, type TestPosition } from '../../../test/support/track-points.ts';

const { hex, flight } = fullState(3);
const KEY = Number.parseInt(hex, 16);
const LAST = hex.slice(-2);
const now = NOW_MS / 1000;
let api: TestApi;
let tracks: TrackMemory;

beforeEach(async () => {
  tracks = new TrackMemory();
  const reference = { facts: (key: number) => (key === KEY ? { registration: 'PH-BXA', typeDesignator: 'B738', dbFlags: 1 } : null) };
  api = await createTestApi(5, { tracks, reference: { ...emptyReference, ...reference } });
});

/** A position `seconds` before the snapshot, in a turn: each is kept. */
function put(seconds: number, change: Partial<TestPosition> = {}, key = KEY): void {
  const base = { timeMs: NOW_MS - seconds * 1000, lat: 52, lon: 4 + seconds / 1000, altitudeFt: 12_000, speedKt: 250.5, rateFpm: -640 };
  tracks.add(key, positionOf({ ...base, trackDeg: (((7200 - seconds) * 10) % 360) + 0.25, ...change }));
}

const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });
const trace = async (kind: string, address = hex): Promise<ReadTrace> =>
  readTrace((await get(`/data/traces/${address.slice(-2)}/trace_${kind}_${address}.json`)).body);

describe('trace files from memory', () => {
  it('have the aircraft, and points with all their members', async () => {
    put(120, { onGround: true, altitudeFt: null, source: 7 });
    put(60);
    put(1);
    put(0, { speedKt: null, rateFpm: null, altitudeFt: null, trackDeg: null, source: 5 });
    put(-1);
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

  it('are the points of the track; the recent one is the end of the full one; details come every few points', async () => {
    for (let n = 7200; n >= 0; n -= 5) put(n);
    const full = await trace('full');
    const { positions } = (await get(`/v2/aircraft/${hex}/track?minutes=1440&limit=5000`)).json<{ positions: { time: number }[] }>();
    expect(full.points.map(({ time }) => time)).toEqual(positions.map(({ time }) => time));
    expect(full.points.length).toBe(1441);
    const recent = await trace('recent');
    expect(recent.points.length).toBe(limits.traceRecentPoints);
    expect(recent.points.at(-1)).toEqual(full.points.at(-1));
    expect(full.points.slice(-recent.points.length).map(({ time }) => time)).toEqual(recent.points.map(({ time }) => time));
    expect(full.points.filter(({ details }) => details !== null).length).toBeLessThan(full.points.length / 3);
  });

  it('of an aircraft that is silent, or is no more listed, are still there', async () => {
    put(5000, {}, 0x1aa0001);
    for (const kind of ['full', 'recent']) expect((await trace(kind, '~aa0001')).points.map(({ time }) => time)).toEqual([now - 5000]);
  });
});

describe('what is not there', () => {
  const refusal = async (url: string): Promise<readonly [string, number, string]> => {
    const response = await get(url);
    return [url, response.statusCode, response.json()['code']];
  };

  it('is 404, and a wrong address 400', async () => {
    put(5);
    for (const [path, status, code] of [
      ['ef/trace_full_abcdef', 404, 'unknown-aircraft'],
      ['ef/trace_recent_abcdef', 404, 'unknown-aircraft'],
      [`00/trace_full_${hex}`, 404, 'not-found'],
      [`zz/trace_recent_${hex}`, 400, 'bad-value'],
      [`${LAST}/trace_full_4840`, 400, 'bad-value'],
      [`${LAST}/trace_some_${hex}`, 404, 'not-found'],
    ] as const)
      expect(await refusal(`/data/traces/${path}.json`)).toEqual([`/data/traces/${path}.json`, status, code]);
    const upper = `${LAST.toUpperCase()}/trace_full_${hex.toUpperCase()}.json?v=1`;
    expect((await get(`/data/traces/${upper}`)).headers).toMatchObject({ etag: expect.any(String), 'cache-control': 'private, max-age=1' });
  });

  it('days of the past are checked, and 503 without a history', async () => {
    const day = (text: string): string => `/globe_history/${text}/traces/${LAST}/trace_full_${hex}.json`;
    expect(await refusal(day('2026/11/22'))).toEqual([day('2026/11/22'), 503, 'no-history']);
    expect(await refusal(day('2026/02/30'))).toEqual([day('2026/02/30'), 404, 'no-recording']);
    for (const text of ['2026/02/32', '2026/13/01', '1969/12/31', '2300/01/01', '26/01/01', 'a/b/c'])
      expect([text, (await get(day(text))).statusCode]).toEqual([text, 400]);
  });
});
