// Flights from one airport to another now.
import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import type { FlightAirport } from '../../pipeline/flights/airports.ts';
import { distanceNm } from '../../pipeline/geo/sphere.ts';
import { knownAirport } from './airports.ts';
import { callsignsOf, operatorsOf, typesOf } from './breakdown.ts';
import type { FlightIndex } from './flight-index.ts';
import { shownAltitudeFt } from './list-filters.ts';
import type { ReadModel } from './read-model.ts';

export interface AirportPair {
  readonly origin: FlightAirport;
  readonly destination: FlightAirport;
}

/** Two airports by their codes. Error: `api.unknown_airport`. */
export function airportPair(model: Pick<ReadModel, 'flights'>, origin: string, destination: string): AirportPair {
  return { origin: knownAirport(model, origin), destination: knownAirport(model, destination) };
}

/** Blocks of both airports, and the great circle between them. */
export function pairMembers({ origin, destination }: AirportPair) {
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
