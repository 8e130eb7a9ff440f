// Files of the past for web maps of readsb, on the real engine: read back by their documented format, they have what the store has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { NOW_MS } from '../support/full-state.ts';
import { readHeatMap } from '../support/heat-map-reader.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { type StoredPosition, storePositions } from '../support/positions.ts';
import { readTrace } from '../support/trace-reader.ts';

const engine = historyEngine();
const DAY_MS = 86_400_000;
const TODAY_MS = NOW_MS - (NOW_MS % DAY_MS);
const YESTERDAY_MS = TODAY_MS - DAY_MS;
const KEY = 0x4840d6;
const OTHER = KEY + (1 << 24);
/** An aircraft that is in the store alone. */
const SILENT = 0x4841d6;

const folder = (ms: number): string => `/globe_history/${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '/')}`;

/** Yesterday from 08:00: taxiing, a flight of 40 minutes with a turn every minute, silence for two hours, another flight. */
const flown: StoredPosition[] = [];
for (let s = 0; s < 600; s += 10)
  flown.push({ icao24: KEY, timeMs: YESTERDAY_MS + (28_800 + s) * 1000, onGround: true, altitudeFt: null, speedKt: 12.5 });
for (let s = 0; s < 2400; s += 5)
  flown.push({
    ...{ icao24: KEY, timeMs: YESTERDAY_MS + (29_400 + s) * 1000 + 250, lat: (520_000 + s) / 10_000, lon: (20_000 + s) / 5000 },
    ...{ altitudeFt: 2000 + s, altitudeGeomFt: 2150 + s, speedKt: 240.5, trackDeg: (Math.floor(s / 60) * 7) % 360, rateFpm: 1856 },
    ...{ callsign: 'KLM12', squawk: 21 },
  });
for (let s = 0; s < 1200; s += 5)
  flown.push({
    ...{ icao24: KEY, timeMs: YESTERDAY_MS + (39_000 + s) * 1000, lat: 53, lon: (25_000 + s) / 5000, source: 5, rateFpm: null },
    ...{ altitudeFt: null, altitudeGeomFt: 9000 },
  });
/** Around midnight, and today. */
const steady: StoredPosition[] = [];
for (let ms = TODAY_MS - 600_000; ms < TODAY_MS + 3_600_000; ms += 20_000)
  steady.push({ icao24: OTHER, timeMs: ms, lat: -33, lon: -179.9 + (ms % 3_600_000) / 1e8, trackDeg: (ms / 1000) % 360, source: 11 });
/** Proves that the half hour from 08:00 is complete. */
const later: StoredPosition[] = [{ icao24: SILENT, timeMs: YESTERDAY_MS + 32_000_000 }];
const silent = Array.from({ length: 200 }, (_, n) => ({
  icao24: SILENT,
  timeMs: TODAY_MS + n * 30_000,
  ...(n < 100 ? {} : { altitudeFt: null, speedKt: null }),
}));

