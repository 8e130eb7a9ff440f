// Files of the past that are kept, on the real engine: a sink that is hours late leaves no heat map without its positions; stretches over HTTP.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { heatMapFiles } from '../../query-api/queries/history/heat-map-files.ts';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { limits } from '../../schemas/limits/index.ts';
import { readHeatMap } from '../support/heat-map-reader.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { storePositions } from '../support/positions.ts';

const engine = historyEngine();
const START_MS = Date.parse('2026-11-20T08:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe.skipIf(!engine.met)(`heat map files that are kept ${engine.reason}`, () => {
  let store: TestHistoryStore;
  let nowMs = START_MS + DAY_MS;
  let inserts = 0;

  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store?.stop());
  beforeEach(() => store.client.command('TRUNCATE TABLE positions'));

  const files = (partitions?: number) =>
    heatMapFiles(new HistoryStore(store.client, partitions === undefined ? {} : { partitions }), () => nowMs);
  /** Positions of one aircraft per partition, a minute apart. */
  const insert = (partition: number, fromMinute: number, toMinute: number) => {
    const positions = Array.from({ length: toMinute - fromMinute }, (_, n) => ({
      ...{ icao24: 0x400000 + partition, timeMs: START_MS + (fromMinute + n) * MINUTE_MS, partition },
    }));
    inserts += 1;
    return storePositions(store.client, positions, `kept-${inserts}`);
  };
  const shown = async (maps: ReturnType<typeof heatMapFiles>) => {
    const { gzipped, isSettled } = await maps(START_MS);
    const hexes = readHeatMap(gunzipSync(gzipped)).flatMap(({ positions }) => positions.map(({ hex }) => hex));
    return { first: hexes.filter((hex) => hex === '400000').length, second: hexes.filter((hex) => hex === '400001').length, isSettled };
  };

  it('get the positions of a sink that was hours late, and are kept once every partition is beyond them', async () => {
    const maps = files(2);
    await insert(0, 0, 120);
    // The other partition has no positions of that time.
    expect(await shown(files(2))).toMatchObject({ first: 30, second: 0, isSettled: false });
    expect([await shown(files(1)), await shown(files())]).toMatchObject([{ isSettled: true }, { isSettled: false }]);
    await insert(1, 0, 10);
    expect(await shown(maps)).toEqual({ first: 30, second: 10, isSettled: false });
    await insert(1, 10, 30);
    expect(await shown(maps)).toEqual({ first: 30, second: 10, isSettled: false });
    nowMs += limits.heatMapFreshMs;
    // Everything is there, but nothing proves it.
    expect(await shown(maps)).toEqual({ first: 30, second: 30, isSettled: false });
    await insert(1, 30, 120);
    nowMs += limits.heatMapFreshMs;
    expect(await shown(maps)).toEqual({ first: 30, second: 30, isSettled: true });
    // Kept: without the store's rows, and for ever.
    await store.client.command('TRUNCATE TABLE positions');
    nowMs += DAY_MS;
    expect(await shown(maps)).toEqual({ first: 30, second: 30, isSettled: true });
  });

  describe('stretches over HTTP', () => {
    let api: TestApi;
    let later = 0;
    beforeAll(async () => {
      api = await createTestApi(3, {
        history: new HistoryStore(store.client, { partitions: 1 }),
        clock: () => nowMs + later,
        firstMoment: async () => START_MS - 500,
      });
    });
    afterAll(() => api?.app.close());
    const S = START_MS / 1000;
    const area = (from: number, to: number, box = 'min_lat=50.1&min_lon=4.2&max_lat=50.9&max_lon=4.3'): string =>
      `/v2/area/positions?${box}&from=${S + from}&to=${S + to}`;

    it('all positions of a box are columns by aircraft, made once for whole minutes and degrees', async () => {
      const at = (second: number, lat: number, more = {}) => ({
        icao24: 0x40_0000,
        timeMs: START_MS + 1000 * second,
        lat,
        lon: 5,
        ...more,
      });
      const ground = { icao24: 0x140_0001, onGround: true, altitudeFt: null, speedKt: null, trackDeg: null };
      const rows = [at(61.5, 50.25), at(60, 50), at(59.9, 50.5), at(120, 50.5), at(70, 49.999999), at(65, 51, ground)];
      await storePositions(store.client, rows, 'area');
      const response = await api.app.inject(area(65, 80));
      expect(response.json()).toEqual({
        ...{ total: 3, from: S + 60, to: S + 120, stored_to: S + 120 },
        bbox: { min_lat: 50, min_lon: 4, max_lat: 51, max_lon: 5 },
        aircraft: [
          {
            count: 2,
            hex: '400000',
            t: [0, 1500],
            lat: [50, 50.25],
            lon: [5, 5],
            alt: [12_000, 12_000],
            ground: [0, 0],
            gs: [250, 250],
            track: [90, 90],
          },
          { count: 1, hex: '~400001', t: [5000], lat: [51], lon: [5], alt: [null], ground: [1], gs: [null], track: [null] },
        ],
      });
      const { etag, 'cache-control': cache } = response.headers;
      expect(cache).toBe('private, max-age=10');
      await store.client.command('TRUNCATE TABLE positions');
      const again = await api.app.inject({
        url: area(100, 110, 'min_lat=50.5&min_lon=4&max_lat=50.6&max_lon=5'),
        headers: { 'if-none-match': etag! },
      });
      expect(again.statusCode).toBe(304);
      later += limits.areaFreshMs;
      expect((await api.app.inject(area(65, 80))).json()).toMatchObject({ total: 0, stored_to: S + 60, aircraft: [] });
      expect((await api.app.inject(area(0, 601))).statusCode).toBe(400);
      expect((await api.app.inject(area(0, 60, 'min_lat=0&min_lon=5.7&max_lat=1&max_lon=5.2'))).json()).toMatchObject({
        bbox: { min_lon: -180, max_lon: 180 },
      });
    });

    it('the network over time has means of steps, and no row where nothing was stored', async () => {
      const sample = (second: number, aircraft: number | null) =>
        `(fromUnixTimestamp(${S + second}), -100, -110, -200, -50, 7, ${aircraft}, ${aircraft}, ${aircraft && 10 * aircraft}, ${aircraft}, 0, 0, 0)`;
      const rows = [sample(0, 4), sample(2, 7), sample(58, null), sample(180, 9), sample(180, 10), sample(240, null)];
      await store.client.command(`INSERT INTO signal_history VALUES ${rows.join(', ')}`);
      await insert(0, 5, 6);
      later += limits.networkFreshMs;
      const signal = { avg: -10, median: -11, p10: -20, p90: -5, aircraft_count: 7 };
      const sources = { mlat: 0, tisb: 0, adsr: 0 };
      const response = await api.app.inject(`/v2/stats/history?from=${S + 10}&to=${S + 250}&step=60`);
      expect(response.json()).toEqual({
        ...{ total: 3, from: S, to: S + 300, step: 60, kept: { log: S - 0.5, history: S + 300 } },
        history: [
          {
            ...{ t: S, covered: 6, aircraft: 5.5, aircraft_max: 7, with_position: 5.5, messages_per_second: 5.5 },
            ...{ sources: { adsb_icao: 5.5, ...sources }, signal },
          },
          {
            ...{ t: S + 180, covered: 2, aircraft: 10, aircraft_max: 10, with_position: 10, messages_per_second: 10 },
            ...{ sources: { adsb_icao: 10, ...sources }, signal },
          },
          { t: S + 240, covered: 2, signal },
        ],
      });
      const headers = { 'if-none-match': response.headers.etag! };
      expect((await api.app.inject({ url: `/v2/stats/history?from=${S}&to=${S + 300}&step=60`, headers })).statusCode).toBe(304);
      const steps = async (query: string) => (await api.app.inject(`/v2/stats/history?${query}`)).json();
      expect(await steps(`from=${S - 604_800}&to=${S + 300}`)).toMatchObject({ step: 3600, total: 1, history: [{ t: S, covered: 10 }] });
      expect((await steps(`from=${S - 604_800}&to=${S}&step=60`))['code']).toBe('bad-value');
      const live = await createTestApi(3, { history: new HistoryStore(store.client) });
      expect((await live.app.inject(`/v2/signal/history?from=${S}&to=${S + 120}&step=60`)).json()).toEqual({
        ...{ interval: 60, window: 120, total: 1 },
        history: [{ t: S, ...signal }],
      });
      await live.app.close();
    });
  });
});
