// Aircraft of a snapshot by name and by position. Each query returns a selection: numbers of aircraft in the listing, from which
// bytes (`Snapshot.compose`) or objects (`aircraftObjects`) are made. A selection is valid until the next search.

import { hexKey } from '../../pipeline/view/hex-key.ts';
import type { ListedText, Listing } from '../../pipeline/view/listing.ts';
import type { Box } from '../../pipeline/view/position-grid.ts';
import { all, type Circle, first, inCircle, type Predicate, type Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits/index.ts';
import { badValue } from './errors.ts';

/** Finds aircraft in a snapshot for which `isWanted` is true; all of them without it. */
export type Select = (snapshot: Snapshot, isWanted: Predicate | undefined) => Selection;

/** Every aircraft. */
export function everyAircraft({ listing }: Snapshot, isWanted: Predicate | undefined): Selection {
  return all(listing, isWanted ?? (() => true));
}

/** Every aircraft with a valid position. */
export function everyWithPosition({ listing }: Snapshot, isWanted: Predicate | undefined): Selection {
  return all(listing, (i) => listing.hasPosition(i) && (isWanted?.(i) ?? true));
}

/** Aircraft with any of these bits of `dbFlags`. */
export function withFlags(listing: Listing, bits: number, isWanted: Predicate | undefined): Selection {
  return all(listing, (i) => ((listing.facts[i]?.dbFlags ?? 0) & bits) !== 0 && (isWanted === undefined || isWanted(i)));
}

/** Aircraft with these keys, in the requested order. */
export function byHex(snapshot: Snapshot, keys: readonly number[], isWanted: Predicate | undefined): Selection {
  const found = snapshot.find(keys);
  if (isWanted === undefined) return found;
  const indices = found.indices.filter(isWanted);
  return { count: indices.length, indices };
}

/** Aircraft with one of these texts, in the requested order. */
export function byText(listing: Listing, text: ListedText, wanted: ReadonlySet<string>, isWanted: Predicate | undefined): Selection {
  const index = listing.by(text);
  const found = [...wanted].flatMap((item) => index.get(item) ?? []);
  const indices = Int32Array.from(isWanted === undefined ? found : found.filter(isWanted));
  return { count: indices.length, indices };
}

/** Aircraft with one of these squawks. */
export function bySquawk(listing: Listing, codes: ReadonlySet<number>, isWanted: Predicate | undefined): Selection {
  const { squawk } = listing.columns;
  return all(listing, (i) => codes.has(squawk[i]!) && (isWanted === undefined || isWanted(i)));
}

/** The nearest aircraft in a circle. */
export function nearest(listing: Listing, circle: Circle, countMax: number, isWanted: Predicate | undefined): Selection {
  return first(inCircle(listing, circle, isWanted), countMax);
}

/** Keys in the given order, each once. Error: `api.bad_value`. */
export function parseHexes(list: string): number[] {
  if (!list.includes(',')) return [parseHex(list)];
  return [...new Set(list.split(',').map(parseHex))];
}

/** Codes of a `squawkList` as decimal numbers. */
export function parseSquawks(list: string): Set<number> {
  return new Set(list.split(',').map(Number));
}

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
