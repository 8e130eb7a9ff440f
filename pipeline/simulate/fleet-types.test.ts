// Types of simulated aircraft: in the bundled reference data, and consistent with the category that the aircraft sends.
import { expect, it } from 'vitest';
import { openReference } from '../reference/open-reference.ts';
import { fleetTypes, typesOfClass } from './fleet-types.ts';
import { aircraftClasses } from './flights/classes.ts';
import { createTraffic, fleetOf } from './traffic.ts';

it('every designator is known, and its category is that of the class', async () => {
  const { reference, close } = await openReference({ folder: null, clock: () => 0 });
  for (const [name, designators] of Object.entries(typesOfClass)) {
    const category = aircraftClasses
      .find((aircraftClass) => aircraftClass.name === name)
      ?.category.toString(16)
      .toUpperCase();
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
