// Flights as a new user meets them: the service starts with simulated traffic, and has routes, arrivals and active airports within seconds.
import { afterAll, expect, it } from 'vitest';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Flight {
  readonly flight: string;
  readonly destination?: { readonly icao: string };
  readonly route_source?: string;
  readonly route_plausible?: boolean;
}

const folder = temporaryFolder();
afterAll(folder.remove);

it('simulated flights have routes, airports have arrivals and departures, also after a restart', { timeout: 120_000 }, async () => {
  const service = await startService(folder.path, ['--simulate', '120']);
  const get = async <T>(path: string, from = service): Promise<T> => (await (await from.get(path)).json()) as T;
  const routed = async (from = service): Promise<Flight[]> => {
    const { flights = [] } = await get<{ flights?: Flight[] }>('/v2/flights?limit=1000', from);
    return flights.filter(({ destination }) => destination !== undefined);
  };
  const flightsOf = (count: number, from = service): Promise<Flight[]> =>
    until(
      async () => {
        const flights = await routed(from);
        return flights.length >= count && flights;
      },
      `${count} flights with routes`,
      40_000,
    );
  const flights = await flightsOf(40);
  expect(flights.length).toBeGreaterThanOrEqual(40);
  expect(flights.every(({ route_plausible }) => route_plausible === true)).toBe(true);
  expect(flights.filter(({ route_source }) => route_source === 'plan').length).toBeGreaterThan(30);

  const { airports } = await get<{ airports: { icao: string; arrivals: number; movements: number }[] }>('/v2/airports/active');
  const busiest = airports.find(({ arrivals }) => arrivals > 0)!;
  expect(airports.length).toBeGreaterThan(5);
  const { airport, arrivals } = await get<{ airport: object; arrivals: { total: number; flights: Flight[] } }>(
    `/v2/airport/${busiest.icao}`,
  );
  expect(airport).toMatchObject({ icao: busiest.icao, name: expect.any(String) });
  expect(arrivals.flights.every(({ destination }) => destination!.icao === busiest.icao)).toBe(true);

  const { types } = await get<{ types: { t: string; desc?: string; aircraft_count: number }[] }>('/v2/types');
  expect(types.length).toBeGreaterThan(5);
  expect(types.every(({ desc }) => desc !== undefined)).toBe(true);

  const [some] = flights;
  expect(await get(`/v2/flight/${some!.flight.trim()}`)).toMatchObject({
    matched_by: 'callsign',
    flight: { destination: some!.destination },
  });
  const { operators } = await get<{ operators: { name?: string }[] }>('/v2/operators');
  expect(operators.every(({ name }) => name !== undefined)).toBe(true);
  expect(await service.stop(), service.output()).toBe(0);

  const again = await startService(folder.path, ['--simulate', '120']);
  expect((await flightsOf(40, again)).length).toBeGreaterThanOrEqual(40);
  expect(await again.stop()).toBe(0);
});
