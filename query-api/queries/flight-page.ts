// A page of flights: selected, sorted, from a cursor.
import type { FlightIndex } from './flight-index.ts';
import { behindCursor, cursorOf, ordered, readCursor } from './flight-order.ts';

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

export interface FlightPage {
  /** Numbers of the page's flights in the listing. */
  readonly indices: readonly number[];
  /** The cursor of the next page; null on the last. */
  readonly next: string | null;
  /** Flights on all pages. */
  readonly matches: number;
}

export function flightPage(index: FlightIndex, query: PageQuery, { among, isWanted }: FlightSet): FlightPage {
  const { limit } = query;
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor);
  const { sort } = cursor ?? query;
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
  const behind = cursor === null ? found : found.filter(behindCursor(index, cursor));
  const indices = behind.slice(0, limit);
  return { indices, next: behind.length > limit ? cursorOf(index, sort, indices.at(-1)!) : null, matches: found.length };
}
