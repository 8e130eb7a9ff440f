// Airports by code, by position, and by their flights now.
import { airportBlock, type FlightAirport } from '../../pipeline/flights/airports.ts';
import { limits } from '../../schemas/limits/index.ts';
import { operatorsOf, typesOf } from './breakdown.ts';
import { compareText } from './counts.ts';
import { unknownName } from './errors.ts';
import type { AirportFlights, FlightIndex } from './flight-index.ts';
import type { ReadModel } from './read-model.ts';

/** By ICAO, IATA or local code. Error: `api.unknown_airport`. */
export function knownAirport({ flights }: Pick<ReadModel, 'flights'>, code: string): FlightAirport {
  const airport = flights.airports.byCode(code.trim());
  if (airport === undefined) throw unknownName('api.unknown_airport', 'code', code);
  return airport;
}

export interface NearbyAirports {
  readonly radiusNm: number;
  /** Blocks APT with `distance_nm` and `bearing` from the position. */
  readonly airports: readonly Record<string, unknown>[];
}

/** Airports around a position, by distance, then by code; within `limits.airportRadiusNmMax` at most. Without closed ones. */
export function nearbyAirports(
  { reference }: Pick<ReadModel, 'reference'>,
  { lat, lon, radius, limit }: { readonly lat: number; readonly lon: number; readonly radius: number; readonly limit: number },
): NearbyAirports {
  const radiusNm = Math.min(radius, limits.airportRadiusNmMax);
  const airports = reference.airportsNear(lat, lon, radiusNm, limit).map(({ airport, distanceNm, bearingDeg }) => ({
    ...airportBlock(airport),
    distance_nm: Math.round(distanceNm * 1000) / 1000,
    bearing: (Math.round(bearingDeg * 10) % 3600) / 10,
  }));
  return { radiusNm, airports };
}

export interface ActiveAirport {
  readonly airport: FlightAirport;
  readonly arrivals: number;
  readonly departures: number;
}

/** Airports with flights, by movements, then by code. */
export function activeAirports(index: FlightIndex): ActiveAirport[] {
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
