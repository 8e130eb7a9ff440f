// Airports, routes, directories and totals over six flights written by hand, with full bodies; every response is also checked against the contract.
import { describe, expect, test } from 'vitest';
import {
  AMS,
  asker,
  callsigns,
  createFlightApi,
  flightState,
  meta,
  NOW,
  planOf,
  VIE,
  withSixFlights,
} from '../../../test/support/flights.ts';
import { NOW_MS } from '../../../test/support/full-state.ts';

const api = withSixFlights(await createFlightApi());
const get = asker(api);

describe('directories', () => {
  test('operators', async () => {
    const { body } = await get('/v2/operators');
    expect(body).toEqual({
      ...meta(2),
      operators: [
        {
          ...{ icao: 'KLM', iata: 'KL', name: 'KLM Royal Dutch Airlines', callsign: 'KLM', country: 'NL' },
          ...{ aircraft_count: 3, airborne: 2, ground: 1 },
          types: [
            { t: 'B738', name: 'BOEING 737-800', count: 2 },
            { t: 'A320', name: 'AIRBUS A-320', count: 1 },
          ],
          callsigns: ['KLM1', 'KLM1885', 'KLM27N'],
        },
        {
          ...{ icao: 'DLH', iata: 'LH', name: 'Lufthansa', callsign: 'LUFTHANSA', country: 'DE' },
          ...{ aircraft_count: 2, airborne: 2, ground: 0 },
          types: [
            { t: 'A320', name: 'AIRBUS A-320', count: 1 },
            { t: 'B738', name: 'BOEING 737-800', count: 1 },
          ],
          callsigns: ['DLH4AB', 'DLH99'],
        },
      ],
    });
    expect((await get('/v2/operators?limit=1')).body).toMatchObject({ total: 1, truncated: true, operators: [{ icao: 'KLM' }] });
  });

  test('types', async () => {
    const [b738, a320] = (await get('/v2/types')).body['types'] as object[];
    const operators = [
      { code: 'KLM', count: 2 },
      { code: 'DLH', count: 1 },
    ];
    expect(b738).toMatchObject({ t: 'B738', aircraft_count: 4, operators });
    expect(a320).toMatchObject({ t: 'A320', aircraft_count: 2, airborne: 1, ground: 1 });
  });

  test('airports nearby', async () => {
    const { body } = await get('/v2/airports/nearby?lat=52.3&lon=4.8&radius=20');
    expect(body).toMatchObject({ ...meta(3), lat: 52.3, lon: 4.8, radius_nm: 20, limit: 20 });
    expect(body['airports']).toMatchObject([
      { local: 'NL-0017', name: 'Süd Heliport', distance_nm: 0, bearing: expect.any(Number) },
      { ...AMS, distance_nm: expect.closeTo(1.4, 0), bearing: expect.closeTo(291, -1) },
      { icao: 'EHHV' },
    ]);
    const wide = (await get('/v2/airports/nearby?lat=52.3&lon=4.8&radius=9000&limit=100')).body;
    expect(wide).toMatchObject({ radius_nm: 500, total: 51 });
    for (const query of ['lat=52.3', 'lat=52.3&lon=4.8&limit=101']) expect((await get(`/v2/airports/nearby?${query}`)).status).toBe(400);
  });

  test('active airports', async () => {
    expect((await get('/v2/airports/active')).body).toEqual({
      ...meta(3),
      airports: [
        { ...AMS, arrivals: 1, departures: 3, movements: 4 },
        { ...VIE, arrivals: 2, departures: 1, movements: 3 },
        expect.objectContaining({ iata: 'LHR', arrivals: 1, departures: 0, movements: 1 }),
      ],
    });
  });
});

