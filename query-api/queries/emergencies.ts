// Aircraft in an emergency, and the rule that applies (decisions G1).
import type { Listing } from '../../pipeline/view/listing.ts';
import { all, type Predicate, type Selection } from '../../pipeline/view/search.ts';
import { emergencyNames } from '../../schemas/avro/aircraft-state.ts';

const SQUAWKS = [7500, 7600, 7700];

/** Declared states that count as an emergency. */
export const declaredEmergencies: readonly string[] = ['general', 'minfuel', 'nordo', 'unlawful', 'downed'];

/** The same with medical flights, which send `lifeguard` routinely. */
export const declaredWithLifeguard: readonly string[] = [...declaredEmergencies, 'lifeguard'];

/** `squawk_7700`, `adsb_general`; empty where there is no emergency. */
export function emergencyReasons({ columns }: Listing, i: number, declared = declaredEmergencies): string[] {
  const squawk = columns.squawk[i]!;
  const name = emergencyNames[columns.emergency[i]!];
  return [
    ...(SQUAWKS.includes(squawk) ? [`squawk_${squawk}`] : []),
    ...(name !== undefined && declared.includes(name) ? [`adsb_${name}`] : []),
  ];
}

/** Aircraft in an emergency, in the order of the listing. */
export function emergencies(listing: Listing, isWanted?: Predicate, declared = declaredEmergencies): Selection {
  return all(listing, (i) => emergencyReasons(listing, i, declared).length > 0 && (isWanted === undefined || isWanted(i)));
}
