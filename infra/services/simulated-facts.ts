// Aircraft facts of the reference data, with types for simulated aircraft while the simulation runs.
import type { AircraftFactsSource } from '../../pipeline/aircraft/facts.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import { SIMULATION_SEED } from './simulation-start.ts';

/** Type designators of simulated aircraft by address. Their code is loaded only for a simulation. */
export async function simulatedTypes(aircraft: number): Promise<ReadonlyMap<number, string>> {
  if (aircraft === 0) return new Map();
  const { fleetOf } = await import('../../pipeline/simulate/traffic.ts');
  const { fleetTypes } = await import('../../pipeline/simulate/fleet-types.ts');
  return fleetTypes(fleetOf({ aircraft, seed: SIMULATION_SEED }));
}

/** `types`: those of `simulatedTypes`. */
export function withSimulatedTypes(
  reference: Reference,
  types: ReadonlyMap<number, string>,
  areFlying: () => boolean,
): AircraftFactsSource {
  return {
    get version() {
      return reference.version;
    },
    facts(key) {
      const known = reference.facts(key);
      const typeDesignator = areFlying() && known?.typeDesignator === undefined ? types.get(key) : undefined;
      if (typeDesignator === undefined) return known;
      const description = reference.type(typeDesignator)?.description;
      return { dbFlags: 0, ...known, typeDesignator, ...(description === undefined ? {} : { description }) };
    },
  };
}
