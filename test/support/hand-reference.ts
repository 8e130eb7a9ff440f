// Hand-made reference data for tests: the airports of simulated flights and some more, a few operators, types and routes.

import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import { Compass, distanceNm, positionVector } from '../../pipeline/geo/sphere.ts';
import type { AircraftType, Airport, Operator, Reference } from '../../pipeline/reference/reference.ts';
import { NameIndex } from '../../pipeline/reference/tables/name-index.ts';
import { airports as simulated } from '../../pipeline/simulate/flights/airports.ts';

export interface HandReference extends Reference {
  version: number;
  readonly routes: Map<string, readonly string[]>;
}

/** Airports that tests name. */
const named: Readonly<Record<string, Partial<Airport>>> = {
  EHAM: { name: 'Amsterdam Schiphol', latDeg: 52.3086, lonDeg: 4.7639 },
  EGLL: { name: 'London Heathrow', latDeg: 51.4706, lonDeg: -0.4619 },
  LOWW: { name: 'Vienna', latDeg: 48.1103, lonDeg: 16.5697 },
};

const small: readonly Airport[] = [
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

/** `facts` by the aircraft's key; by default B738 and a registration derived from the address. */
export function handReference(facts: (key: number) => AircraftFacts | null = factsOf): HandReference {
  const airports: Airport[] = [
    ...simulated.map(({ city: _, local: __, ...airport }): Airport => ({ ...airport, ...named[airport.icao], type: 'large_airport' })),
    ...small,
  ];
  const vectors = airports.map(({ latDeg, lonDeg }) => positionVector(latDeg, lonDeg));
  const byCode = new Map<string, Airport>();
  for (const name of ['local', 'iata', 'icao'] as const)
    for (const airport of airports) if (airport[name] !== undefined) byCode.set(airport[name], airport);
  const routes = new Map<string, readonly string[]>();
  return {
    version: 1,
    routes,
    facts,
    airport: (code) => byCode.get(code.toUpperCase()),
    airports: () => airports,
    runways: () => [],
    airportsNear(latDeg, lonDeg, radiusNm, limit) {
      const centre = positionVector(latDeg, lonDeg);
      const compass = new Compass(latDeg, lonDeg);
      const found = airports.map((airport, i) => {
        const { x, y, z } = vectors[i]!;
        return { airport, distanceNm: distanceNm(centre, vectors[i]!), bearingDeg: compass.bearingDeg(x, y, z) };
      });
      const near = found.filter((one) => one.distanceNm <= radiusNm).sort((a, b) => a.distanceNm - b.distanceNm);
      return near.slice(0, limit);
    },
    operator: (code) => operators.find(({ icao, iata }) => icao === code.toUpperCase() || iata === code.toUpperCase()),
    operatorOfCallsign: (callsign) => operators.find(({ icao }) => callsign.startsWith(icao)),
    type: (designator) => types.find((type) => type.designator === designator.toUpperCase()),
    country: (key) => (key >= 0x48_0000 && key < 0x48_8000 ? { code: 'NL', name: 'Netherlands' } : undefined),
    route: (callsign) => routes.get(callsign)?.map((code) => byCode.get(code)!),
    search(query, countMax) {
      const found = <Entry>(entries: readonly Entry[], texts: (entry: Entry) => (string | undefined)[]) =>
        new NameIndex(entries.map(texts), (number) => entries[number]!).find(query, countMax);
      return {
        airports: found(airports, ({ icao, iata, local, name, city }) => [icao, iata, local, name, city]),
        operators: found(operators, ({ icao, iata, name, callsign }) => [icao, iata, name, callsign]),
        types: found(types, ({ designator, description }) => [designator, description]),
      };
    },
  };
}

function factsOf(key: number): AircraftFacts {
  return { registration: `PH-${key.toString(36).toUpperCase()}`, typeDesignator: key % 2 === 0 ? 'B738' : 'A320', dbFlags: 0 };
}
