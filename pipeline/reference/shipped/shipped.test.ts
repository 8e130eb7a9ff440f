// Shipped data: well-formed, without duplicates, and in agreement with independent reference data.
import { describe, expect, it } from 'vitest';
import { filesOf, standingData } from '../../../test/support/golden-archives.ts';
import { countryNames } from '../addresses/country-names.ts';
import { csvCells } from '../import/csv.ts';
import { unpackTable } from '../store/column-file.ts';
import { AirportSet, AirportTable } from '../tables/airports.ts';
import { shippedAirports, shippedAirportTable } from './airports.ts';
import { shippedOperators } from './operators.ts';
import { shippedTypes } from './types.ts';

const airports = shippedAirports();
const operators = shippedOperators();
const types = [...shippedTypes().values()];

describe('shipped tables', () => {
  it('contain airports with a code, a position and a country', () => {
    const set = new AirportSet([]);
    for (const airport of airports) {
      expect(set.put(airport), JSON.stringify(airport)).toBeNull();
      expect(countryNames.get(airport.country!), JSON.stringify(airport)).toBeDefined();
    }
    expect(airports.length).toBeGreaterThan(5000);
  });

  it('contain the airports that the build packed', () => {
    expect([...shippedAirportTable().all()]).toEqual([...new AirportTable(unpackTable(new AirportSet(airports).pack())).all()]);
  });

  it('contain operators and types, each once', () => {
    expect(operators.length).toBeGreaterThan(430);
    expect(new Set(operators.map(({ icao }) => icao)).size).toBe(operators.length);
    for (const { icao, iata = 'XX', name, callsign, country } of operators) {
      expect([icao, iata].join()).toMatch(/^[A-Z]{3},[A-Z0-9]{2}$/);
      expect(callsign, icao).toMatch(/^[A-Z][A-Z’ -]+$/);
      expect(name.trim(), icao).toBe(name);
      expect(countryNames.get(country!), icao).toBeDefined();
    }
    expect(types.length).toBeGreaterThan(420);
    for (const { designator, description, category } of types) {
      expect(designator).toMatch(/^[A-Z][A-Z0-9]{1,3}$/);
      expect(description).toMatch(/^\S.+\S$/);
      expect(category).toMatch(/^[AB][1-7]$/);
    }
  });

  it('agree with the standing data', async () => {
    const theirs = await rowsOf(['airlines', 'model-type', 'airports']);
    const airlines = new Map(theirs.get('airlines')!.map(([, , icao, iata]) => [icao!, iata!]));
    expect(operators.filter(({ icao }) => !airlines.has(icao)).map(({ icao }) => icao)).toEqual([]);
    const sameIata = operators.filter(({ icao, iata = '' }) => airlines.get(icao) === iata);
    expect(sameIata.length / operators.length).toBeGreaterThan(0.9);
    const designators = new Set(theirs.get('model-type')!.map(([designator]) => designator!));
    expect(types.filter(({ designator }) => !designators.has(designator)).map(({ designator }) => designator)).toEqual([]);
    // Within a tenth of a degree. The independent data have some coordinates exchanged.
    const positions = new Map(theirs.get('airports')!.map(([, , icao, , , , lat, lon]) => [icao!, [Number(lat), Number(lon)] as const]));
    const known = airports.filter(({ icao }) => icao !== undefined && positions.has(icao));
    const apart = known.filter(({ icao, latDeg, lonDeg }) => {
      const [lat, lon] = positions.get(icao!)!;
      return Math.abs(lat - latDeg) > 0.1 || Math.abs(lon - lonDeg) > 0.1;
    });
    expect(known.length / airports.length).toBeGreaterThan(0.85);
    expect(apart.length / known.length).toBeLessThan(0.02);
  });
});

/** Rows of the CSV files in folders of the standing data. */
async function rowsOf(folders: readonly string[]): Promise<Map<string, string[][]>> {
  const files = [...(await filesOf(standingData, (path) => path.endsWith('.csv')))];
  const rowsIn = ([, bytes]: (typeof files)[0]) =>
    bytes
      .toString()
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => csvCells(line) ?? []);
  return new Map(folders.map((folder) => [folder, files.filter(([path]) => path.startsWith(`${folder}/`)).flatMap(rowsIn)]));
}
