// Pages of flights in an order, and the cursor at which a list continues: by value and address, so that it stays valid while flights come and go.

import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import { hexKey, keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { compareText } from './counts.ts';
import type { FlightIndex } from './flight-index.ts';
import { shownAltitudeFt } from './list-filters.ts';
import { type TextForm, textForm } from './text-forms.ts';

type Value = number | string | null;

const values: Readonly<Record<string, (index: FlightIndex, i: number) => Value>> = {
  hex: () => null,
  flight: ({ listing }, i) => listing.flights[i]?.trimEnd() || null,
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
function ordered(index: FlightIndex, sort: string, flights: readonly number[]): readonly number[] {
  const ranked = flights.map((i) => ({ i, ...rankOf(index, sort, i) }));
  return ranked.sort((a, b) => compareRanks(sort, a, b)).map(({ i }) => i);
}

/** ORDER.VALUE.HEX: the order, the value of the last flight or nothing, its address. Texts are base64url. */
const NUMBER = String.raw`-?[0-9]{1,15}(\.[0-9]{1,6})?`;
export const cursorForm: TextForm = textForm(
  String.raw`-?(hex\.|flight\.[0-9A-Za-z_-]{0,64}|(alt_baro|gs|eta)\.(${NUMBER})?)\.~?[0-9a-f]{6}`,
  'expected a next_cursor of an earlier response',
);

/** The cursor of a flight: the next page begins behind it. */
function cursorOf(index: FlightIndex, sort: string, i: number): string {
  const { value, key } = rankOf(index, sort, i);
  const text = typeof value === 'string' ? Buffer.from(value).toString('base64url') : String(value ?? '');
  return `${sort}.${text}.${keyHex(key)}`;
}

interface Cursor {
  readonly sort: string;
  readonly last: Rank;
}

/** Reads a text that fits `cursorForm`. */
function readCursor(cursor: string): Cursor {
  const [, sort, text, hex] = /^(.+?)\.(.*)\.(.+)$/.exec(cursor) as unknown as [string, string, string, string];
  const value = text === '' ? null : sort.endsWith('flight') ? Buffer.from(text, 'base64url').toString() : Number(text);
  return { sort, last: { value, key: hexKey(hex) } };
}

/** True for flights behind the cursor. */
function behindCursor(index: FlightIndex, { sort, last }: Cursor): (i: number) => boolean {
  return (i) => compareRanks(sort, rankOf(index, sort, i), last) > 0;
}

function known(value: number): number | null {
  return value === ABSENT ? null : value;
}

export interface PageQuery {
  /** Maximum number of flights per page. */
  readonly limit: number;
  /** `next` of the previous page, whose order it keeps. */
  readonly cursor?: string;
  /** One of `sorts`. */
  readonly sort: string;
}

/** The flights of the pages. */
export interface FlightSet {
  /** Flights to scan; all without it. */
  readonly among?: readonly number[] | undefined;
  /** True for selected flights; without it all are. */
  readonly isWanted?: ((i: number) => boolean) | undefined;
}

/** `indices`: numbers in the listing; `next`: the cursor of the next page, null on the last; `matches`: flights on all pages. */
export function flightPage(index: FlightIndex, query: PageQuery, { among, isWanted }: FlightSet) {
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor);
  const { sort } = cursor ?? query;
  const inOrder = (flights: readonly number[]) => ordered(index, sort, flights);
  const pool =
    among === undefined ? index.once(`order ${sort}`, () => inOrder(index.flights)) : inOrder(among.filter((i) => index.isFlight(i)));
  const found = isWanted === undefined ? pool : pool.filter(isWanted);
  const behind = cursor === null ? found : found.filter(behindCursor(index, cursor));
  const indices = behind.slice(0, query.limit);
  return { indices, next: behind.length > query.limit ? cursorOf(index, sort, indices.at(-1)!) : null, matches: found.length };
}
