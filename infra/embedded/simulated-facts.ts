// Facts of reference data with the types of simulated aircraft in them, for as long as they fly.

import type { Reference } from '../../pipeline/reference/reference.ts';
import type { AircraftFactsSource } from '../../pipeline/view/facts.ts';

/** `types`: designators by address. */
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
