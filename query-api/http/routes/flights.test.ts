// Flights over six written by hand, with full bodies; every response is also checked against the contract.
import { describe, expect, test } from 'vitest';
import { AMS, asker, callsigns, createFlightApi, flightState, meta, NOW, VIE, withSixFlights } from '../../../test/support/flights.ts';

const api = withSixFlights(await createFlightApi());
const get = asker(api);

describe('one flight', () => {
  test('has all of its airports and its whole record', async () => {
    const { status, body } = await get('/v2/flight/klm1885');
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...meta(1), matched_by: 'callsign' });
    expect(body['flight']).toEqual({
      ...{ hex: '480000', flight: 'KLM1885 ', r: `PH-${(0x48_0000).toString(36).toUpperCase()}`, t: 'B738', operator: 'KLM' },
      ...{ status: 'level', origin: AMS, destination: VIE, route_source: 'plan', route_plausible: true },
      ...{ lat: 50.3, lon: 10.5, alt_baro: 36_000, gs: 450, track: 120, baro_rate: 0 },
      ...{ squawk: '1234', emergency: 'none', seen: 0, seen_pos: 0, progress_percent: 48 },
      distance_from_origin_nm: expect.closeTo(246, -1),
      distance_to_destination_nm: expect.closeTo(271, -1),
      eta: expect.closeTo(NOW + 2170, -3),
    });
    expect(body['aircraft']).toMatchObject({ hex: '480000', route_origin: 'AMS', route_dest: 'VIE', alt_baro: 36_000 });
    expect(body).not.toHaveProperty('alternatives');
    const found = async (name: string) => (await get(`/v2/flight/${name}`)).body;
    const other = { flight: { hex: '480002' } };
    expect(await found(`PH-${(0x48_0002).toString(36).toUpperCase()}`)).toMatchObject({ ...other, matched_by: 'registration' });
    expect(await found('480002')).toMatchObject({ ...other, matched_by: 'hex' });
    for (const name of ['KLM404', 'ffffff'])
      expect(await get(`/v2/flight/${name}`)).toMatchObject({ status: 404, body: { code: 'flight-not-found' } });
  });

  test('of several is the one in the air; the others are named', async () => {
    const other = await createFlightApi();
    other.tick([
      flightState(1, 'ACA123', [50, 5], { onGround: true, altitudeBaroFt: null }),
      flightState(2, 'ACA123', [50, 6]),
      { ...flightState(3, 'BAW1', [50, 7]), hex: 'aca123' },
    ]);
    const body = (await other.app.inject('/v2/flight/ACA123')).json<Record<string, unknown>>();
    expect(body).toMatchObject({ matched_by: 'callsign', flight: { hex: '480002' } });
    expect(body['alternatives']).toMatchObject([
      { hex: '480001', flight: 'ACA123  ', matched_by: 'callsign' },
      { hex: 'aca123', flight: 'BAW1    ', matched_by: 'hex' },
    ]);
  });
});

