// Six flights and a vehicle with hand-made reference data, for tests of the routes for flights and airports.
import { createFlightApi, createFlightModel, type FlightApi, type FlightModel, flightState, planOf } from './flight-api.ts';
import { NOW_MS } from './full-state.ts';

export const NOW = NOW_MS / 1000;
export const meta = (total: number) => ({ now: NOW, ctime: NOW + 0.3, ptime: NOW + 0.3, total });
export const AMS = {
  icao: 'EHAM',
  iata: 'AMS',
  name: 'Amsterdam Schiphol',
  country: 'NL',
  lat: 52.3086,
  lon: 4.7639,
  elevation_ft: -11,
  type: 'large_airport',
};
export const VIE = {
  icao: 'LOWW',
  iata: 'VIE',
  name: 'Vienna',
  country: 'AT',
  lat: 48.1103,
  lon: 16.5697,
  elevation_ft: 600,
  type: 'large_airport',
};

export const callsigns = (flights: unknown): string[] => (flights as { flight: string }[]).map(({ flight }) => flight.trim());

/** Responses of an API as status and body. */
export const asker =
  ({ app }: FlightApi) =>
  async (url: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await app.inject(url);
    return { status: response.statusCode, body: response.json() };
  };

export async function createSixFlights(): Promise<FlightApi> {
  const api = await createFlightApi();
  putSixFlights(api);
  return api;
}

/** The same flights without HTTP. */
export async function createSixFlightsModel(): Promise<FlightModel> {
  const flights = await createFlightModel();
  putSixFlights(flights);
  return flights;
}

/** Their states. */
export const SIX_FLIGHTS = [
  flightState(0, 'KLM1885', [50.3, 10.5], { trackCentideg: 12_000, squawk: '1234', emergency: 0 }),
  flightState(1, 'KLM27N', [52.31, 4.77], { onGround: true, altitudeBaroFt: null, groundSpeedDeciKt: 150, baroRateFpm: null }),
  flightState(2, 'DLH4AB', [51, 8], { trackCentideg: 30_000, baroRateFpm: -1500, altitudeBaroFt: 20_000 }),
  // Far from its route.
  flightState(3, 'DLH99', [38, -5], { squawk: '7700' }),
  flightState(4, 'KLM1', [52, 2], { baroRateFpm: 1500, altitudeBaroFt: 15_000 }),
  // A vehicle.
  flightState(5, 'OPS1', [52.31, 4.76], { category: 'C2', onGround: true, altitudeBaroFt: null }),
  // Without operator and position.
  flightState(6, 'PHABC', [0, 0], { positionMs: null, positionValid: false, latitudeMicrodeg: null, longitudeMicrodeg: null }),
];

function putSixFlights({ book, tick }: FlightModel): void {
  for (const [callsign, from, to] of [
    ['KLM1885', 'EHAM', 'LOWW'],
    ['KLM27N', 'EHAM', 'LOWW'],
    ['DLH4AB', 'LOWW', 'EHAM'],
    ['DLH99', 'EHAM', 'LOWW'],
    ['KLM1', 'EHAM', 'EGLL'],
  ] as const)
    book.put(planOf(callsign, from, to));
  tick(SIX_FLIGHTS);
}
