// Lists and airport boards with `at`: the responses of then again, boards while their flights last, and from ended flights afterwards, without later data.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { AMS, createFlightModel, flightState, NOW, SIX_FLIGHTS, withSixFlights } from '../../test/support/flights.ts';
import { NOW_MS } from '../../test/support/full-state.ts';
import { handReference } from '../../test/support/hand-reference.ts';
import { createApiOver, createTestView, type TestApi, testModel } from '../../test/support/live-view.ts';
import { QueryError } from '../queries/errors.ts';
import { flightsOf } from '../queries/flights.ts';
import { HistoryStore } from '../queries/history/history-store.ts';
import type { FlightAt } from '../queries/moment-flights.ts';
import { withoutMoment } from '../queries/past.ts';
import { PastApp } from './past-app.ts';

const AT = `at=${NOW}`;
const MINUTE_MS = 60_000;
const BOARDS = [
  '/v2/airport/EHAM',
  '/v2/airport/AMS/arrivals',
  '/v2/airport/AMS/departures',
  '/v2/airport/VIE/arrivals?limit=1&fields=flight,eta',
  '/v2/all?fields=flight,lat,alt_baro,squawk,seen',
];

type Ended = Omit<FlightAt, 'groundMs' | 'movedMs'>;
type Board = Readonly<Record<string, unknown>> & { readonly flights: readonly Readonly<Record<string, unknown>>[] };

const reference = handReference();
const airports = new FlightAirports(reference);
let api: TestApi;
const requests: { atMs: number; url: string }[] = [];
/** Boards and the list as they were given live, by address. */
const live = new Map<string, unknown>();
let lasting: readonly Flight[] = [];
/** Flights that the service knows today: ended flights, or why not, and current ones. */
let ended: Ended[] | SquitterError = [];
let current: Flight[] = [];
/** The moment. */
let past: PastApp;

beforeAll(async () => {
  const { model, view, tick } = withSixFlights(await createFlightModel());
  const client = {
    rows: async () => {
      if (ended instanceof SquitterError) throw ended;
      return ended;
    },
  };
  api = await createApiOver(view, {
    ...model,
    flights: { ...model.flights, current: () => current },
    history: new HistoryStore(client as never),
    past: {
      async list(atMs, url, flights) {
        requests.push({ atMs, url });
        const response = await past.list(url, flights);
        if ('body' in response) return response;
        throw new QueryError(response.code, { ...response.details }, { parameters: response.parameters });
      },
      stored: () => Promise.reject(new Error('not asked for')),
    },
  });
  for (const url of BOARDS) live.set(url, { ...(await get(url)) });
  lasting = [...model.flights.current()];
  tick([], NOW_MS + 100 * MINUTE_MS);
}, 90_000);
beforeEach(() => {
  ended = [];
  current = [];
  return show(SIX_FLIGHTS);
});
afterEach(() => past.close());

/** Makes the moment one of these states. Their flights are not in its table. */
async function show(states: readonly AircraftState[]): Promise<void> {
  const view = await createTestView(0, reference);
  for (const state of states) view.table.applyState(state);
  view.tick(NOW_MS);
  past = new PastApp(testModel(view, { reference, flights: flightsOf(airports) }));
}

async function get(url: string): Promise<Board & { readonly status: number }> {
  const response = await api.app.inject(url);
  return { status: response.statusCode, ...response.json<Board>() };
}

const named = (callsign: string, number: number, more: Partial<Ended> = {}): Ended => ({
  ...{ key: 0x48_0000 + number, callsign, origin: 'EHAM', destination: 'LOWW', source: 'plan', takeoffMs: null, landedMs: null },
  ...more,
});
const callsignsOf = ({ flights }: Board): unknown[] => flights.map(({ flight }) => String(flight).trim());

