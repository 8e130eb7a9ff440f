// Airports for flights: one object per airport, with its position on the sphere and its JSON in responses.

import { asciiOnly } from '../aircraft/text.ts';
import { positionVector } from '../geo/sphere.ts';
import type { Vector } from '../geo/vector.ts';
import type { Airport, AirportType, Reference } from '../reference/reference.ts';

export interface FlightAirport {
  /** Identifies the airport: the ICAO code, else the country and another code. */
  readonly key: string;
  /** ICAO, else IATA, else local code. */
  readonly code: string;
  readonly airport: Airport;
  readonly position: Vector;
  /** Above mean sea level; 0 when unknown. */
  readonly elevationFt: number;
  /** The block APT of decisions G6. */
  readonly block: Readonly<Record<string, unknown>>;
}

/** Greatest distance from the reference point of aircraft on an airport. */
const SURROUNDINGS_NM: Readonly<Partial<Record<AirportType, number>>> = {
  large_airport: 5,
  medium_airport: 3,
  small_airport: 1.5,
  seaplane_base: 1.5,
  heliport: 0.5,
};
const NEAR_AIRPORTS_MAX = 12;

export class FlightAirports {
  private readonly reference: Reference;
  private readonly known = new Map<string, FlightAirport>();
  private version: number;

  constructor(reference: Reference) {
    this.reference = reference;
    this.version = reference.version;
  }

  /** By ICAO, IATA or local code; undefined for an unknown code. */
  byCode(code: string): FlightAirport | undefined {
    const airport = this.reference.airport(code);
    return airport === undefined ? undefined : this.flightAirport(airport);
  }

  /** The same object for the same airport, until other reference data are loaded. */
  flightAirport(airport: Airport): FlightAirport | undefined {
    if (this.version !== this.reference.version) {
      this.version = this.reference.version;
      this.known.clear();
    }
    const code = airport.icao ?? airport.iata ?? airport.local;
    if (code === undefined) return undefined;
    const key = airport.icao ?? `${airport.country ?? ''}-${code}`;
    let found = this.known.get(key);
    if (found === undefined) {
      const { latDeg, lonDeg, elevationFt = 0 } = airport;
      found = { key, code, airport, position: positionVector(latDeg, lonDeg), elevationFt, block: airportBlock(airport) };
      this.known.set(key, found);
    }
    return found;
  }

  /**
   * The airport where an aircraft takes off or lands: the one whose surroundings (size by type, plus `marginNm`) contain the
   * position deepest. Helicopters also use heliports.
   */
  at(latDeg: number, lonDeg: number, isRotorcraft: boolean, marginNm = 0): FlightAirport | undefined {
    let best: Airport | undefined;
    let bestShare = 1;
    for (const { airport, distanceNm } of this.reference.airportsNear(
      latDeg,
      lonDeg,
      SURROUNDINGS_NM.large_airport! + marginNm,
      NEAR_AIRPORTS_MAX,
    )) {
      const { type = 'medium_airport' } = airport;
      const surroundingsNm = SURROUNDINGS_NM[type];
      if (surroundingsNm === undefined || (type === 'heliport' && !isRotorcraft)) continue;
      const share = distanceNm / (surroundingsNm + marginNm);
      if (share > bestShare) continue;
      best = airport;
      bestShare = share;
    }
    return best === undefined ? undefined : this.flightAirport(best);
  }
}

/** The block APT: unknown members are absent. */
export function airportBlock(airport: Airport): Record<string, unknown> {
  const { icao, iata, local, name, city, country, latDeg: lat, lonDeg: lon, elevationFt: elevation_ft, type } = airport;
  return present({ icao, iata, local, name, city, country, lat, lon, elevation_ft, type });
}

/** Without members that are undefined. */
export function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** JSON in ASCII, as all bodies are. */
export function json(value: unknown): string {
  return asciiOnly(JSON.stringify(value));
}
