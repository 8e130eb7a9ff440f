// Airports by position, compared with a full search, and by code.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceNm, positionVector } from '../../geo/sphere.ts';
import type { Airport } from '../reference.ts';
import { unpackTable } from '../store/column-file.ts';
import { AirportSet, AirportTable, airportTypes } from './airports.ts';

const airport = fc.record(
  {
    icao: fc.stringMatching(/^[A-Z]{4}$/),
    iata: fc.stringMatching(/^[A-Z]{3}$/),
    local: fc.stringMatching(/^[A-Z0-9]{1,5}$/),
    name: fc.string(),
    city: fc.string({ minLength: 1 }),
    country: fc.stringMatching(/^[A-Z]{2}$/),
    latDeg: fc.double({ min: -90, max: 90, noNaN: true }),
    lonDeg: fc.double({ min: -180, max: 180, noNaN: true }),
    elevationFt: fc.integer({ min: -1500, max: 20_000 }),
    type: fc.constantFrom(...airportTypes),
  },
  { requiredKeys: ['icao', 'name', 'latDeg', 'lonDeg'], noNullPrototype: true },
);

function tableOf(airports: readonly Airport[]): AirportTable {
  const set = new AirportSet([]);
  for (const each of airports) expect(set.put(each)).toBeNull();
  return new AirportTable(unpackTable(set.pack()));
}

describe('airports', () => {
  it('are found unchanged by their code, and near a position as by a full search', () => {
    const airports = fc.uniqueArray(airport, { selector: ({ icao }) => icao, maxLength: 50 });
    const position = fc.tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -180, max: 180, noNaN: true }));
    // The radius is at least 1e-6, because the sine of half an angle of 1e-324 is 0.
    const radius = fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 11_000, noNaN: true }));
    fc.assert(
      fc.property(airports, position, radius, fc.nat(60), (all, [latDeg, lonDeg], radiusNm, limit) => {
        const table = tableOf(all);
        for (const each of all) expect(table.find(each.icao.toLowerCase())).toEqual(each);
        const here = positionVector(latDeg, lonDeg);
        const expected = all
          .filter(({ type }) => type !== 'closed')
          .map((each) => ({ icao: each.icao, distance: distanceNm(here, positionVector(each.latDeg, each.lonDeg)) }))
          .filter(({ distance }) => distance < radiusNm)
          .sort((a, b) => a.distance - b.distance || (a.icao < b.icao ? -1 : 1))
          .slice(0, limit);
        const found = table.near(latDeg, lonDeg, radiusNm, limit);
        expect(found.map(({ airport: { icao } }) => icao)).toEqual(expected.map(({ icao }) => icao));
      }),
    );
  });

  it('are found by ICAO before IATA before local code; the most important gets a shared code', () => {
    const at = { latDeg: 0, lonDeg: 0 };
    const table = tableOf([
      { icao: 'AAAA', iata: 'BBB', name: 'small', type: 'small_airport', ...at },
      { icao: 'CCCC', iata: 'BBB', name: 'large', type: 'large_airport', ...at },
      { iata: 'DDD', name: 'by IATA', ...at },
      { local: 'DDD', name: 'by local code', ...at },
      { local: 'E1', country: 'US', name: 'one E1', ...at },
      { local: 'E1', country: 'CA', name: 'another E1', ...at },
    ]);
    expect(table.rows).toBe(6);
    expect(table.find('BBB')?.name).toBe('large');
    expect(table.find('DDD')?.name).toBe('by IATA');
    expect(table.find('E1')?.name).toBe('one E1');
    expect(table.find('')).toBeUndefined();
    expect(table.find('NO SUCH')).toBeUndefined();
  });

  it('lose an IATA code that an import gives to another, regardless of importance; a closed airport takes none', () => {
    const at = { latDeg: 0, lonDeg: 0 };
    const set = new AirportSet([
      { icao: 'AAAA', iata: 'BBB', name: 'shipped', type: 'large_airport', ...at },
      { icao: 'CCCC', iata: 'DDD', name: 'in use', type: 'small_airport', ...at },
      { iata: 'EEE', name: 'known by its IATA code alone', ...at },
    ]);
    for (const [icao, iata, type] of [
      ['NNNN', 'BBB', 'small_airport'],
      ['OOOO', 'DDD', 'closed'],
      ['PPPP', 'EEE', 'small_airport'],
    ] as const)
      expect(set.put({ icao, iata, type, name: 'imported', ...at })).toBeNull();
    const table = new AirportTable(unpackTable(set.pack()));
    expect(['BBB', 'DDD', 'EEE', 'AAAA'].map((code) => table.find(code)?.icao)).toEqual(['NNNN', 'CCCC', 'PPPP', 'AAAA']);
    expect(table.find('AAAA')).not.toHaveProperty('iata');
  });

  it('without a code, with an invalid code or without coordinates are rejected', () => {
    const set = new AirportSet([]);
    const at = { name: '', latDeg: 0, lonDeg: 0 };
    expect(set.put(at)).toBe('no code');
    expect(set.put({ ...at, icao: 'Å' })).toBe('not an airport code');
    expect(set.put({ ...at, icao: 'AAAA', latDeg: 91 })).toBe('invalid coordinates');
    expect(set.put({ ...at, icao: 'AAAA', lonDeg: Number.NaN })).toBe('invalid coordinates');
    expect(set.put({ ...at, icao: 'VAKP', latDeg: 16.6647, lonDeg: 74.2894 })).toBeNull();
    expect(set.put({ ...at, icao: 'VAKP', latDeg: 74.289444, lonDeg: 16.664722 })).toBe('latitude and longitude exchanged');
  });
});
