// The airport and operator tables compared with reference data.
import { describe, expect, test } from 'vitest';
import { filesOf, standingData } from '../../../test/support/golden-archives.ts';
import { distanceM, setPosition } from '../../geo/great-circle.ts';
import { vector } from '../../geo/vector.ts';
import { airports } from './airports.ts';
import { countryAddresses, operators, registrationPrefixes } from './operators.ts';

/** Rows of the CSV files in a folder of the archive. */
async function rowsOf(folder: string): Promise<Record<string, string>[]> {
  const files = await filesOf(standingData, (path) => path.startsWith(`${folder}/`) && path.endsWith('.csv'));
  const text = Buffer.concat([...files.values()]).toString('utf8');
  let names: string[] = [];
  return text.split(/\r?\n/).flatMap((line) => {
    const cells = (line.replace(/^\uFEFF/, '').match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []).map((cell) =>
      cell.replace(/,$/, '').replace(/^"|"$/g, ''),
    );
    if (line.startsWith('\uFEFF')) {
      names = cells;
      return [];
    }
    return [Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))];
  });
}

describe('tables', () => {
  test('codes are distinct and well formed', () => {
    expect(new Set(airports.map((airport) => airport.icao)).size).toBe(airports.length);
    expect(airports.length).toBeGreaterThan(200);
    for (const airport of airports) {
      expect(airport.icao).toMatch(/^[A-Z]{4}$/);
      expect(airport.iata).toMatch(/^[A-Z]{3}$/);
    }
    for (const country of [...Object.keys(registrationPrefixes), ...operators.map((operator) => operator.country)])
      expect(countryAddresses).toHaveProperty(country);
  });
});

describe('tables against the standing data', () => {
  test('airports are within 5 km and 100 ft of the published positions', async () => {
    const published = new Map((await rowsOf('airports')).map((row) => [row['ICAO'], row]));
    const here = vector();
    const there = vector();
    for (const airport of airports) {
      const row = published.get(airport.icao);
      expect([airport.icao, row?.['IATA'], row?.['CountryISO2']]).toEqual([airport.icao, airport.iata, airport.country]);
      setPosition(airport.latDeg, airport.lonDeg, here);
      setPosition(Number(row!['Latitude']), Number(row!['Longitude']), there);
      expect(distanceM(here, there)).toBeLessThan(5000);
      expect(Math.abs(Number(row!['AltitudeFeet']) - airport.elevationFt)).toBeLessThanOrEqual(100);
    }
  });

  test('operators exist', async () => {
    const published = new Set((await rowsOf('airlines')).map((row) => row['ICAO']));
    expect(operators.filter((operator) => !published.has(operator.icao))).toEqual([]);
  });

  test("address ranges are in their countries' blocks", async () => {
    const blocks = (await rowsOf('code-blocks')).filter((row) => row['IsMilitary'] === '0');
    for (const [country, [first, last]] of Object.entries(countryAddresses)) {
      const within = blocks.some(
        (row) =>
          row['CountryISO2'] === country && Number.parseInt(row['Start']!, 16) <= first && Number.parseInt(row['Finish']!, 16) >= last,
      );
      expect([country, within]).toEqual([country, true]);
    }
  });
});