describe('flights', () => {
  test('without filters are all but vehicles', async () => {
    const { body } = await get('/v2/flights');
    expect(body).toMatchObject({ ...meta(6), filters: {}, limit: 100 });
    expect(body).not.toHaveProperty('next_cursor');
    expect(callsigns(body['flights'])).toEqual(['KLM1885', 'KLM27N', 'DLH4AB', 'DLH99', 'KLM1', 'PHABC']);
  });

  test('that do not fit their route show none', async () => {
    const [flight] = (await get('/v2/flights?status=emergency')).body['flights'] as Record<string, unknown>[];
    expect(flight).toMatchObject({ flight: 'DLH99   ', status: 'emergency', route_source: 'plan', route_plausible: false });
    expect(flight).not.toHaveProperty('origin');
    expect((await get('/v2/hex/480003')).body['ac']).not.toMatchObject([{ route_origin: expect.anything() }]);
  });

  test.each<[string, string[], object]>([
    ['origin=AMS', ['KLM1885', 'KLM27N', 'KLM1'], { origin: ['AMS'] }],
    ['destination=EHAM,lhr', ['DLH4AB', 'KLM1'], { destination: ['EHAM', 'LHR'] }],
    ['airports=LHR', ['KLM1'], { airports: ['LHR'] }],
    ['routes=AMS-VIE,VIE-AMS', ['KLM1885', 'KLM27N', 'DLH4AB'], { routes: ['AMS-VIE', 'VIE-AMS'] }],
    ['operator=KL', ['KLM1885', 'KLM27N', 'KLM1'], { operator: ['KL'] }],
    ['operator=KLM,DLH&type=A320', ['KLM27N', 'DLH99'], { operator: ['KLM', 'DLH'], type: ['A320'] }],
    ['status=ground', ['KLM27N'], { status: ['ground'] }],
    ['status=climbing,descending', ['DLH4AB', 'KLM1'], { status: ['climbing', 'descending'] }],
    ['status=airborne&operator=KLM', ['KLM1885', 'KLM1'], { status: ['airborne'], operator: ['KLM'] }],
    ['max_altitude=0', ['KLM27N'], { max_altitude: 0 }],
    ['above_alt_baro=15000&below_alt_baro=20000', ['DLH4AB', 'KLM1'], { min_altitude: 15_000, max_altitude: 20_000 }],
    ['origin=ZZZZ', [], { origin: ['ZZZZ'] }],
    ['type=C172', [], { type: ['C172'] }],
  ])('%s', async (query, wanted, filters) => {
    const { status, body } = await get(`/v2/flights?${query}`);
    expect(status).toBe(200);
    expect(callsigns(body['flights']).sort()).toEqual([...wanted].sort());
    expect(body['filters']).toEqual(filters);
    expect(body['total']).toBe(wanted.length);
  });

  test.each(['origin=A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P', 'status=flying', 'routes=AMS', 'origin=AMS,', 'limit=1001', 'sort=colour'])(
    '%s is refused',
    async (query) => {
      expect(await get(`/v2/flights?${query}`)).toMatchObject({ status: 400, body: { errors: [{ param: query.split('=')[0] }] } });
    },
  );

  test.each([['hex'], ['-hex'], ['flight'], ['-flight'], ['alt_baro'], ['-alt_baro'], ['gs'], ['eta'], ['-eta']])(
    'page by page in the order of %s are all, each once',
    async (sort) => {
      const whole = callsigns((await get(`/v2/flights?sort=${sort}`)).body['flights']);
      expect(whole.length).toBe(6);
      const walked: string[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await get(`/v2/flights?sort=${sort}&limit=2${cursor}`);
        expect(body).toMatchObject({ total: 2, matches: 6 });
        walked.push(...callsigns(body['flights']));
        if (body['next_cursor'] === undefined) break;
        cursor = `&cursor=${String(body['next_cursor'])}`;
      }
      expect(walked).toEqual(whole);
    },
  );

  test('page by page, while others come, go and move, miss none and repeat none', async () => {
    const other = await createFlightApi();
    const cruise = (n: number, minute: number) =>
      flightState(n, `KLM${n}`, [50 + n / 50, 5], { groundSpeedDeciKt: 4000 + ((n * 37 + minute * 11 * n) % 500) });
    const walk = async (sort: string): Promise<string[]> => {
      const walked: string[] = [];
      for (let minute = 0, cursor = ''; ; minute += 1) {
        for (let n = 0; n < 10; n += 1) other.view.table.remove((0x48_0000 + 2 * n + 1).toString(16));
        other.tick(Array.from({ length: 50 }, (_, n) => cruise(n, minute)).filter((_, n) => n % 2 === 0 || n > 20 || minute % 2 === 0));
        const body = (await other.app.inject(`/v2/flights?sort=${sort}&limit=7${cursor}`)).json<{
          flights: object;
          next_cursor?: string;
        }>();
        walked.push(...callsigns(body.flights));
        if (body.next_cursor === undefined) return walked;
        cursor = `&cursor=${body.next_cursor}`;
      }
    };
    const always = Array.from({ length: 50 }, (_, n) => n).filter((n) => n % 2 === 0 || n > 20);
    for (const sort of ['hex', '-hex', 'flight']) {
      const walked = await walk(sort);
      expect(new Set(walked).size).toBe(walked.length);
      expect(walked).toEqual(expect.arrayContaining(always.map((n) => `KLM${n}`)));
    }
  });

  test('a cursor continues in its own order', async () => {
    const after = `&cursor=${String((await get('/v2/flights?sort=-gs&limit=2')).body['next_cursor'])}`;
    const next = (await get(`/v2/flights?sort=-gs${after}`)).body['flights'];
    expect((await get(`/v2/flights?sort=flight${after}`)).body['flights']).toEqual(next);
    expect(await get('/v2/flights?cursor=WyJoZXgiXQ')).toMatchObject({ status: 400, body: { code: 'bad-value' } });
  });

  test('of an operator and of a type', async () => {
    const klm = (await get('/v2/operator/kl/flights?sort=flight')).body;
    expect(klm).toMatchObject({ ...meta(3), operator: { icao: 'KLM', name: 'KLM Royal Dutch Airlines', country: 'NL' } });
    expect(callsigns(klm['flights'])).toEqual(['KLM1', 'KLM1885', 'KLM27N']);
    const b738 = (await get('/v2/types/b738/flights')).body;
    expect(b738).toMatchObject({ ...meta(4), type: { t: 'B738', desc: 'BOEING 737-800' } });
    expect(await get('/v2/operator/VLG/flights')).toMatchObject({ status: 200, body: { total: 0, flights: [] } });
    expect(await get('/v2/operator/ZZZ/flights')).toMatchObject({ status: 404, body: { code: 'unknown-operator' } });
    expect(await get('/v2/types/ZZZZ/flights')).toMatchObject({ status: 404, body: { code: 'unknown-type' } });
  });
});

