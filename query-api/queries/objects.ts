// Aircraft of a snapshot as objects, for responses that existing bytes cannot give: some members only, more members, another format.

import type { View } from '../../pipeline/aircraft/plain.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import type { Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';

export type AircraftObject = Record<string, unknown>;

/** The aircraft of a selection, with distance and direction if it has them. */
export function aircraftObjects(
  snapshot: Snapshot,
  view: View,
  selection: Selection,
  decorate?: (listing: Listing, index: number) => Readonly<Record<string, unknown>>,
): AircraftObject[] {
  const objects = JSON.parse(`[${snapshot.text(view, selection)}]`) as AircraftObject[];
  const { indices, distancesNm, bearingsDeg } = selection;
  objects.forEach((object, n) => {
    if (distancesNm !== undefined) {
      object['dst'] = Math.round(distancesNm[n]! * 1000) / 1000;
      object['dir'] = (Math.round(bearingsDeg![n]! * 10) % 3600) / 10;
    }
    if (decorate !== undefined) Object.assign(object, decorate(snapshot.listing, indices[n]!));
  });
  return objects;
}

/** Keeps the members of a comma list, and hex. */
export function pickFields(list: string): (object: AircraftObject) => AircraftObject {
  const names = new Set(['hex', ...list.split(',').map((item) => item.trim())]);
  return (object) => Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
}
