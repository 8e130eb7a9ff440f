// Types, airports, operators and address blocks of simulated traffic: all are in the reference data.
import { expect, it } from 'vitest';
import { militaryBlocks } from '../reference/addresses/military.ts';
import { stateBlocks } from '../reference/addresses/states.ts';
import { openReference } from '../reference/open-reference.ts';
import { typesOfClass } from './fleet-types.ts';
import { aircraftClasses } from './flights/classes.ts';
import { countryAddresses, operators, registrationPrefixes } from './flights/operators.ts';

it('every designator is known, and its category is that of the class', async () => {
  const { reference, close } = await openReference({ folder: null, clock: () => 0 });
  for (const [name, designators] of Object.entries(typesOfClass)) {
    const ofClass = aircraftClasses.find((aircraftClass) => aircraftClass.name === name)!;
    const category = ofClass.category.toString(16).toUpperCase();
    for (const designator of designators) {
      const type = reference.type(designator);
      expect(type, designator).toBeDefined();
      if (type!.category !== undefined) expect([designator, type!.category]).toEqual([designator, category]);
    }
  }
  await close();
});

it("every country has addresses, in the civil part of its country's block", () => {
  for (const country of [...Object.keys(registrationPrefixes), ...operators.map((operator) => operator.country)])
    expect(countryAddresses).toHaveProperty(country);
  for (const [country, [first, last]] of Object.entries(countryAddresses)) {
    expect([country, stateBlocks.some((block) => block.country === country && block.first <= first && last <= block.last)]).toEqual([
      country,
      true,
    ]);
    expect(militaryBlocks.filter((block) => block.first <= last && block.last >= first)).toEqual([]);
  }
});
