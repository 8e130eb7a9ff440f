// What is looked up beside what aircraft send: airports, operators, types, countries, registrations and scheduled routes. One small port;
// the rooms behind it are this folder's files. Everything is in memory: no look-up waits for a disk, none happens twice for an aircraft.
import type { AircraftFactsSource } from '../view/facts.ts';

/** The block APT of decisions G6; codes that an airport has not are absent. */
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

export interface AirportNearby {
  readonly airport: Airport;
  readonly distanceNm: number;
  /** From the asked place to the airport, degrees true. */
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

/** State whose block an address lies in (ICAO Annex 10 vol. III, table 9-1). */
export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly name: string;
}

export interface Reference extends AircraftFactsSource {
  /** By ICAO, else IATA, else local code, in either case. */
  airport(code: string): Airport | undefined;
  /** Ascending distance, ties by code; closed ones are left out. */
  airportsNear(latDeg: number, lonDeg: number, radiusNm: number, limit: number): AirportNearby[];
  /** By ICAO code, else IATA code, in either case. */
  operator(code: string): Operator | undefined;
  /** Whose three letters a call sign begins with, before a digit: `KLM12A`. */
  operatorOfCallsign(callsign: string): Operator | undefined;
  type(designator: string): AircraftType | undefined;
  /** Undefined for addresses in no state's block, and for non-ICAO ones. */
  country(key: number): Country | undefined;
  /** Scheduled airports of a call sign, in order, at least two; a stop over gives more. */
  route(callsign: string): readonly Airport[] | undefined;
}

/** Where nothing is known. */
export const emptyReference: Reference = {
  version: 0,
  facts: () => null,
  airport: () => undefined,
  airportsNear: () => [],
  operator: () => undefined,
  operatorOfCallsign: () => undefined,
  type: () => undefined,
  country: () => undefined,
  route: () => undefined,
};
