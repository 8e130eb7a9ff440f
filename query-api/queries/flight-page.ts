// A page of flights: those wanted, in an order, from a cursor on.
import type { FlightIndex } from './flight-index.ts';
import { behindCursor, cursorOf, ordered } from './flight-order.ts';

export interface PageQuery {
  /** Flights of the page at most. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string;
  /** One of `sorts`. */
  readonly sort: string;
}

/** The flights that pages are made of. */
export interface FlightSet {
  /** Where to look; among all flights without it. */
  readonly among?: readonly number[] | undefined;
  /** All of those are wanted without it. */
  readonly isWanted?: ((i: number) => boolean) | undefined;
}

export interface FlightPage {
  /** Numbers of the page's flights in the listing. */
  readonly indices: readonly number[];
  /** The cursor of the next page; null on the last. */
  readonly next: string | null;
  /** Flights on all pages. */
  readonly matches: number;
}

/** Error: `api.bad_value` for a cursor that is none, or of another order. */
export function flightPage(index: FlightIndex, { limit, cursor, sort }: PageQuery, { among, isWanted }: FlightSet): FlightPage {
  const all = (): readonly number[] => index.once(`order ${sort}`, () => ordered(index, sort, index.flights));
  const pool =
    among === undefined
      ? all()
      : ordered(
          index,
          sort,
          among.filter((i) => index.isFlight(i)),
        );
  const found = isWanted === undefined ? pool : pool.filter(isWanted);
  const behind = cursor === undefined ? found : found.filter(behindCursor(index, sort, cursor));
  const indices = behind.slice(0, limit);
  return { indices, next: behind.length > limit ? cursorOf(index, sort, indices.at(-1)!) : null, matches: found.length };
}
