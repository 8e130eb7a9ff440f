// Routes of call signs in the form that maps and home automation read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { createFlightApi, type FlightApi, withSixFlights } from '../../../test/support/flights.ts';

let api: FlightApi;
beforeAll(async () => {
  api = withSixFlights(await createFlightApi());
  api.reference.routes.set('KLM601', ['EHAM', 'EGLL', 'LOWW']);
});
afterAll(() => api.app.close());

const post = (payload: unknown, type = 'application/json') =>
  api.app.inject({
    method: 'POST',
    url: '/api/0/routeset',
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { 'content-type': type },
  });
const lookUp = async (...planes: object[]): Promise<Record<string, unknown>[]> => (await post({ planes })).json();

describe('routes of call signs', () => {
  test('a live flight has its plausible route', async () => {
    expect(await lookUp({ callsign: 'klm1885 ', lat: 50.3, lng: 10.5 })).toEqual([
      {
        ...{ callsign: 'KLM1885', number: '1885', airline_code: 'KLM', airport_codes: 'EHAM-LOWW', _airport_codes_iata: 'AMS-VIE' },
        _airports: [
          {
            ...{ name: 'Amsterdam Schiphol', icao: 'EHAM', iata: 'AMS', location: '', countryiso2: 'NL' },
            ...{ lat: 52.3086, lon: 4.7639, alt_feet: -11, alt_meters: -3.35 },
          },
          expect.objectContaining({ icao: 'LOWW' }),
        ],
        plausible: true,
      },
    ]);
  });

  test('a scheduled one has all its airports; a position that fits no leg is not plausible; an unknown one is unknown', async () => {
    const KLM601 = { callsign: 'KLM601' };
    const planes = [{ ...KLM601, lat: 52, lng: 2 }, { ...KLM601, lat: -30, lng: 20 }, KLM601, { callsign: 'ZZZ9', lat: 1, lng: 1 }];
    const [fits, far, nowhere, unknown] = await lookUp(...planes);
    expect(fits).toMatchObject({ airport_codes: 'EHAM-EGLL-LOWW', plausible: true });
    expect(far).toMatchObject({ airport_codes: 'EHAM-EGLL-LOWW', plausible: false });
    expect(nowhere).not.toHaveProperty('plausible');
    expect(unknown).toMatchObject({ callsign: 'ZZZ9', number: '9', airline_code: 'ZZZ', airport_codes: 'unknown', _airports: [] });
    expect(await lookUp()).toEqual([]);
  });

  test.each([
    ['{', /JSON/],
    [{ planes: [{ callsign: 601 }] }, /string/],
    [{ planes: [{ callsign: 'KLM601', lat: '52', lng: null }] }, /number/],
    [{}, /planes/],
    [{ planes: [{ callsign: 'KLM1', lat: 91, lng: 0 }] }, /lat/],
    [{ planes: new Array(limits.routesetPlanesMax + 1).fill({ callsign: 'A' }) }, /1000/],
    [`{"planes":[],"x":"${'x'.repeat(limits.routesetBytesMax)}"}`, /large/],
  ])('%.40j is refused', async (payload, detail) => {
    const response = await post(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ detail: string }>().detail).toMatch(detail);
  });

  test('pages of other origins may use it, and other methods are named', async () => {
    const preflight = await api.app.inject({ method: 'OPTIONS', url: '/api/0/routeset' });
    expect(preflight.headers).toMatchObject({ 'access-control-allow-methods': 'POST, OPTIONS', 'access-control-allow-origin': '*' });
    const read = await api.app.inject('/api/0/routeset');
    expect([read.statusCode, read.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
    const { headers } = await post({ planes: [] });
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', link: expect.stringContaining('contribute') });
  });
});