describe('an airport', () => {
  test('has arrivals, the nearest first, and departures, those on the ground first', async () => {
    const { body } = await get('/v2/airport/VIE');
    expect(body).toMatchObject({ ...meta(3), airport: VIE, arrivals: { total: 2 }, departures: { total: 1 } });
    expect(callsigns((body['arrivals'] as { flights: unknown }).flights)).toEqual(['KLM1885', 'KLM27N']);
    expect(callsigns((await get('/v2/airport/eham/departures')).body['flights'])).toEqual(['KLM27N', 'KLM1', 'KLM1885']);
    expect(callsigns((await get('/v2/airport/EHAM/arrivals')).body['flights'])).toEqual(['DLH4AB']);
  });

  test('in numbers', async () => {
    expect((await get('/v2/airport/AMS/traffic-summary')).body).toEqual({
      ...meta(4),
      airport: AMS,
      arrivals: 1,
      departures: 3,
      types: [
        { t: 'B738', name: 'BOEING 737-800', count: 3 },
        { t: 'A320', name: 'AIRBUS A-320', count: 1 },
      ],
      operators: [
        { code: 'KLM', name: 'KLM Royal Dutch Airlines', count: 3 },
        { code: 'DLH', name: 'Lufthansa', count: 1 },
      ],
    });
  });

  test('has aircraft near it, whatever their route', async () => {
    const { body } = await get('/v2/airport/AMS/nearby-aircraft');
    const ac = [{ hex: '480005', dst: expect.closeTo(0.15, 0) }, { hex: '480001' }];
    expect(body).toMatchObject({ total: 2, airport: AMS, radius_nm: 25, ac });
    expect((await get('/v2/airport/AMS/nearby-aircraft?radius=9000')).body).toMatchObject({ radius_nm: 250 });
    expect((await get('/v2/airport/NL-0017/nearby-aircraft')).body['airport']).toMatchObject({ name: 'Süd Heliport' });
  });

  test('without traffic is empty, an unknown one is a problem', async () => {
    expect(await get('/v2/airport/SYD')).toMatchObject({ status: 200, body: { arrivals: { total: 0, flights: [] }, total: 0 } });
    for (const path of ['', '/arrivals', '/departures', '/traffic-summary', '/nearby-aircraft'])
      expect(await get(`/v2/airport/ZZZZ${path}`)).toMatchObject({ status: 404, body: { code: 'unknown-airport' } });
  });
});

describe('a route', () => {
  test('has its flights', async () => {
    const { body } = await get('/v2/route/AMS/VIE');
    expect(body).toMatchObject({ ...meta(2), origin: AMS, destination: VIE, distance_nm: expect.closeTo(518, -1), limit: 100 });
    expect(callsigns(body['flights'])).toEqual(['KLM1885', 'KLM27N']);
  });

  test('has the flights of the search for it, parked ones too', async () => {
    const other = await createFlightApi();
    for (const callsign of ['KLM1', 'KLM2']) other.book.put(planOf(callsign, 'EHAM', 'LOWW'));
    other.tick([flightState(1, 'KLM1', [50, 10]), flightState(2, 'KLM2', [52.31, 4.77], { onGround: true, groundSpeedDeciKt: 0 })]);
    const bodyOf = async (url: string) => (await other.app.inject(url)).json<Record<string, unknown>>();
    const searched = await bodyOf('/v2/flights?routes=AMS-VIE');
    expect(callsigns(searched['flights'])).toEqual(['KLM1', 'KLM2']);
    expect((await bodyOf('/v2/route/AMS/VIE'))['flights']).toEqual(searched['flights']);
    expect((await bodyOf('/v2/route/AMS/VIE/summary'))['flights']).toEqual(['KLM1', 'KLM2']);
  });

  test('in numbers', async () => {
    expect((await get('/v2/route/AMS/VIE/summary')).body).toEqual({
      ...meta(2),
      origin: AMS,
      destination: VIE,
      distance_nm: expect.closeTo(518, -1),
      flights: ['KLM1885', 'KLM27N'],
      types: [
        { t: 'A320', name: 'AIRBUS A-320', count: 1 },
        { t: 'B738', name: 'BOEING 737-800', count: 1 },
      ],
      operators: [{ code: 'KLM', name: 'KLM Royal Dutch Airlines', count: 2 }],
      altitude: { min: 0, max: 36_000, mean: 18_000 },
    });
    expect((await get('/v2/route/SYD/MEL/summary')).body).toMatchObject({ total: 0, flights: [] });
    expect(await get('/v2/route/AMS/ZZZZ/summary')).toMatchObject({ status: 404, body: { code: 'unknown-airport' } });
    expect(await get('/v2/route/ZZZZ/AMS')).toMatchObject({ status: 404, body: { code: 'unknown-airport' } });
  });
});

