// Port to the reference data that aircraft do not send: airports, operators, types, countries, registrations and scheduled routes.
// Everything is in memory: no look-up waits for a disk, and each aircraft is looked up once.
import type { AircraftFactsSource } from '../aircraft/facts.ts';
import type { Matched } from './tables/name-index.ts';

/** The block APT of decisions G6. Codes that the airport does not have are absent. */
export interface Airport {
  readonly icao?: string;
  readonly iata?: string;
  readonly local?: string;
  readonly name: string;
  readonly city?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly latDeg: number;
  readonly lonDeg: number;
  /** Above mean sea level. */
  readonly elevationFt?: number;
  readonly type?: AirportType;
}

export type AirportType = 'large_airport' | 'medium_airport' | 'small_airport' | 'heliport' | 'seaplane_base' | 'balloonport' | 'closed';

/** A line between the ends of a runway. */
export interface Runway {
  /** Code of the airport as the file has it. */
  readonly airport: string;
  /** Both designators: `06/24`. */
  readonly name: string;
  /** 0 is unknown. */
  readonly widthFt: number;
  readonly fromLatDeg: number;
  readonly fromLonDeg: number;
  readonly toLatDeg: number;
  readonly toLonDeg: number;
}

export interface AirportNearby {
  readonly airport: Airport;
  readonly distanceNm: number;
  /** From the requested position to the airport, degrees true. */
  readonly bearingDeg: number;
}

/** The block OPR of decisions G6. */
export interface Operator {
  readonly icao: string;
  readonly iata?: string;
  readonly name: string;
  /** Radiotelephony call sign. */
  readonly callsign?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

export interface AircraftType {
  /** ICAO Doc 8643 designator. */
  readonly designator: string;
  /** Manufacturer and model. */
  readonly description: string;
  /** Emitter category that aircraft of this type send, `A3`. */
  readonly category?: string;
}

/** State whose block contains an address (ICAO Annex 10 vol. III, table 9-1). */
export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly name: string;
}

/** Matches of a search, the best of each list first. */
export interface ReferenceMatches {
  /** By code, name and city, without closed ones. */
  readonly airports: readonly Matched<Airport>[];
  /** By code, name and radiotelephony call sign. */
  readonly operators: readonly Matched<Operator>[];
  /** By designator and description. */
  readonly types: readonly Matched<AircraftType>[];
}

export interface Reference extends AircraftFactsSource {
  /** By ICAO, else IATA, else local code, in either case. */
  airport(code: string): Airport | undefined;
  /** All, with closed ones. */
  airports(): Iterable<Airport>;
  /** Empty without an import of runways. */
  runways(): Iterable<Runway>;
  /** By ascending distance, ties by code, without closed airports. */
  airportsNear(latDeg: number, lonDeg: number, radiusNm: number, limit: number): AirportNearby[];
  /** By ICAO code, else IATA code, in either case. */
  operator(code: string): Operator | undefined;
  type(designator: string): AircraftType | undefined;
  /** Undefined for non-ICAO addresses and for addresses outside all state blocks. */
  country(key: number): Country | undefined;
  /** Scheduled airports of a call sign in order: two, or more with stopovers. */
  route(callsign: string): readonly Airport[] | undefined;
  /** Up to `countMax` entries of each kind by a `searchedText`. */
  search(query: string, countMax: number): ReferenceMatches;
}

/** A reference without data. */
export const emptyReference: Reference = {
  version: 0,
  facts: () => null,
  airport: () => undefined,
  airports: () => [],
  runways: () => [],
  airportsNear: () => [],
  operator: () => undefined,
  type: () => undefined,
  country: () => undefined,
  route: () => undefined,
  search: () => ({ airports: [], operators: [], types: [] }),
};
