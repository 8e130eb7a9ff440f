// The port: imported data first, then data derived from addresses; unknown data are absent.
import { describe, expect, it } from 'vitest';
import { NON_ICAO_BIT } from '../aircraft/hex-key.ts';
import { unpackTable } from './store/column-file.ts';
import { StoredReference } from './stored-reference.ts';
import { AircraftSet, AircraftTable } from './tables/aircraft.ts';
import { RouteSet, RouteTable } from './tables/routes.ts';
import { shippedTables } from './tables.ts';

const shipped = shippedTables();

describe('a reference', () => {
  it('without imports derives data from addresses', () => {
    const reference = new StoredReference(shipped);
    expect(reference.facts(0xa0_0001)).toEqual({ registration: 'N1', dbFlags: 0 });
    expect(reference.facts(0xae_1234)).toEqual({ dbFlags: 1 });
    expect(reference.facts(0x40_0f1e)).toBeNull();
    expect(reference.facts(0xa0_0001 | NON_ICAO_BIT)).toBeNull();
    expect(reference.country(0x40_0f1e)).toEqual({ code: 'GB', name: 'United Kingdom' });
    expect(reference.country(0x40_0f1e | NON_ICAO_BIT)).toBeUndefined();
    expect(reference.country(1)).toBeUndefined();
    expect(reference.route('KLM641')).toBeUndefined();
    expect(reference.type('b738')).toEqual({ designator: 'B738', description: 'BOEING 737-800', category: 'A3' });
    const { airports, operators } = reference.search('ZURICH', 5);
    expect(airports[0]).toMatchObject({ fit: 'exact', entry: { iata: 'ZRH' } });
    expect(operators).toEqual([]);
  });

  it('with imports uses those first, and derived data for the rest', () => {
    const aircraft = new AircraftSet();
    aircraft.put(0xa0_0001, { registration: 'N1-OTHER', typeDesignator: 'B738' });
    aircraft.put(0xae_1234, { registration: '96-0001', flags: 2, description: 'BOEING C-17 GLOBEMASTER 3', year: 1996, operator: 'USAF' });
    const routes = new RouteSet();
    routes.put('klm641', ['EHAM', 'jfk']);
    const reference = new StoredReference(shipped);
    const { version } = reference;
    reference.replace({
      ...shipped,
      aircraft: new AircraftTable(unpackTable(aircraft.pack())),
      routes: new RouteTable(unpackTable(routes.pack())),
    });
    expect(reference.version).toBe(version + 1);
    const facts = { registration: 'N1-OTHER', typeDesignator: 'B738', description: 'BOEING 737-800', dbFlags: 0 };
    expect(reference.facts(0xa0_0001)).toEqual(facts);
    expect(reference.facts(0xa0_0002)).toEqual({ registration: 'N1A', dbFlags: 0 });
    // Military by its block, and interesting by the import.
    expect(reference.facts(0xae_1234)).toMatchObject({ operator: 'USAF', year: '1996', dbFlags: 3 });
    // The same airport is the same object.
    expect(reference.route('KLM641')![0]).toBe(reference.airport('AMS'));
  });
});
