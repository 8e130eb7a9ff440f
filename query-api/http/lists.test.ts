// Aircraft lists in process: who is in them and in what order, filters, formats, the three views, and what is refused.
import { describe, expect, it } from 'vitest';
import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import { emptyReference } from '../../pipeline/reference/reference.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { bareState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestApi } from '../../test/support/live-view.ts';

interface Aircraft {
  readonly hex: string;
  readonly [member: string]: unknown;
}

const factsOf: Readonly<Record<number, AircraftFacts>> = {
  11141121: { registration: 'D-ABCD', typeDesignator: 'A320', description: 'Airbus A320', dbFlags: 0 },
  11141122: { registration: 'PH-BXA', typeDesignator: 'B738', dbFlags: 0 },
  11141123: { registration: '54+01', typeDesignator: 'A400', dbFlags: 1 },
  11141124: { registration: 'N1PIA', typeDesignator: 'B738', dbFlags: 2 | 4 | 8 },
};
const at = (hex: string, lat: number, lon: number, more: Partial<AircraftState>): AircraftState =>
  bareState(hex, {
    messages: 10,
    seenMs: NOW_MS - 1000,
    positionMs: NOW_MS - 1000,
    positionValid: true,
    source: 0,
    latitudeMicrodeg: lat * 1e6,
    longitudeMicrodeg: lon * 1e6,
    nic: 8,
    rcM: 186,
    ...more,
  });
// Lists have them in the order of positions: rows of one degree from the south, each from -180; those without a position come last.
const states = [
  at('aa0001', 50, 8, { flight: 'DLH12A  ', altitudeBaroFt: 35_000, onGround: false, squawk: '1000', altitudeGeomFt: 36_000 }),
  at('aa0002', 50.5, 8, { flight: 'KLM1234 ', altitudeBaroFt: 12_000, onGround: false, squawk: '7700', emergency: 1 }),
  at('aa0003', 50, 179.9, { flight: 'GAF123  ', onGround: true, emergency: 2, source: 5 }),
  at('aa0004', 50, -179.9, { altitudeBaroFt: -50, onGround: false, squawk: '7600', source: 11 }),
  bareState('~aa0005', { messages: 5, seenMs: NOW_MS, squawk: '7500', flight: 'DLH99   ' }),
];

const reference = { ...emptyReference, facts: (key: number) => factsOf[key] ?? null };
const { app, view } = await createTestApi(0, { reference });
for (const state of states) view.table.applyState(state);
view.tick(NOW_MS);
const get = async (url: string) => {
  const response = await app.inject(url);
  const body = response.json<Record<string, unknown>>();
  const ac = (body['ac'] ?? body['aircraft'] ?? []) as Aircraft[];
  return { status: response.statusCode, type: String(response.headers['content-type']), body, ac, hexes: ac.map(({ hex }) => hex) };
};

const box = '/v2/bbox?min_lat=-90&max_lat=90&min_lon=-180&max_lon=180';

it.each([
  // By what they are called.
  ['/v2/reg/d-abcd', ['aa0001']],
  ['/v2/reg/DABCD,PH-BXA,N0NE', ['aa0001', 'aa0002']],
  ['/v2/reg/54%2B01', ['aa0003']],
  ['/v2/type/b738', ['aa0004', 'aa0002']],
  ['/v2/callsign/klm1234', ['aa0002']],
  ['/v2/callsign/DLH99,DLH12A', ['~aa0005', 'aa0001']],
  ['/v2/callsign/DLH', []],
  ['/v2/squawk/7700', ['aa0002']],
  ['/v2/squawk/7500,1000/', ['aa0001', '~aa0005']],
  ['/v2/hex/aa0002,ffffff,AA0001,aa0002/', ['aa0002', 'aa0001']],
  ['/v2/hex/aa0001,%7eAA0005,aa0005', ['aa0001', '~aa0005']],
  ['/v2/hex/ffffff', []],
  ['/v2/hex/ffffff?military=false', []],
  // By filters of any list.
  [`${box}&min_altitude=12000`, ['aa0001', 'aa0002']],
  [`${box}&above_alt_baro=12001`, ['aa0001']],
  [`${box}&max_altitude=0`, ['aa0004', 'aa0003']],
  [`${box}&min_altitude=0&below_alt_baro=20000`, ['aa0002', 'aa0003']],
  [`${box}&type=a320,a400`, ['aa0001', 'aa0003']],
  [`${box}&squawk=1000`, ['aa0001']],
  [`${box}&callsign=dlh,gaf`, ['aa0001', 'aa0003']],
  [`${box}&operator=KLM`, ['aa0002']],
  [`${box}&military=true`, ['aa0003']],
  [`${box}&military=false`, ['aa0004', 'aa0001', 'aa0002']],
  [`${box}&source=mlat`, ['aa0003']],
  [`${box}&source=tisb`, ['aa0004']],
  [`${box}&source=adsb_icao,mlat&limit=1`, ['aa0001']],
  ['/v2/all?operator=DLH', ['aa0001', '~aa0005']],
  // In the aggregators’ view.
  ['/compat/v2/all', ['aa0004', 'aa0001', 'aa0002', 'aa0003', '~aa0005']],
  ['/compat/v2/mil', ['aa0003']],
  ['/compat/v2/ladd', ['aa0004']],
  ['/compat/v2/pia', ['aa0004']],
  ['/compat/v2/hex/aa0001', ['aa0001']],
  ['/compat/v2/icao/aa0001/', ['aa0001']],
  ['/compat/v2/reg/D-ABCD', ['aa0001']],
  ['/compat/v2/registration/D-ABCD', ['aa0001']],
  ['/compat/v2/type/B738', ['aa0004', 'aa0002']],
  ['/compat/v2/callsign/KLM1234', ['aa0002']],
  ['/compat/v2/squawk/7700', ['aa0002']],
  ['/compat/v2/sqk/7700', ['aa0002']],
  ['/compat/v2/lat/50/lon/8/dist/5', ['aa0001']],
  ['/compat/v2/closest/50.4/8/100', ['aa0002']],
  ['/compat/v2/closest/0/0/10', []],
])('%s', async (url, hexes) => {
  const { status, body, hexes: found } = await get(url);
  expect([status, found, body['total']]).toEqual([200, hexes, hexes.length]);
  expect(body['truncated']).toBe(url.includes('limit') ? true : undefined);
});

