// Routes of call signs, in the form of adsb.lol, for tar1090 and home-automation clients.
import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import type { FlightAirport } from '../../pipeline/flights/airports.ts';
import { flightRoute } from '../../pipeline/flights/flight-routes.ts';
import { implausibility } from '../../pipeline/flights/plausibility.ts';
import { positionVector } from '../../pipeline/geo/sphere.ts';
import { plainText } from '../../pipeline/view/listing.ts';
import type { ReadModel } from './read-model.ts';

/** Value of the form for unknown members. */
const UNKNOWN = 'unknown';
const METRES_PER_FOOT = 0.3048;

/** A call sign, and the position of its aircraft. */
export interface Plane {
  readonly callsign: string;
  /** Degrees. */
  readonly lat?: number;
  readonly lng?: number;
}

type Model = Pick<ReadModel, 'view' | 'reference' | 'flights'>;

/** The plausible route of the live flight, otherwise the scheduled one, in the form's members. */
export function callsignRoute(model: Model, { callsign: given, lat, lng }: Plane): object {
  const callsign = plainText(given);
  const airports = routeAirports(model, callsign);
  const known = airports.length > 1;
  return {
    callsign,
    number: callsign.slice(3),
    airline_code: callsign.slice(0, 3),
    airport_codes: known ? airports.map(({ code }) => code).join('-') : UNKNOWN,
    _airport_codes_iata: known ? airports.map(({ code, airport }) => airport.iata ?? code).join('-') : UNKNOWN,
    _airports: known ? airports.map(airportMembers) : [],
    ...(known && lat !== undefined && lng !== undefined && { plausible: isPlausible(airports, lat, lng) }),
  };
}

function routeAirports({ view, reference, flights }: Model, callsign: string): FlightAirport[] {
  const listing = view.current()?.listing;
  for (const i of listing?.by('flight').get(callsign) ?? []) {
    const route = flightRoute(listing!.routes[i]!);
    if (route !== null && route.origin !== null && route.destination !== null) return [route.origin, route.destination];
  }
  const scheduled = reference.route(callsign)?.map((airport) => flights.airports.flightAirport(airport)) ?? [];
  return scheduled.some((airport) => airport === undefined) ? [] : (scheduled as FlightAirport[]);
}

/** A position fits when it fits one of the legs. Only the position of the aircraft is known. */
function isPlausible(airports: readonly FlightAirport[], latDeg: number, lonDeg: number): boolean {
  const motion = {
    ...{ position: positionVector(latDeg, lonDeg), latDeg, lonDeg },
    ...{ onGround: ABSENT, trackCentideg: ABSENT, groundSpeedDeciKt: ABSENT, altitudeFt: ABSENT, rateFpm: ABSENT },
  };
  return airports.slice(1).some((destination, leg) => implausibility({ origin: airports[leg]!, destination }, motion) === null);
}

function airportMembers({ airport, elevationFt }: FlightAirport): object {
  const { name, icao = '', iata = '', city = '', country = '', latDeg: lat, lonDeg: lon } = airport;
  const metres = Math.round(elevationFt * METRES_PER_FOOT * 100) / 100;
  return { name, icao, iata, location: city, countryiso2: country, lat, lon, alt_feet: elevationFt, alt_meters: metres };
}
