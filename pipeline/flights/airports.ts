// Airports as flights use them: one object per airport, with its position on the sphere and the JSON that responses show of it.

import { positionVector } from '../geo/sphere.ts';
import type { Vector } from '../geo/vector.ts';
import type { Airport, AirportType, Reference } from '../reference/reference.ts';
import { asciiOnly } from '../view/text.ts';

export interface FlightAirport {
  /** Tells airports apart: the ICAO code, else the country and another code. */
  readonly key: string;
  /** ICAO, else IATA, else local code. */
  readonly code: string;
  readonly airport: Airport;
  readonly place: Vector;
  /** Above mean sea level; 0 where it is not known. */
  readonly elevationFt: number;
  /** The block APT of decisions G6. */
  readonly block: Readonly<Record<string, unknown>>;
}

/** How far from the reference point aircraft on an airport are at most. */
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

  /** By ICAO, IATA or local code; undefined where there is none. */
  byCode(code: string): FlightAirport | undefined {
    const airport = this.reference.airport(code);
    return airport === undefined ? undefined : this.of(airport);
  }

  /** The same object for the same airport, until other reference data are loaded. */
  of(airport: Airport): FlightAirport | undefined {
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
      found = { key, code, airport, place: positionVector(latDeg, lonDeg), elevationFt, block: airportBlock(airport) };
      this.known.set(key, found);
    }
    return found;
  }

  /**
   * The airport that an aircraft takes off from or lands at here: the one whose surroundings, as large as its kind and `marginNm`, hold the
   * position deepest. Helicopters use heliports too.
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
    return best === undefined ? undefined : this.of(best);
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
