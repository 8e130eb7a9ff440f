// Airports as flights use them: one object per airport, with its place on the sphere and the JSON that answers show of it.

import { positionVector } from '../geo/sphere.ts';
import type { Vector } from '../geo/vector.ts';
import type { Airport, AirportType, Reference } from '../reference/reference.ts';
import { asciiOnly } from '../view/text.ts';

export interface Field {
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
const REACH_NM: Readonly<Partial<Record<AirportType, number>>> = {
  large_airport: 5,
  medium_airport: 3,
  small_airport: 1.5,
  seaplane_base: 1.5,
  heliport: 0.5,
};
const NEAR_FIELDS_MAX = 12;

export class Fields {
  private readonly reference: Reference;
  private readonly known = new Map<string, Field>();
  private version: number;

  constructor(reference: Reference) {
    this.reference = reference;
    this.version = reference.version;
  }

  /** By ICAO, IATA or local code; undefined where there is none. */
  byCode(code: string): Field | undefined {
    const airport = this.reference.airport(code);
    return airport === undefined ? undefined : this.of(airport);
  }

  /** The same object for the same airport, until other reference data are loaded. */
  of(airport: Airport): Field | undefined {
    if (this.version !== this.reference.version) {
      this.version = this.reference.version;
      this.known.clear();
    }
    const code = airport.icao ?? airport.iata ?? airport.local;
    if (code === undefined) return undefined;
    const key = airport.icao ?? `${airport.country ?? ''}-${code}`;
    let field = this.known.get(key);
    if (field === undefined) {
      const { latDeg, lonDeg, elevationFt = 0 } = airport;
      field = { key, code, airport, place: positionVector(latDeg, lonDeg), elevationFt, block: airportBlock(airport) };
      this.known.set(key, field);
    }
    return field;
  }

  /**
   * The airport that an aircraft takes off from or lands at here: the one whose surroundings, as large as its kind and `marginNm`, hold the
   * place deepest. Helicopters use heliports too.
   */
  at(latDeg: number, lonDeg: number, isRotorcraft: boolean, marginNm = 0): Field | undefined {
    let best: Airport | undefined;
    let bestShare = 1;
    for (const { airport, distanceNm } of this.reference.airportsNear(
      latDeg,
      lonDeg,
      REACH_NM.large_airport! + marginNm,
      NEAR_FIELDS_MAX,
    )) {
      const { type = 'medium_airport' } = airport;
      const reachNm = REACH_NM[type];
      if (reachNm === undefined || (type === 'heliport' && !isRotorcraft)) continue;
      const share = distanceNm / (reachNm + marginNm);
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
