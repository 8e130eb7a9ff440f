// The port over the tables: imported data first, then data derived from the address.

import type { AircraftFacts } from '../aircraft/facts.ts';
import { NON_ICAO_BIT } from '../aircraft/hex-key.ts';
import { countryNames } from './addresses/country-names.ts';
import { registrationOf } from './addresses/registrations.ts';
import type { AircraftType, Airport, AirportNearby, Country, Operator, Reference, ReferenceMatches, Runway } from './reference.ts';
import { NameIndex } from './tables/name-index.ts';
import type { Tables } from './tables.ts';

const MILITARY = 1;

export class StoredReference implements Reference {
  version = 1;
  private tables: Tables;
  /** Made by the first search: few processes search. */
  private names: Names | null = null;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** Replaces the tables. */
  replace(tables: Tables): void {
    this.tables = tables;
    this.names = null;
    this.version += 1;
  }

  facts(key: number): AircraftFacts | null {
    if (key >= NON_ICAO_BIT) return null;
    const { aircraft, types, blocks } = this.tables;
    const record = aircraft?.find(key);
    const registration = record?.registration || registrationOf(key);
    const dbFlags = (record?.flags ?? 0) | (blocks.isMilitary(key) ? MILITARY : 0);
    if (record === undefined && registration === '' && dbFlags === 0) return null;
    const { typeDesignator = '', operator = '', year = 0 } = record ?? {};
    const description = record?.description || (types.get(typeDesignator)?.description ?? '');
    // Assigned one by one: spreading small objects is ten times slower.
    const facts: { -readonly [Name in keyof AircraftFacts]: AircraftFacts[Name] } = { dbFlags };
    if (registration !== '') facts.registration = registration;
    if (typeDesignator !== '') facts.typeDesignator = typeDesignator;
    if (description !== '') facts.description = description;
    if (operator !== '') facts.operator = operator;
    if (year !== 0) facts.year = String(year);
    return facts;
  }

  airport(code: string): Airport | undefined {
    return this.tables.airports.find(code);
  }

  airports(): Iterable<Airport> {
    return this.tables.airports.all();
  }

  runways(): Iterable<Runway> {
    return this.tables.runways?.all() ?? [];
  }

  airportsNear(latDeg: number, lonDeg: number, radiusNm: number, limit: number): AirportNearby[] {
    return this.tables.airports.near(latDeg, lonDeg, radiusNm, limit);
  }

  operator(code: string): Operator | undefined {
    return this.tables.operators.find(code);
  }

  type(designator: string): AircraftType | undefined {
    return this.tables.types.get(designator.toUpperCase());
  }

  country(key: number): Country | undefined {
    if (key >= NON_ICAO_BIT) return undefined;
    const code = this.tables.blocks.countryOf(key);
    return code === '' ? undefined : { code, name: countryNames.get(code) ?? code };
  }

  route(callsign: string): readonly Airport[] | undefined {
    const airports = this.tables.routes?.find(callsign)?.map((code) => this.tables.airports.find(code));
    // A route with an unknown airport is not usable.
    return airports?.every((airport) => airport !== undefined) ? airports : undefined;
  }

  search(query: string, countMax: number): ReferenceMatches {
    this.names ??= namesOf(this.tables);
    const { airports, operators, types } = this.names;
    return { airports: airports.find(query, countMax), operators: operators.find(query, countMax), types: types.find(query, countMax) };
  }
}

interface Names {
  readonly airports: NameIndex<Airport>;
  readonly operators: NameIndex<Operator>;
  readonly types: NameIndex<AircraftType>;
}

function namesOf(tables: Tables): Names {
  const operators = [...tables.operators.values()];
  const types = [...tables.types.values()];
  return {
    airports: tables.airports.names(),
    operators: new NameIndex(
      operators.map(({ icao, iata, name, callsign }) => [icao, iata, name, callsign]),
      (number) => operators[number]!,
    ),
    types: new NameIndex(
      types.map(({ designator, description }) => [designator, description]),
      (number) => types[number]!,
    ),
  };
}