describe('a search', () => {
  const found = async (q: string): Promise<string[]> => {
    const { status, body } = await get(`/v2/search?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
    return (body['results'] as { kind: string; match: string; key: string }[]).map(({ kind, match, key }) => `${match} ${kind} ${key}`);
  };

  test('has what fits exactly, then beginnings, then words, and kinds in turn', async () => {
    const flights = ['480004', '480000', '480001'].map((hex) => `prefix aircraft ${hex}`);
    expect(await found('klm')).toEqual(['exact operator KLM', ...flights]);
    expect(await found('KLM 1')).toEqual(['exact aircraft 480004', 'prefix aircraft 480000']);
    expect(await found('schip')).toEqual(['word airport EHAM']);
    expect(await found('sud heli')).toEqual(['prefix airport NL-0017']);
    expect(await found('a320')).toEqual(['exact type A320']);
    expect(await found('~480000')).toEqual([]);
    expect(await found('480001')).toEqual(['exact aircraft 480001']);
    expect(await found('ams-vie')).toEqual(['exact route EHAM/LOWW']);
    expect(await found('-')).toEqual([]);
  });

  test('says what a page shows', async () => {
    const r = (0x48_0000).toString(36).toUpperCase();
    const { body } = await get(`/v2/search?q=ph${r}`);
    const aircraft = { kind: 'aircraft', match: 'exact', key: '480000', label: 'KLM1885', lat: 50.3, lon: 10.5 };
    expect(body).toEqual({ ...meta(1), results: [{ ...aircraft, detail: `PH-${r}, 480000, B738, AMS - VIE` }] });
    const { body: one } = await get('/v2/search?q=vienna&limit=1');
    const airport = { kind: 'airport', match: 'exact', key: 'LOWW', label: 'Vienna', detail: 'LOWW, VIE, AT', lat: 48.1103, lon: 16.5697 };
    expect(one['results']).toEqual([airport]);
  });
});
