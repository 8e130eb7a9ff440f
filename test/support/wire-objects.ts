// Aircraft objects that a client got as binary frames, compared with those of the plain serialiser at the stated precision.

import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { type Annotation, aircraftObject, isListed } from '../../pipeline/aircraft/plain.ts';
import { LiveTable } from '../../pipeline/aircraft/table.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';

export type Objects = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export const everyIndex = ({ count }: Listing): Int32Array => Int32Array.from({ length: count }, (_, i) => i);

/** Half of the last digit, and a little for sums of binary fractions. */
const HALF = 0.500_001;
const EXACTNESS: Readonly<Record<string, number>> = { lat: 1e-5 * HALF, lon: 1e-5 * HALF, seen: 1.1 * HALF, seen_pos: 0.020_001 };

/** A listing with these aircraft, and their objects as `/v2` shows them. */
export function listingOf(
  states: readonly AircraftState[],
  nowMs: number,
  facts: (hex: string) => AircraftFacts | null = () => null,
): { listing: Listing; objects: Objects } {
  const table = new LiveTable({ version: 1, facts: (key) => facts(keyHex(key)) });
  for (const state of states) table.applyState(state);
  const { listing } = new SnapshotBuilder(table, () => nowMs, 'test').build(nowMs, 0);
  const annotation = ({ hex }: AircraftState): Annotation => ({ facts: facts(hex), route: null });
  const listed = states.filter((state) => isListed(state, nowMs));
  return { listing, objects: new Map(listed.map((state) => [state.hex, aircraftObject(state, nowMs, 'native', annotation(state))])) };
}

/** Faults of objects that should be these. */
export function differences(actual: Objects, expected: Objects): string[] {
  const wrong = [...actual.keys()].filter((hex) => !expected.has(hex)).map((hex) => `${hex} is there`);
  for (const [hex, object] of expected) {
    const found = actual.get(hex);
    if (found === undefined) wrong.push(`${hex} is missing`);
    else wrong.push(...memberDifferences(found, object).map((text) => `${hex}.${text}`));
  }
  return wrong;
}

function memberDifferences(actual: Readonly<Record<string, unknown>>, expected: Readonly<Record<string, unknown>>): string[] {
  const others = Object.keys(actual).filter((name) => !(name in expected));
  return [...Object.keys(expected), ...others].flatMap((name) => {
    const [is, should] = [actual[name], expected[name]];
    if (is === should) return [];
    const text = `${name}: ${JSON.stringify(is)}, expected ${JSON.stringify(should)}`;
    if (name === 'lastPosition' && is && should) return memberDifferences(is as Record<string, unknown>, should as Record<string, unknown>);
    if (name in EXACTNESS && typeof is === 'number' && typeof should === 'number') {
      const difference = Math.abs(is - should);
      return Math.min(difference, name === 'lon' ? Math.abs(360 - difference) : difference) <= EXACTNESS[name]! ? [] : [text];
    }
    return JSON.stringify(is) === JSON.stringify(should) ? [] : [text];
  });
}
