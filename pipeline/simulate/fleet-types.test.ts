// Types, airports, operators and address blocks of simulated traffic: all are in the reference data.
import { expect, it } from 'vitest';
import { militaryBlocks } from '../reference/addresses/military.ts';
import { stateBlocks } from '../reference/addresses/states.ts';
import { openReference } from '../reference/open-reference.ts';
import { fleetTypes, typesOfClass } from './fleet-types.ts';
import { aircraftClasses } from './flights/classes.ts';
import { countryAddresses, operators, registrationPrefixes } from './flights/operators.ts';
import { createTraffic, fleetOf } from './traffic.ts';

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

it('most aircraft have one, vehicles none, and the same one each time', () => {
  const { fleet } = createTraffic({ aircraft: 500, seed: 1, startUs: 0 });
  const types = fleetTypes(fleet);
  expect(types.size).toBeGreaterThan(400);
  const vehicles = fleet.filter(({ aircraftClass }) => aircraftClass.name.endsWith('vehicle'));
  expect(vehicles.length).toBeGreaterThan(0);
  for (const { address } of vehicles) expect(types.has(address)).toBe(false);
  expect(fleetTypes(fleetOf({ aircraft: 500, seed: 1 }))).toEqual(types);
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
