// Aircraft facts of the reference data, with types for simulated aircraft while the simulation runs.
import type { AircraftFactsSource } from '../../pipeline/aircraft/facts.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';

/** `types`: type designators by address. */
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