test('the network in numbers', async () => {
  const { body } = await get('/v2/stats/live');
  expect(body).toMatchObject({
    ...{ now: NOW, ctime: NOW + 0.3, aircraft_total: 7, with_position: 6, airborne: 5, ground: 2, messages: 4242 },
    sources: { adsb_icao: 7, mlat: 0, tisb: 0, adsr: 0 },
    airports: [
      { code: 'EHAM', name: 'Amsterdam Schiphol', count: 4 },
      { code: 'LOWW', count: 3 },
      { code: 'EGLL', count: 1 },
    ],
    countries: [{ code: 'NL', name: 'Netherlands', count: 7 }],
    operators: [
      { code: 'KLM', name: 'KLM Royal Dutch Airlines', count: 3 },
      { code: 'DLH', name: 'Lufthansa', count: 2 },
    ],
  });
  const countries = [{ country: 'NL', name: 'Netherlands', aircraft_count: 7, airborne: 5, ground: 2 }];
  expect((await get('/v2/area/countries')).body).toEqual({ ...meta(1), countries, unknown: 0 });
});

test('the 20 minutes an arrival stays for them after it landed; a flight that stands still at its origin is none', async () => {
  const other = await createFlightApi();
  other.book.put(planOf('KLM5', 'EHAM', 'LOWW'));
  const names = async (path: string): Promise<string[]> =>
    callsigns((await other.app.inject(`/v2/airport/${path}`)).json<{ flights: unknown }>().flights);
  const at = (minutes: number, position: readonly [number, number], change: object): void => {
    const timeMs = NOW_MS + minutes * 60_000;
    other.tick([flightState(1, 'KLM5', position, { seenMs: timeMs, positionMs: timeMs, ...change })], timeMs);
  };
  const ground = { onGround: true, altitudeBaroFt: null };
  at(0, [52.31, 4.77], { ...ground, groundSpeedDeciKt: 0 });
  expect(await names('AMS/departures')).toEqual([]);
  at(1, [52.31, 4.77], { ...ground, groundSpeedDeciKt: 120 });
  expect([await names('AMS/departures'), await names('VIE/arrivals')]).toEqual([['KLM5'], ['KLM5']]);
  at(3, [52.25, 4.9], { altitudeBaroFt: 3000, groundSpeedDeciKt: 2000 });
  expect([await names('AMS/departures'), await names('VIE/arrivals')]).toEqual([['KLM5'], ['KLM5']]);
  at(98, [48.13, 16.6], { altitudeBaroFt: 1500, groundSpeedDeciKt: 1400 });
  at(100, [48.11, 16.57], { ...ground, groundSpeedDeciKt: 300 });
  expect([await names('AMS/departures'), await names('VIE/arrivals')]).toEqual([[], ['KLM5']]);
  at(119, [48.11, 16.58], { ...ground, groundSpeedDeciKt: 0 });
  expect(await names('VIE/arrivals')).toEqual(['KLM5']);
  at(121, [48.11, 16.58], { ...ground, groundSpeedDeciKt: 0 });
  expect(await names('VIE/arrivals')).toEqual([]);
  expect(other.observed()).toEqual([]);
});

test('boards `limit` and `fields` cut arrivals and departures, and the response says how many there are', async () => {
  const hexes = (body: Record<string, unknown>) => (body['flights'] as { hex: string }[]).map(({ hex }) => hex);
  const whole = (await get('/v2/airport/AMS/departures')).body;
  expect(whole['total']).toBe(3);
  expect(whole).not.toHaveProperty('matches');
  const { body } = await get('/v2/airport/AMS/departures?limit=2&fields=flight');
  expect(body).toMatchObject({ total: 2, matches: 3, truncated: true, airport: AMS });
  for (const flight of body['flights'] as object[]) expect(Object.keys(flight)).toEqual(['hex', 'flight']);
  expect(hexes(body)).toEqual(hexes(whole).slice(0, 2));
  expect((await get('/v2/airport/AMS/arrivals?limit=5')).body).not.toHaveProperty('truncated');
  for (const query of ['fields=altitude', 'limit=0']) expect((await get(`/v2/airport/AMS/arrivals?${query}`)).status).toBe(400);
});