it('facts are members of the aircraft', async () => {
  expect((await get('/v2/hex/aa0003')).ac[0]).toMatchObject({ r: '54+01', t: 'A400', dbFlags: 1 });
});

describe('aircraft by where they are', () => {
  it('a radius: ascending distance, with distance and direction, with a clamped radius in the response', async () => {
    const { body, ac, hexes } = await get('/v2/lat/50/lon/8/dist/500');
    expect(hexes).toEqual(['aa0001', 'aa0002']);
    expect(body['radius_nm']).toBe(250);
    expect(ac[0]).toMatchObject({ dst: 0 });
    expect(ac[1]).toMatchObject({ dst: 30.02, dir: 0 });
  });

  it('the nearest: the requested number, also across the antimeridian', async () => {
    expect((await get('/v2/aircraft/nearest?lat=50&lon=180')).hexes).toEqual(['aa0003', 'aa0004']);
    const one = await get('/v2/aircraft/nearest?lat=50&lon=-179.99&limit=1&radius=10');
    expect([one.hexes, one.body['truncated'], one.body['radius_nm']]).toEqual([['aa0004'], true, 10]);
  });

  it('a box, one over the antimeridian, and the echo', async () => {
    const { hexes, body } = await get('/v2/bbox?min_lat=50&max_lat=50.2&min_lon=8&max_lon=9');
    expect([hexes, body['bbox']]).toEqual([['aa0001'], { min_lat: 50, min_lon: 8, max_lat: 50.2, max_lon: 9 }]);
    expect((await get('/v2/bbox?min_lat=-90&max_lat=90&min_lon=170&max_lon=-170')).hexes).toEqual(['aa0004', 'aa0003']);
  });
});

it('emergencies: by squawk and by status, with their reasons; medical flights only on request', async () => {
  const { ac, hexes } = await get('/v2/emergencies');
  expect(hexes).toEqual(['aa0004', 'aa0002', '~aa0005']);
  const reasons = ac.map(({ emergency_reasons }) => emergency_reasons);
  expect(reasons).toEqual([['squawk_7600'], ['squawk_7700', 'adsb_general'], ['squawk_7500']]);
  expect((await get('/v2/emergencies?include=lifeguard')).hexes).toContain('aa0003');
});

describe('forms of any list', () => {
  it('/v2/all has limits, too', async () => {
    expect((await get('/v2/all?limit=2')).body).toMatchObject({ total: 2, truncated: true });
    expect((await get('/v2/all?operater=DLH')).body).toMatchObject({ status: 400, code: 'unknown-parameter' });
  });

  it('some members only, hex always', async () => {
    const { ac } = await get('/v2/lat/50/lon/8/dist/50?fields=flight,alt_baro,dst');
    expect(ac).toEqual([
      { hex: 'aa0001', flight: 'DLH12A  ', alt_baro: 35_000, dst: 0 },
      { hex: 'aa0002', flight: 'KLM1234 ', alt_baro: 12_000, dst: 30.02 },
    ]);
  });

  it('GeoJSON: those with a position, metres, the other members as properties', async () => {
    const { type, body } = await get('/v2/geojson/hex/aa0001,~aa0005?fields=flight');
    expect(type).toBe('application/geo+json');
    expect(body).toMatchObject({ type: 'FeatureCollection', now: NOW_MS / 1000, total: 1 });
    expect(body['features']).toEqual([
      {
        type: 'Feature',
        id: 'aa0001',
        geometry: { type: 'Point', coordinates: [8, 50, 10_972.8] },
        properties: { hex: 'aa0001', flight: 'DLH12A  ' },
      },
    ]);
  });
});

