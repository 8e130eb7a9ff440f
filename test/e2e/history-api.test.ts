// The history over HTTP on the real engine: tracks that continue from the store into memory, past flights, the heat map, and a store that ends.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrackMemory } from '../../pipeline/tracks/track-memory.ts';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { type EmptyPast, startEmptyPast } from '../support/empty-past.ts';
import { NOW_MS } from '../support/full-state.ts';
import { handReference } from '../support/hand-reference.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { positionOf, storePositions, type TestPosition } from '../support/positions.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const KEY = 0x4840d6;
const HEX = '4840d6';
const SPLIT_S = 1800;
const now = NOW_MS / 1000;

interface TrackBody {
  readonly total: number;
  readonly incomplete?: boolean;
  readonly thinned: boolean;
  readonly positions: readonly { readonly time: number; readonly stale: boolean; readonly leg: boolean }[];
}

/** A position every 10 s, each in another direction: all are points. */
const position = (secondsAgo: number): TestPosition => ({
  timeMs: NOW_MS - secondsAgo * 1000,
  lat: 52 + secondsAgo / 10_000,
  lon: 4,
  altitudeFt: 12_000,
  speedKt: 250,
  trackDeg: (secondsAgo * 7) % 360,
  rateFpm: null,
});

describe.skipIf(!engine.met)(`the history over HTTP ${engine.reason}`, () => {
  let store: TestHistoryStore;
  let api: TestApi;
  let past: EmptyPast;
  const tracks = new TrackMemory();

  beforeAll(async () => {
    store = await startHistoryStore();
    await insertPositions();
    await insertFlights();
    tracks.beginAt(NOW_MS - SPLIT_S * 1000);
    // The memory has a few older points, too: of an aircraft that it did not displace.
    for (let s = SPLIT_S + 100; s >= 0; s -= 10) tracks.add(KEY, positionOf(position(s)));
    // The real threads over an empty log: every moment is before its frames.
    past = await startEmptyPast();
    api = await createTestApi(3, { tracks, history: new HistoryStore(store.client), reference: handReference(), past: past.past });
    // They have a low priority: on a busy machine their start may take longer than a request.
    await until(async () => (await api.app.inject('/v2/all?at=1')).statusCode === 404, 'the threads of the past', 150_000);
  });
  afterAll(async () => {
    await api?.app.close();
    await past?.stop();
    await store?.stop();
  });

  const insertPositions = (): Promise<void> => {
    const known = { callsign: 'KLM5', squawk: 42, signalDbfs: -12.3 };
    const flown = [KEY, KEY + 1, KEY + (1 << 24)].flatMap((icao24) =>
      Array.from({ length: 2161 }, (_, i) => {
        const flying = position(6 * 3600 - 10 * i);
        return icao24 === KEY ? { ...flying, icao24, ...known } : { ...flying, icao24, lon: flying.lon! + 1 };
      }),
    );
    return storePositions(store.client, flown, 'test');
  };

  async function insertFlights(): Promise<void> {
    const at = (secondsAgo: number): string => new Date(NOW_MS - secondsAgo * 1000).toISOString().replace('Z', '');
    const flight = (n: number, icao24: number, takeoffAirport: string | null, landingAirport: string | null) => ({
      ...{ icao24, callsign: n === 0 ? null : `KLM${n}`, aircraftOffset: n, recordOffset: n, partition: 0, end: 'parked' },
      ...{ firstSeen: at(n * 7200 + 7000), ended: at(n * 7200 + 1000), lastSeen: at(n * 7200 + 2000) },
      ...(takeoffAirport !== null && { origin: takeoffAirport, originSource: 'observed', takeoffAirport, takeoffSource: 'transition' }),
      ...(takeoffAirport !== null && { takeoff: at(n * 7200 + 6000.5) }),
      ...(landingAirport !== null && { landing: at(n * 7200 + 3000), landingAirport, landingSource: 'silence' }),
    });
    const flights = [
      flight(1, KEY, 'EHAM', 'EHAM'),
      flight(0, KEY, null, 'EHAM'),
      flight(2, KEY + 1, 'EHAM', null),
      flight(3, KEY, null, null),
    ];
    const body = Buffer.from(flights.map((row) => JSON.stringify(row)).join('\n'));
    await store.client.insert({ table: 'flights', columns: Object.keys(flights[0]!), format: 'JSONEachRow', body, token: 'test' });
  }

  const get = async <T>(url: string): Promise<T> => {
    const response = await api.app.inject(url);
    expect([url, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([url, 200, '']);
    return response.json() as T;
  };

  it('a track continues from the store into memory, without a double or a missing point', async () => {
    const track = await get<TrackBody>(`/v2/aircraft/${HEX}/track?minutes=120&limit=5000`);
    expect(track.incomplete).toBeUndefined();
    expect(track.positions.map(({ time }) => time)).toEqual(Array.from({ length: 721 }, (_, n) => now - 7200 + n * 10));
    expect(track.positions.filter(({ stale, leg }) => stale || leg)).toEqual([]);
    // From memory alone.
    const recent = await get<TrackBody>(`/v2/aircraft/${HEX}/track?minutes=30`);
    expect([recent.total, recent.incomplete]).toEqual([181, undefined]);
    // An aircraft of the store alone.
    const other = await get<TrackBody>('/v2/aircraft/4840d7/track?minutes=120&limit=10');
    expect([other.total, other.thinned, other.positions[0]!.time]).toEqual([10, true, now - 7200]);
    expect((await api.app.inject('/v2/aircraft/4840d8/track?minutes=120')).statusCode).toBe(404);
  });

  it('past positions are those of the span, both ends included', async () => {
    const body = await get<TrackBody>(
      `/v2/aircraft/~${HEX}/history?from=${now - 20_000}&to=${new Date(NOW_MS - 19_000_000).toISOString()}`,
    );
    expect(body).toMatchObject({ total: 101, from: now - 20_000, to: now - 19_000, hex: `~${HEX}`, thinned: false });
    expect(body.positions[0]).toEqual({
      ...{ time: now - 20_000, lat: 54, lon: 5, alt_baro: 12_000, gs: 250, track: (20_000 * 7) % 360, type: 'adsb_icao' },
      ...{ stale: false, leg: false },
    });
    const heard = await get<TrackBody>(`/v2/aircraft/${HEX}/history?from=${now - 20_000}&to=${now - 19_990}`);
    expect(heard.positions).toMatchObject([{ rssi: -12.3 }, { rssi: -12.3 }]);
    expect(await get('/v2/aircraft/abcdef/history')).toMatchObject({ total: 0, positions: [] });
  });

  it('past flights of an aircraft, the newest first', async () => {
    const body = await get<{ total: number; flights: Record<string, unknown>[] }>(`/v2/aircraft/${HEX}/flights`);
    expect(body).toMatchObject({ total: 3, hex: HEX });
    expect(body.flights[0]).toEqual({
      ...{ hex: HEX, first_seen: now - 7000, last_seen: now - 2000, end: 'parked' },
      ...{ landing: now - 3000, landing_airport: 'EHAM', landing_source: 'silence' },
    });
    expect(body.flights[1]).toMatchObject({ flight: 'KLM1', takeoff: now - 13_200.5, origin: 'EHAM', origin_source: 'observed' });
    expect(await get(`/v2/aircraft/${HEX}/flights?limit=1`)).toMatchObject({ total: 1, truncated: true });
    expect(await get(`/v2/aircraft/${HEX}/flights?from=${now - 15_000}&to=${now - 10_000}`)).toMatchObject({ total: 1 });
  });

  it('take-offs and landings of an airport, the newest first', async () => {
    const { airport, flights } = await get<{ airport: unknown; flights: Record<string, unknown>[] }>('/v2/airport/AMS/flights');
    expect(airport).toMatchObject({ icao: 'EHAM' });
    expect(flights.map(({ movement, hex, time }) => [movement, hex, time])).toEqual([
      ['landing', HEX, now - 3000],
      ['landing', HEX, now - 10_200],
      ['takeoff', HEX, now - 13_200.5],
      ['takeoff', '4840d7', now - 20_400.5],
    ]);
  });

  it('the heat map has the filters of the map', async () => {
    const all = 3 * 2161;
    const counts = {
      ...{ 'min_altitude=12000&max_altitude=12000': all, 'min_altitude=12001': 0, 'max_speed=249': 0, 'min_speed=250': all },
      ...{ 'on_ground=true': 0, 'on_ground=false': all, 'source=adsb_icao': all, 'source=mlat,tisb': 0 },
      ...{ 'squawk=00': 2161, 'squawk=77,0042': 2161, 'squawk=77': 0, 'operator=xy,klm': 2161, 'operator=LM': 0 },
      ...{ 'military=true': 0, 'military=false&squawk=0': 2161, 'type=B73&squawk=0': 2161, 'type=ZZ': 0, 'route=AMS': 0 },
    };
    for (const [filter, positions] of Object.entries(counts)) {
      const box = 'min_lat=52&min_lon=3&max_lat=55&max_lon=6';
      const body = await get<{ positions: number }>(`/v2/area/density?${box}&cell=1&${filter}`);
      expect([filter, body.positions]).toEqual([filter, positions]);
    }
  });

  it('lists of a moment before the log are the newest positions of the minute before it, and say so', async () => {
    interface Lists {
      readonly now: number;
      readonly ac: readonly Readonly<Record<string, unknown>>[];
    }
    const at = now - 7195;
    const all = await get<Lists>(`/v2/all?at=${at}`);
    expect(all).toMatchObject({ now: at, total: 3, from_history: true, messages: 0 });
    expect(all.ac.find(({ hex }) => hex === HEX)).toMatchObject({
      ...{ lat: 52.72, lon: 4, seen_pos: 5, seen: 5, nic: 8, rc: 186, alt_baro: 12_000, gs: 250, track: (7200 * 7) % 360 },
      ...{ on_ground: false, source: 'adsb_icao', messages: 1, flight: 'KLM5    ', squawk: '0042', rssi: -12.3 },
    });
    expect(all.ac.find(({ hex }) => hex === '4840d7')).toMatchObject({ rssi: -49.5 });
    expect(all.ac.map(({ hex }) => hex).sort()).toEqual([HEX, '4840d7', `~${HEX}`].sort());
    expect(all.ac.filter(({ flight, squawk }) => flight !== undefined || squawk !== undefined)).toHaveLength(1);
    expect(await get(`/v2/squawk/0042?at=${at}`)).toMatchObject({ total: 1, from_history: true });
    expect(await get(`/v2/callsign/KLM5?at=${at}`)).toMatchObject({ total: 1, from_history: true });
    expect(await get(`/v2/hex/~${HEX},abcdef?at=${at}`)).toMatchObject({ total: 1, from_history: true });
    expect(await get(`/v2/lat/52.72/lon/4/dist/10?at=${at}`)).toMatchObject({ total: 1, from_history: true });
    expect(await get(`/v2/all?limit=2&at=${at}`)).toMatchObject({ total: 2, truncated: true, from_history: true });
    expect(await get(`/v2/geojson/all?at=${at}`)).toMatchObject({ type: 'FeatureCollection', total: 3, from_history: true });
    expect((await get<Lists>(`/v2/all?fields=lat,lon&at=${at}`)).ac[0]).toEqual({
      hex: expect.any(String),
      lat: 52.72,
      lon: expect.any(Number),
    });
    // No aircraft of the moment before: each clears the one that was shown.
    expect(await get(`/v2/all?at=${now - 6 * 3600}`)).toMatchObject({ total: 3 });
    const before = await api.app.inject(`/v2/all?at=${now - 7 * 3600}`);
    expect([before.statusCode, before.json()['code']]).toEqual([404, 'moment-too-old']);
    const wrong = await api.app.inject(`/v2/all?source=nothing&at=${at}`);
    expect([wrong.statusCode, wrong.json()['code']]).toEqual([400, 'bad-value']);
  });

  it('an airport board of a moment before the log has the ended flights that were under way', async () => {
    const at = now - 18_000;
    const board = await get<{ airport: unknown; flights: Record<string, unknown>[] }>(`/v2/airport/AMS/departures?at=${at}`);
    expect(board).toMatchObject({ now: at, total: 1, from_history: true, airport: { icao: 'EHAM' } });
    expect(board.flights).toMatchObject([
      { hex: '4840d7', origin: { icao: 'EHAM' }, route_source: 'observed', departed_at: Math.floor(now - 20_400.5), lat: 53.8, lon: 5 },
    ]);
    // Before the take-off; before the flight; another call sign.
    const [before, without, renamed] = [now - 20_410, now - 21_450, now - 12_000];
    const { flights } = await get<{ flights: object[] }>(`/v2/airport/EHAM/departures?at=${before}`);
    expect([flights.length, 'departed_at' in flights[0]!]).toEqual([1, false]);
    expect(await get(`/v2/airport/AMS?at=${without}`)).toMatchObject({ total: 0, from_history: true });
    expect(await get(`/v2/airport/AMS?at=${renamed}`)).toMatchObject({ total: 0, departures: { total: 0 } });
  });

  it('without its store: recent positions still, everything else 503 with a code; and all of it again with the store', async () => {
    const pid = store.child.pid()!;
    process.kill(pid, 'SIGSTOP');
    try {
      const track = await get<TrackBody>(`/v2/aircraft/${HEX}/track?minutes=120&limit=5000`);
      expect(track).toMatchObject({ incomplete: true, total: 191 });
      expect(await get(`/v2/aircraft/${HEX}/track?minutes=30`)).toMatchObject({ total: 181 });
      // The last two are of an aircraft that only the store knows.
      for (const url of [
        ...[`/v2/aircraft/${HEX}/history`, `/v2/all?at=${now - 7195}`, `/v2/airport/AMS?at=${now - 18_000}`],
        ...['/v2/aircraft/4840d7/track?minutes=120', '/data/traces/d7/trace_full_4840d7.json'],
      ]) {
        const refused = await api.app.inject(url);
        const { statusCode, headers } = refused;
        expect([url, statusCode, refused.json()['code'], headers['retry-after']]).toEqual([url, 503, 'history-unavailable', '5']);
      }
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(async () => (await api.app.inject(`/v2/aircraft/${HEX}/history`)).statusCode === 200, 'the history again');
  });
});
