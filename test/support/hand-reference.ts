// Hand-made reference data for tests: the airports of simulated flights and some more, a few operators, types and routes.

import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import type { AircraftType, Airport, Operator } from '../../pipeline/reference/reference.ts';
import { shippedAirports } from '../../pipeline/reference/shipped/airports.ts';
import { unpackTable } from '../../pipeline/reference/store/column-file.ts';
import { StoredReference } from '../../pipeline/reference/stored-reference.ts';
import { AirportSet, AirportTable } from '../../pipeline/reference/tables/airports.ts';
import { OperatorTable } from '../../pipeline/reference/tables/operators.ts';
import { shippedTables } from '../../pipeline/reference/tables.ts';
import { airports as simulated } from '../../pipeline/simulate/flights/airports.ts';

/** Airports that tests name. */
const named: Readonly<Record<string, Partial<Airport>>> = {
  EHAM: { name: 'Amsterdam Schiphol', latDeg: 52.3086, lonDeg: 4.7639 },
  EGLL: { name: 'London Heathrow', latDeg: 51.4706, lonDeg: -0.4619 },
  LOWW: { name: 'Vienna', latDeg: 48.1103, lonDeg: 16.5697 },
};

const icaos = new Set(simulated.map(({ icao }) => icao));
const airports: readonly Airport[] = [
  ...shippedAirports()
    .filter(({ icao }) => icaos.has(icao!))
    .map(({ city: _, local: __, ...airport }): Airport => ({ ...airport, ...named[airport.icao!], type: 'large_airport' })),
  { icao: 'EHHV', name: 'Hilversum', country: 'NL', latDeg: 52.1919, lonDeg: 5.1469, elevationFt: 3, type: 'small_airport' },
  { local: 'NL-0017', name: 'Süd Heliport', country: 'NL', latDeg: 52.3, lonDeg: 4.8, elevationFt: 0, type: 'heliport' },
];

const operators: readonly Operator[] = [
  { icao: 'KLM', iata: 'KL', name: 'KLM Royal Dutch Airlines', callsign: 'KLM', country: 'NL' },
  { icao: 'DLH', iata: 'LH', name: 'Lufthansa', callsign: 'LUFTHANSA', country: 'DE' },
  { icao: 'VLG', iata: 'VY', name: 'Vueling', country: 'ES' },
];
const types: readonly AircraftType[] = [
  { designator: 'B738', description: 'BOEING 737-800', category: 'A3' },
  { designator: 'A320', description: 'AIRBUS A-320', category: 'A3' },
];

/** The product's tables of these rows. */
export class HandReference extends StoredReference {
  readonly routes = new Map<string, readonly string[]>();
  override readonly facts: (key: number) => AircraftFacts | null;

  /** `facts` by the aircraft's key; by default B738 and a registration derived from the address. */
  constructor(facts: (key: number) => AircraftFacts | null = factsOf) {
    super({
      ...shippedTables(),
      airports: new AirportTable(unpackTable(new AirportSet(airports).pack())),
      operators: new OperatorTable(operators),
      types: new Map(types.map((type) => [type.designator, type])),
    });
    this.facts = facts;
  }

  override route(callsign: string): readonly Airport[] | undefined {
    return this.routes.get(callsign)?.map((code) => this.airport(code)!);
  }
}

export const handReference = (facts?: (key: number) => AircraftFacts | null): HandReference => new HandReference(facts);

function factsOf(key: number): AircraftFacts {
  return { registration: `PH-${key.toString(36).toUpperCase()}`, typeDesignator: key % 2 === 0 ? 'B738' : 'A320', dbFlags: 0 };
}