it('a list with `at` is that of its second, with the headers of a list: a strong ETag, 304, an encoding, the age of the data', async () => {
  const time = new Date(NOW_MS).toISOString();
  for (const at of [time, time.replace('.000Z', '.9Z'), `${NOW - 1}.99`]) {
    expect(await get(`/v2/all?limit=5&at=${at}`)).toMatchObject({ status: 200 });
    expect(requests.at(-1)).toEqual({ atMs: at.includes('.99') ? NOW_MS - 1000 : NOW_MS, url: '/v2/all?limit=5' });
  }
  const url = `/v2/all?${AT}`;
  const first = await api.app.inject(url);
  const headers = { 'x-service-data-age': '3600', 'x-service-tier': 'anonymous', 'cache-control': 'private, max-age=60' };
  expect(first.headers).toMatchObject({ ...headers, etag: expect.stringMatching(/^"past-/) });
  expect((await api.app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } })).statusCode).toBe(304);
  expect((await api.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']).toBe('gzip');
  // Its URL is that of the request without `at`, however it is written.
  expect(['?%61t=1&limit=2&flat=1', '?x=?at=1&%=1'].map(withoutMoment)).toEqual(['?limit=2&flat=1', '?x=?at=1&%=1']);
});

describe('an airport board with `at`', () => {
  it.each(BOARDS)('%s is that of then while the flights last', async (url) => {
    current = [...lasting];
    expect(await get(`${url}${url.includes('?') ? '&' : '?'}${AT}`)).toEqual(live.get(url));
    expect(live.get(url)).not.toMatchObject({ total: 0 });
  });

  it('leaves out flights that began later, and flights of other airports', async () => {
    current = [...lasting];
    expect(await get(`/v2/airport/AMS?at=${NOW - 1}`)).toMatchObject({ status: 200, total: 0, arrivals: { total: 0 } });
    expect(await get(`/v2/airport/EHHV?${AT}`)).toMatchObject({ status: 200, total: 0 });
  });

  it('has ended flights, as far as they were then', async () => {
    const took = NOW_MS - 30 * MINUTE_MS;
    ended = [
      named('KLM1885', 0, { takeoffMs: took, landedMs: NOW_MS + 50 * MINUTE_MS, source: 'schedule' }),
      named('KLM1', 4, { destination: null, takeoffMs: null }),
      // Another call sign then, and an aircraft that was not heard then.
      named('KLM5', 3),
      named('KLM6', 77),
    ];
    const departures = await get(`/v2/airport/AMS/departures?${AT}`);
    expect(departures).toMatchObject({ status: 200, now: NOW, total: 2, airport: AMS });
    expect(departures).not.toHaveProperty('from_history');
    const [second, first] = departures.flights.toSorted((a, b) => String(a['flight']).localeCompare(String(b['flight'])));
    expect(first).toMatchObject({ flight: 'KLM1885 ', route_source: 'schedule', route_plausible: true, departed_at: took / 1000 });
    expect(first).toMatchObject({ destination: { icao: 'LOWW' }, distance_to_destination_nm: expect.any(Number) });
    for (const [flight, member] of [
      [first, 'landed_at'],
      [second, 'departed_at'],
      [second, 'destination'],
    ] as const)
      expect(flight).not.toHaveProperty(member);
    expect(callsignsOf(await get(`/v2/airport/VIE/arrivals?${AT}`))).toEqual(['KLM1885']);
    // The boards of one moment do not add up.
    ended = [];
    expect(await get(`/v2/airport/AMS?${AT}`)).toMatchObject({ total: 0 });
  });

  it('has aircraft on the ground that landed within 20 minutes, move, or take off within 20 minutes', async () => {
    const standing = { onGround: true, altitudeBaroFt: null, baroRateFpm: null, groundSpeedDeciKt: 0 };
    const [ams, vie] = [[52.31, 4.77] as const, [48.11, 16.57] as const];
    const states = [ams, ams, ams, vie, vie, vie].map((position, i) =>
      flightState(i, `AAA${i}`, position, { ...standing, groundSpeedDeciKt: i === 2 ? 30 : 0 }),
    );
    ended = [
      named('AAA0', 0, { takeoffMs: NOW_MS + 19 * MINUTE_MS }),
      named('AAA1', 1, { takeoffMs: NOW_MS + 21 * MINUTE_MS }),
      named('AAA2', 2),
      named('AAA3', 3, { landedMs: NOW_MS - 19 * MINUTE_MS }),
      named('AAA4', 4, { landedMs: NOW_MS - 21 * MINUTE_MS }),
      named('AAA5', 5, { landedMs: NOW_MS + MINUTE_MS }),
    ];
    await past.close();
    await show(states);
    const departures = await get(`/v2/airport/AMS/departures?${AT}`);
    expect(callsignsOf(departures)).toEqual(['AAA0', 'AAA2']);
    expect(departures.flights.filter((flight) => 'departed_at' in flight)).toEqual([]);
    expect(callsignsOf(await get(`/v2/airport/VIE/arrivals?${AT}`)).sort()).toEqual(['AAA0', 'AAA2', 'AAA3']);
  });

  it('is refused beyond a number of flights, and 503 with the code of the history while its store does not respond', async () => {
    ended = new SquitterError('history.busy', { detail: 'a test' });
    expect(await get(`/v2/airport/AMS?${AT}`)).toMatchObject({ status: 503, code: 'history-unavailable' });
    ended = Array.from({ length: limits.pastBoardFlightsMax + 1 }, (_, i) => named('KLM1', i));
    expect(await get(`/v2/airport/AMS?${AT}`)).toMatchObject({ status: 400, code: 'history-too-large' });
  });
});

it.each([
  ['/v2/all?at=yesterday', 400, 'bad-value'],
  ['/v2/all?at=', 400, 'bad-value'],
  ['/v2/all?at=2026-02-30T10:00:00Z', 400, 'bad-value'],
  [`/v2/all?${AT}&${AT}`, 400, 'bad-value'],
  ['/v2/all?at=9999999999', 404, 'moment-in-future'],
  [`/v2/all?${AT}&source=nothing`, 400, 'bad-value'],
  [`/v2/hex/xyz?${AT}`, 400, 'bad-value'],
  [`/v2/emergencies?${AT}`, 400, 'unknown-parameter'],
  [`/v2/airport/QQQQ?${AT}`, 404, 'unknown-airport'],
  ['/v2/airport/AMS?at=now', 400, 'bad-value'],
  ['/v2/airport/AMS?at=9999999999', 404, 'moment-in-future'],
  [`/v2/airport/AMS/arrivals?${AT}&fields=nothing`, 400, 'bad-value'],
  [`/v2/airport/AMS/traffic-summary?${AT}`, 400, 'unknown-parameter'],
])('%s is refused with %i %s', async (url, status, code) => {
  expect(await get(url)).toMatchObject({ status, code });
});

it('a service that does not fold the past has no lists with `at`', async () => {
  const { app } = await createApiOver(await createTestView(1), {});
  expect((await app.inject(`/v2/all?${AT}`)).json()).toMatchObject({ status: 503, code: 'past-unavailable' });
});
