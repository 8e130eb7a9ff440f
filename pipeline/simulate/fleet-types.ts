// Types of simulated aircraft in the form of reference data: aircraft do not send their type, and no reference data has simulated aircraft.
import type { Identity } from './flights/fleet.ts';

/** ICAO Doc 8643 designators by class name. A class without any, such as vehicles and drones, has no type. */
export const typesOfClass: Readonly<Record<string, readonly string[]>> = {
  'medium jet': ['A320', 'B738', 'A20N', 'A21N', 'B38M', 'A319'],
  'heavy jet': ['B77W', 'A359', 'B789', 'A333', 'B744'],
  'high-vortex jet': ['B752', 'B753'],
  'regional jet': ['CRJ2', 'E145', 'E135'],
  turboprop: ['AT76', 'DH8D', 'AT45'],
  'business jet': ['C56X', 'CL35', 'E55P'],
  'fast jet': ['F16', 'EUFI'],
  'light aircraft': ['C172', 'P28A', 'DA40', 'SR22'],
  rotorcraft: ['EC35', 'R44', 'A139'],
};

/** Type designators by 24-bit address. The type of an aircraft never changes. */
export function fleetTypes(fleet: readonly Identity[]): Map<number, string> {
  const types = new Map<number, string>();
  for (const { address, aircraftClass, link } of fleet) {
    const choice = typesOfClass[aircraftClass.name];
    if (choice !== undefined && link.address === 'icao') types.set(address, choice[address % choice.length]!);
  }
  return types;
}
