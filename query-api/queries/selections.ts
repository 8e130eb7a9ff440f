// Aircraft of a snapshot by name and by position. Each function returns one that selects aircraft: their numbers in the listing, from which
// bytes (`Snapshot.compose`) or objects (`aircraftObjects`) are made. A selection is valid until the next search.

import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import type { ListedText, Listing } from '../../pipeline/view/listing.ts';
import type { Box } from '../../pipeline/view/position-grid.ts';
import { all, type Circle, first, inBox, inCircle, type Predicate, type Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits/index.ts';
import { badValue } from './errors.ts';
import { listItems } from './list-filters.ts';

/** Finds aircraft in a snapshot for which `isWanted` is true; all of them without it. */
export type Select = (snapshot: Snapshot, isWanted: Predicate | undefined) => Selection;

const having =
  (test: (listing: Listing, i: number) => boolean): Select =>
  ({ listing }, isWanted) =>
    all(listing, (i) => test(listing, i) && (isWanted === undefined || isWanted(i)));

/** Every aircraft. */
export const everyAircraft = having(() => true);

/** Aircraft with any of these bits of `dbFlags`. */
export const withFlags = (bits: number): Select => having(({ facts }, i) => ((facts[i]?.dbFlags ?? 0) & bits) !== 0);

/** Aircraft with one of the squawks of a `squawkList`. */
export function bySquawk(list: string): Select {
  const codes = new Set(list.split(',').map(Number));
  return having(({ columns }, i) => codes.has(columns.squawk[i]!));
}

/** Aircraft with one of the addresses of a list, in its order. Error: `api.bad_value`. */
export function byHex(list: string): Select {
  const keys = [...new Set(list.split(',').map(parseHex))];
  return (snapshot, isWanted) => {
    const found = snapshot.find(keys);
    return isWanted === undefined ? found : selected(found.indices.filter(isWanted));
  };
}

/** Aircraft with one of the texts of a list, in its order. */
export function byText(text: ListedText, list: string): Select {
  const wanted = [...listItems(list)];
  return ({ listing }, isWanted) => {
    const index = listing.by(text);
    const found = wanted.flatMap((item) => index.get(item) ?? []);
    return selected(Int32Array.from(isWanted === undefined ? found : found.filter(isWanted)));
  };
}

const selected = (indices: Int32Array): Selection => ({ count: indices.length, indices });

/** Aircraft in a box. */
export const within =
  (box: Box): Select =>
  ({ listing }, isWanted) =>
    inBox(listing, box, isWanted);

/** Aircraft in a circle by distance: all, or the nearest. */
export const around =
  (circle: Circle, countMax?: number): Select =>
  ({ listing }, isWanted) => {
    const found = inCircle(listing, circle, isWanted);
    return countMax === undefined ? found : first(found, countMax);
  };

/** A circle of at most `limits.aircraftRadiusNmMax`. */
export function circleOf(latDeg: number, lonDeg: number, radiusNm: number): Circle {
  return { latDeg, lonDeg, radiusNm: Math.min(radiusNm, limits.aircraftRadiusNmMax) };
}

/** A box by its corners, degrees. Error: `api.bad_value` when south is greater than north. */
export function boxOf(min_lat: number, min_lon: number, max_lat: number, max_lon: number): Box {
  if (min_lat > max_lat) throw badValue('min_lat', String(min_lat), `expected at most max_lat, ${max_lat}`);
  return { southDeg: min_lat, westDeg: min_lon, northDeg: max_lat, eastDeg: max_lon };
}

/** The key of one address. Error: `api.bad_value`. */
export function parseHex(item: string): number {
  const key = hexKey(item.trim());
  if (key < 0) throw badValue('hex', item, 'expected 6 hex digits, with ~ before them for a non-ICAO address');
  return key;
}
