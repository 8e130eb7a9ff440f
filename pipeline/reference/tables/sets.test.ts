// Aircraft, routes, operators and blocks: look-ups agree with a simple model.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { unpackTable } from '../store/column-file.ts';
import { type AircraftRecord, AircraftSet, AircraftTable } from './aircraft.ts';
import { type Block, BlockTable, packBlocks } from './blocks.ts';
import { OperatorSet, operatorOf, operatorsIn } from './operators.ts';
import { RouteSet, RouteTable } from './routes.ts';

const address = fc.integer({ min: 1, max: 0xff_fffe });
const few = fc.integer({ min: 1, max: 20 });

describe('aircraft', () => {
  const nothing: AircraftRecord = { registration: '', typeDesignator: '', description: '', operator: '', year: 0, flags: 0 };
  const record = fc.record(
    {
      registration: fc.string({ unit: 'grapheme' }),
      typeDesignator: fc.constantFrom('', 'B738', 'A320'),
      description: fc.string({ unit: 'grapheme' }),
      operator: fc.constantFrom('', 'KLM'),
      year: fc.constantFrom(0, 1999, 2025),
      flags: fc.nat(15),
    },
    { requiredKeys: [] },
  );
  /** Some addresses repeat. */
  const puts = fc.array(fc.tuple(fc.oneof(few, address), record), { maxLength: 40 });
  const knownOf = (each: Partial<AircraftRecord>): Partial<AircraftRecord> =>
    Object.fromEntries(Object.entries(each).filter(([name, value]) => name === 'flags' || (value !== '' && value !== 0)));

  it('keep the last value, and the previous one if the last is empty', () => {
    fc.assert(
      fc.property(puts, puts, (first, second) => {
        const model = new Map<number, AircraftRecord>();
        const gather = (set: AircraftSet, list: typeof first): AircraftTable => {
          for (const [key, each] of list) {
            set.put(key, each);
            model.set(key, { ...(model.get(key) ?? nothing), ...knownOf(each) });
          }
          return new AircraftTable(unpackTable(set.pack()));
        };
        // Two imports, the second over the first.
        const table = gather(new AircraftSet(gather(new AircraftSet(), first)), second);
        expect([...table.keys]).toEqual([...model.keys()].sort((a, b) => a - b));
        for (const [key, each] of model) expect(table.find(key)).toEqual(each);
        expect(table.find(0)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

describe('routes', () => {
  const code = fc.stringMatching(/^[A-Z]{3,4}$/);
  const callsign = fc.stringMatching(/^[A-Z]{3}\d{1,4}[A-Z]?$/);

  it('are found with their airports in order', () => {
    fc.assert(
      fc.property(fc.dictionary(callsign, fc.array(code, { minLength: 2, maxLength: limits.referenceRouteStopsMax })), (routes) => {
        const set = new RouteSet();
        for (const [name, stops] of Object.entries(routes)) expect(set.put(name.toLowerCase(), stops)).toBeNull();
        const table = new RouteTable(unpackTable(new RouteSet(new RouteTable(unpackTable(set.pack()))).pack()));
        expect(table.rows).toBe(Object.keys(routes).length);
        for (const [name, stops] of Object.entries(routes)) expect(table.find(`${name} `)).toEqual(stops);
        expect(table.find('')).toBeUndefined();
      }),
    );
  });

  it('are rejected if invalid', () => {
    const set = new RouteSet();
    expect(set.put('KLM 1', ['EHAM', 'KJFK'])).toBe('not a call sign');
    expect(set.put('KLM1', ['EHAM'])).toBe('fewer than two airports');
    expect(set.put('KLM1', ['EHAM', ''])).toBe('not an airport code');
    expect(set.put('KLM1', new Array(limits.referenceRouteStopsMax + 1).fill('EHAM'))).toMatch(/^more than/);
  });
});

describe('operators', () => {
  it('keep their order: the first of one import with an IATA code gets it', () => {
    const set = new OperatorSet([operatorOf('AAA', 'XX', 'First', 'FIRST', 'NL')]);
    set.put(operatorOf('AAA', 'XX', 'First of all', '', ''));
    set.put(operatorOf('BBB', 'XX', 'Second', '', ''));
    const table = operatorsIn(unpackTable(set.pack()));
    expect(table.find('xx')).toEqual({ icao: 'AAA', iata: 'XX', name: 'First of all', callsign: 'FIRST', country: 'NL' });
    expect(table.find('bbb')).toEqual({ icao: 'BBB', iata: 'XX', name: 'Second' });
  });

  it('lose an IATA code that an import gives to another, unless the import gives it to them too', () => {
    const before = [operatorOf('AAA', 'XX', 'Shipped', 'FIRST', 'NL'), operatorOf('CCC', 'YY', 'Kept', '', '')];
    const set = new OperatorSet(before);
    set.put(operatorOf('BBB', 'XX', 'Imported', '', ''));
    set.put(operatorOf('DDD', 'YY', 'Imported too', '', ''));
    set.put(operatorOf('CCC', 'YY', 'Kept', '', ''));
    const table = operatorsIn(unpackTable(set.pack()));
    expect(table.find('XX')?.icao).toBe('BBB');
    expect(table.find('AAA')).toEqual({ icao: 'AAA', name: 'Shipped', callsign: 'FIRST', country: 'NL' });
    expect(table.find('YY')?.icao).toBe('CCC');
    // The next import is independent of the first: the data of the first stay.
    const next = new OperatorSet(table.values());
    next.put(operatorOf('EEE', '', 'Another', '', ''));
    expect(operatorsIn(unpackTable(next.pack())).find('XX')?.icao).toBe('BBB');
  });
});

describe('blocks', () => {
  it('give the same result as a search for the smallest around an address', () => {
    const block = fc
      .record({
        first: address,
        addresses: fc.integer({ min: 1, max: 0x4_0000 }),
        country: fc.constantFrom('', 'NL', 'US'),
        military: fc.boolean(),
      })
      .map(({ first, addresses, ...values }): Block => ({ first, last: Math.min(0xff_ffff, first + addresses - 1), ...values }));
    fc.assert(
      fc.property(fc.array(block, { maxLength: 20 }), fc.array(address), (blocks, others) => {
        const table = new BlockTable(unpackTable(packBlocks(blocks)));
        for (const key of [...others, ...blocks.flatMap(({ first, last }) => [first - 1, first, last, last + 1])]) {
          const around = blocks
            .filter(({ first, last }) => first <= key && key <= last)
            .sort((a, b) => a.last - a.first - (b.last - b.first));
          expect([table.countryOf(key), table.isMilitary(key)]).toEqual([around[0]?.country ?? '', around[0]?.military ?? false]);
        }
      }),
    );
  });
});