describe.skipIf(!engine.met)(`the past for web maps ${engine.reason}`, () => {
  let store: TestHistoryStore;
  let api: TestApi;

  beforeAll(async () => {
    store = await startHistoryStore();
    await storePositions(store.client, [...flown, ...later, ...steady, ...silent], 'test');
    api = await createTestApi(3, { history: new HistoryStore(store.client, { partitions: 1 }) });
  });
  afterAll(async () => {
    await api?.app.close();
    await store?.stop();
  });

  const get = async (url: string) => {
    const response = await api.app.inject(url);
    expect([url, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([url, 200, '']);
    return response;
  };

  describe('trace files', () => {
    it('of a past day have the values of the store, the legs and the call sign', async () => {
      const response = await get(`${folder(YESTERDAY_MS)}/traces/d6/trace_full_4840d6.json`);
      expect(response.headers['cache-control']).toBe('private, max-age=3600');
      const { icao, about, points } = readTrace(response.body);
      expect([icao, about, JSON.parse(response.body).timestamp]).toEqual(['4840d6', { noRegData: true }, YESTERDAY_MS / 1000]);
      const byTime = new Map(flown.map((position) => [position.timeMs, position]));
      for (const point of points) {
        const { lat, lon, onGround, altitudeFt, altitudeGeomFt, speedKt, trackDeg, rateFpm, source } = byTime.get(point.time * 1000)!;
        expect(point).toMatchObject({
          ...{ lat: lat ?? 50, lon: lon ?? 5, altitudeGeom: altitudeGeomFt ?? null },
          altitude: onGround ? 'ground' : (altitudeFt ?? altitudeGeomFt),
          ...{ gs: speedKt ?? 250, track: trackDeg ?? 90, rate: rateFpm ?? null, type: source === 5 ? 'mlat' : 'adsb_icao' },
          ...{ isGeometricAltitude: source === 5, isGeometricRate: false },
        });
      }
      expect(points.filter(({ isLeg }) => isLeg).map(({ time }) => time * 1000 - YESTERDAY_MS)).toEqual([29_400_250, 39_000_000]);
      expect(points.filter(({ isStale }) => isStale).map(({ time }) => time * 1000 - YESTERDAY_MS)).toEqual([39_000_000]);
      const named = points.filter(({ details }) => details !== null);
      expect(named.length).toBeGreaterThan(points.length / 5);
      // On the ground and in the second flight nothing was sent.
      for (const { time, details } of named) {
        const isNamed = byTime.get(time * 1000)!.callsign !== undefined;
        expect([details!['flight'], details!['squawk']]).toEqual(isNamed ? ['KLM12   ', '0021'] : [undefined, undefined]);
      }
    });
  });

  describe('heat maps', () => {
    const url = (ms: number, number: number): string => `${folder(ms)}/heatmap/${String(number).padStart(2, '0')}.bin.ttf`;

    it('have the first position of each aircraft in each slice, on the ground and in the air', async () => {
      const response = await get(url(YESTERDAY_MS, 16));
      expect([response.headers['content-type'], response.headers['cache-control']]).toEqual([
        'application/octet-stream',
        'private, max-age=3600',
      ]);
      const slices = readHeatMap(response.rawPayload);
      expect(slices.map(({ timeMs, lengthMs }) => [timeMs, lengthMs])).toEqual(
        Array.from({ length: 60 }, (_, n) => [YESTERDAY_MS + 28_800_000 + n * 30_000, 30_000]),
      );
      slices.forEach(({ timeMs, positions }) => {
        const { lat, lon, onGround, altitudeFt, speedKt } = flown.find((position) => position.timeMs >= timeMs)!;
        const altitude = onGround ? 'ground' : Math.round(altitudeFt! / 25) * 25;
        expect(positions).toEqual([{ hex: '4840d6', source: 0, lat: lat ?? 50, lon: lon ?? 5, gs: speedKt, altitude }]);
      });
      // Each minute, and where it changes.
      const named = slices.flatMap(({ names }, slice) => names.map((name) => [slice, name.flight, name.squawk]));
      expect(named.slice(0, 2)).toEqual([0, 2].map((slice) => [slice, null, '0000']));
      expect(named.filter(([, flight]) => flight !== null).slice(0, 2)).toEqual([20, 22].map((slice) => [slice, 'KLM12   ', '0021']));
    });

    it('have geometric and unknown altitudes, other sources, non-ICAO addresses, negative coordinates, and several aircraft', async () => {
      const late = readHeatMap((await get(url(YESTERDAY_MS, 21))).rawPayload).flatMap(({ positions }) => positions);
      expect(late[0]).toEqual({ hex: '4840d6', source: 5, lat: 53, lon: 5, altitude: 9000, gs: 250 });
      const { positions } = readHeatMap((await get(url(TODAY_MS, 0))).rawPayload)[0]!;
      expect(positions).toMatchObject([
        { hex: '4841d6', source: 0 },
        { hex: '~4840d6', source: 11, lat: -33, lon: -179.9 },
      ]);
      expect(readHeatMap((await get(url(TODAY_MS, 2))).rawPayload)[0]!.positions[0]).toMatchObject({ altitude: null, gs: null });
    });
  });
});
