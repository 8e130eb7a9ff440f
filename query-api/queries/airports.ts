// Airports by code, by position, and by their flights now; flights from one to another.
import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import { airportBlock, type FlightAirport } from '../../pipeline/flights/airports.ts';
import { distanceNm } from '../../pipeline/geo/sphere.ts';
import { limits } from '../../schemas/limits/index.ts';
import { callsignsOf, operatorsOf, typesOf } from './breakdown.ts';
import { compareText } from './counts.ts';
import { unknownName } from './errors.ts';
import type { AirportFlights, FlightIndex } from './flight-index.ts';
import { shownAltitudeFt } from './list-filters.ts';
import type { ReadModel } from './read-model.ts';

/** By ICAO, IATA or local code. Error: `api.unknown_airport`. */
export function knownAirport({ flights }: Pick<ReadModel, 'flights'>, code: string): FlightAirport {
  const airport = flights.airports.byCode(code.trim());
  if (airport === undefined) throw unknownName('api.unknown_airport', 'code', code);
  return airport;
}

/**
 * Airports around a position, by distance, then by code; within `limits.airportRadiusNmMax` at most. Without closed ones: blocks APT with `distance_nm`
 * and `bearing` from the position.
 */
export function nearbyAirports(
  { reference }: Pick<ReadModel, 'reference'>,
  { lat, lon, radius, limit }: { readonly lat: number; readonly lon: number; readonly radius: number; readonly limit: number },
) {
  const radiusNm = Math.min(radius, limits.airportRadiusNmMax);
  const airports = reference.airportsNear(lat, lon, radiusNm, limit).map(({ airport, distanceNm, bearingDeg }) => ({
    ...airportBlock(airport),
    distance_nm: Math.round(distanceNm * 1000) / 1000,
    bearing: (Math.round(bearingDeg * 10) % 3600) / 10,
  }));
  return { radiusNm, airports };
}

/** Airports with flights, by movements, then by code. */
export function activeAirports(index: FlightIndex) {
  const counted = [...index.airports.values()].map(({ airport, arrivals, departures }) => ({
    airport,
    arrivals: arrivals.length,
    departures: departures.length,
  }));
  const busy = counted.filter(({ arrivals, departures }) => arrivals + departures > 0);
  return busy.sort((a, b) => b.arrivals + b.departures - a.arrivals - a.departures || compareText(a.airport.code, b.airport.code));
}

/** Arrivals and departures of an airport in numbers. */
export function trafficSummary(model: Pick<ReadModel, 'reference'>, index: FlightIndex, { arrivals, departures }: AirportFlights) {
  const both = [...new Set([...arrivals, ...departures])];
  return {
    arrivals: arrivals.length,
    departures: departures.length,
    types: typesOf(model, index, both),
    operators: operatorsOf(model, index, both),
  };
}

/** Two airports by their codes. Error: `api.unknown_airport`. */
export function airportPair(model: Pick<ReadModel, 'flights'>, origin: string, destination: string) {
  return { origin: knownAirport(model, origin), destination: knownAirport(model, destination) };
}

/** Blocks of both airports, and the great circle between them. */
export function pairMembers({ origin, destination }: ReturnType<typeof airportPair>) {
  const distance = distanceNm(origin.position, destination.position);
  return { origin: origin.block, destination: destination.block, distance_nm: Math.round(distance * 10) / 10 };
}

/** The flights between two airports in numbers. `altitude` is absent when none is known. */
export function pairSummary(model: Pick<ReadModel, 'reference'>, index: FlightIndex, flights: readonly number[]) {
  return {
    flights: callsignsOf(index, flights),
    types: typesOf(model, index, flights),
    operators: operatorsOf(model, index, flights),
    ...altitudesOf(index, flights),
  };
}

function altitudesOf({ listing }: FlightIndex, indices: readonly number[]): { altitude?: { min: number; max: number; mean: number } } {
  const altitudesFt = indices.map((i) => shownAltitudeFt(listing.columns, i)).filter((altitudeFt) => altitudeFt !== ABSENT);
  if (altitudesFt.length === 0) return {};
  const sum = altitudesFt.reduce((total, altitudeFt) => total + altitudeFt, 0);
  return { altitude: { min: Math.min(...altitudesFt), max: Math.max(...altitudesFt), mean: Math.round(sum / altitudesFt.length) } };
}