it.each([
  ['/v2/lat/1/lon/1/dist/-1', 'nm', /expected at least 0/],
  ['/v2/bbox?min_lat=5&max_lat=4&min_lon=1&max_lon=2', 'min_lat', /at most max_lat, 4/],
  ['/v2/bbox?min_lat=5&max_lat=6', 'min_lon', /missing/],
  ['/v2/aircraft/nearest?lat=1&lon=1&limit=101', 'limit', /expected at most 100/],
  ['/v2/squawk/9999', 'code', /octal/],
  ['/v2/type/B738?source=satellite', 'source', /adsb_icao/],
  ['/v2/type/B738?fields=altitude', 'fields', /expected a member of aircraft/],
  ['/v2/type/B738?fields=alt_bar', 'fields', /did you mean alt_baro/],
  ['/re-api/?circle=1,2', 'circle', /3 numbers/],
  ['/re-api/?circle=91,2,5', 'circle', /-90 to 90/],
  ['/re-api/?closest=1,2,-5', 'closest', /a radius of at least 0/],
  ['/re-api/?box=5,4,1,2', 'box', /south/],
  ['/re-api/?box=4,5,1,181', 'box', /-180 to 180/],
  ['/re-api/?all&filter_calsign_exact=KLM1', 'filter_calsign_exact', /did you mean filter_callsign_exact/],
  ['/re-api/?all&filter_anything', 'filter_anything', /./],
  ['/re-api/?all&feilds=hex', 'feilds', /expected one of/],
  ['/re-api/?binCraft&zstd&box=1,2,3,4', 'binCraft', /./],
  ['/re-api/?find_hex=aa0001,nonsense', 'find_hex', /6 hex digits/],
  ['/v2/hex/aa0001,nonsense', 'hex', /6 hex digits/],
  [`/v2/reg/${'a,'.repeat(1001)}`, 'reg', /at most 1000/],
  [`/v2/all?operator=${'a,'.repeat(1001)}`, 'operator', /at most 1000/],
])('%s is refused', async (url, param, detail) => {
  const { status, type, body } = await get(url);
  expect([status, type]).toEqual([400, 'application/problem+json; charset=utf-8']);
  expect((body['errors'] as object[])[0]).toEqual({ param, detail: expect.stringMatching(detail) });
});

it('the aggregators’ view has their envelope, whole milliseconds, and records as readsb has them', async () => {
  const { body, ac } = await get('/compat/v2/point/50/8/100/');
  expect(Object.keys(body)).toEqual(['ac', 'msg', 'now', 'total', 'ctime', 'ptime', 'radius_nm']);
  expect(body).toMatchObject({ msg: 'No error', now: NOW_MS, total: 2, ctime: NOW_MS + 300, ptime: 0 });
  expect(ac[0]).toMatchObject({ hex: 'aa0001', type: 'adsb_icao', dst: 0 });
});

describe('readsb’s view', () => {
  it('the aggregators’ envelope from /re-api/ on request', async () => {
    expect((await get('/re-api/?jv2&circle=50,8,10')).body).toMatchObject({
      msg: 'No error',
      now: NOW_MS,
      total: 1,
      ac: [{ hex: 'aa0001' }],
    });
  });

  it.each([
    ['all', 5],
    ['all_with_pos', 4],
    ['box=49,51,7,9', 2],
    ['circle=50,8,10', 1],
    ['closest=50.4,8,250', 1],
    ['closest=50.4,8,250&filter_squawk=1000', 1],
    ['find_hex=aa0001,aa0002', 2],
    ['find_callsign=KLM1234', 1],
    ['find_reg=D-ABCD', 1],
    ['find_type=B738', 2],
    ['find_squawk=7700', 1],
    ['all&filter_mil', 1],
    ['all&filter_squawk=7700,7600', 2],
    ['all&filter_with_pos&above_alt_baro=10000', 2],
    ['all&filter_interesting', 1],
    ['all&filter_mil&filter_interesting', 2],
    ['all&filter_type=b738,A400', 3],
    ['box=49,51,7,9&filter_type=B738', 1],
    ['all&filter_callsign_exact=DLH12A', 1],
    ['all&filter_callsign_exact=DLH', 0],
    ['all&filter_callsign_exact=dlh12a,KLM1234,NONE', 2],
    ['all&filter_callsign_prefix=KLM,DLH', 3],
    ['filter_with_pos&json', 4],
    ['all&filter_callsign_prefix=dlh', 2],
    ['hexlist=aa0001,AA0002,ffffff', 2],
    // Cache breakers of maps, and formats that say what is given anyway.
    ['all&json&_=17', 5],
    ['circle=50,8,100&below_alt_baro=20000', 1],
  ])('/re-api/?%s', async (query, count) => {
    const { body, ac } = await get(`/re-api/?${query}`);
    expect(body).toMatchObject({ now: NOW_MS / 1000, resultCount: count });
    expect(ac).toHaveLength(count);
  });
});
