// The orders of flights, and the cursor at which a list continues: by value and address, so that it stays valid while flights come and go.

import { ABSENT } from '../../pipeline/view/columns.ts';
import { hexKey, keyHex } from '../../pipeline/view/hex-key.ts';
import { compareText } from './counts.ts';
import { badValue } from './errors.ts';
import type { FlightIndex } from './flight-index.ts';
import { shownAltitudeFt } from './list-filters.ts';

type Value = number | string | null;

const values: Readonly<Record<string, (index: FlightIndex, i: number) => Value>> = {
  hex: () => null,
  flight: ({ listing }, i) => listing.flights[i]?.trimEnd() ?? null,
  alt_baro: ({ listing }, i) => known(shownAltitudeFt(listing.columns, i)),
  gs: ({ listing }, i) => known(listing.columns.groundSpeedDeciKt[i]!),
  eta: (index, i) => (index.block(i)['eta'] as number | undefined) ?? null,
};

/** Values of `sort`; a preceding hyphen reverses one. */
export const sorts: readonly string[] = Object.keys(values).flatMap((name) => [name, `-${name}`]);

/** Position of a flight in an order; keys of addresses sort like their texts. */
interface Rank {
  readonly value: Value;
  readonly key: number;
}

function rankOf(index: FlightIndex, sort: string, i: number): Rank {
  return { value: values[sort.replace('-', '')]!(index, i), key: index.listing.columns.key[i]! };
}

/** Flights without the value come last in both directions; equal ones are sorted by address. */
function compareRanks(sort: string, a: Rank, b: Rank): number {
  const sign = sort.startsWith('-') ? -1 : 1;
  const byHex = (a.key - b.key) * (sort === '-hex' ? -1 : 1);
  if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null) || byHex;
  const difference =
    typeof a.value === 'number' && typeof b.value === 'number' ? a.value - b.value : compareText(`${a.value}`, `${b.value}`);
  return sign * difference || byHex;
}

/** Sorts these flights. */
export function ordered(index: FlightIndex, sort: string, flights: readonly number[]): readonly number[] {
  const ranked = flights.map((i) => ({ i, ...rankOf(index, sort, i) }));
  return ranked.sort((a, b) => compareRanks(sort, a, b)).map(({ i }) => i);
}

/** The cursor of a flight: the next page begins behind it. */
export function cursorOf(index: FlightIndex, sort: string, i: number): string {
  const { value, key } = rankOf(index, sort, i);
  return Buffer.from(JSON.stringify([sort, value, keyHex(key)])).toString('base64url');
}

/** True when a flight comes behind the cursor. Error: `api.bad_value` for an invalid cursor, or one of another order. */
export function behindCursor(index: FlightIndex, sort: string, cursor: string): (i: number) => boolean {
  const last = readCursor(sort, cursor);
  return (i) => compareRanks(sort, rankOf(index, sort, i), last) > 0;
}

function readCursor(sort: string, cursor: string): Rank {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw badValue('cursor', cursor, 'expected a next_cursor of an earlier response');
  }
  if (!Array.isArray(parts) || typeof parts[2] !== 'string')
    throw badValue('cursor', cursor, 'expected a next_cursor of an earlier response');
  const [asked, value, hex] = parts as [unknown, unknown, string];
  if (asked !== sort) throw badValue('cursor', cursor, 'the cursor belongs to another sort: use the same sort');
  if (value !== null && typeof value !== 'number' && typeof value !== 'string')
    throw badValue('cursor', cursor, 'expected a next_cursor of an earlier response');
  const key = hexKey(hex);
  if (key < 0) throw badValue('cursor', cursor, 'expected a next_cursor of an earlier response');
  return { value, key };
}

function known(value: number): number | null {
  return value === ABSENT ? null : value;
}
