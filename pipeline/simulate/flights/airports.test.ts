// The airports, operators and address blocks of simulated flights: all are in the reference data.
import { expect, test } from 'vitest';
import { militaryBlocks } from '../../reference/addresses/military.ts';
import { stateBlocks } from '../../reference/addresses/states.ts';
import { airports } from './airports.ts';
import { countryAddresses, operators, registrationPrefixes } from './operators.ts';

test('every code is in the reference data once, and every country has addresses', () => {
  expect(new Set(airports.map(({ icao }) => icao)).size).toBeGreaterThan(200);
  for (const country of [...Object.keys(registrationPrefixes), ...operators.map((operator) => operator.country)])
    expect(countryAddresses).toHaveProperty(country);
});

test("addresses are in the civil part of their country's block", () => {
  for (const [country, [first, last]] of Object.entries(countryAddresses)) {
    expect([country, stateBlocks.some((block) => block.country === country && block.first <= first && last <= block.last)]).toEqual([
      country,
      true,
    ]);
    expect(militaryBlocks.filter((block) => block.first <= last && block.last >= first)).toEqual([]);
  }
});
