// Pages of flights: selected, sorted, from a cursor, as whole blocks or some of their members.

import { json } from '../../../pipeline/flights/airports.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { FlightBlock } from '../../queries/flight-block.ts';
import type { FlightIndex } from '../../queries/flight-index.ts';
import { cursorForm, type FlightSet, flightPage, type PageQuery, sorts } from '../../queries/flight-order.ts';
import { pickFields } from '../../queries/objects.ts';
import { nameList } from '../../queries/text-forms.ts';
import { amount, integer, listOf, reference, text, upTo } from '../schemas/build.ts';
import { flightMembers, metaOf } from '../schemas/flight.ts';
import type { Made, SnapshotRequest } from '../snapshot-routes.ts';
import { type Members, metaText } from './meta.ts';

interface FlightsQuery extends PageQuery {
  readonly fields?: string;
}

export const flightFields = {
  ...nameList(flightMembers, 'expected a member of flight records'),
  description: 'members of each flight that are wanted; hex is always there',
  examples: ['flight,origin,destination'],
};

/** Parameters of every paged list of flights. */
export const pageQueryProperties = {
  limit: upTo(limits.pageItemsMax, limits.pageItemsDefault, 'flights of one page at most'),
  cursor: {
    ...cursorForm,
    description: '`next_cursor` of the page before. It goes on in the order of that page, whatever `sort` says',
    examples: ['hex..4ca7b3'],
  },
  sort: {
    type: 'string',
    enum: [...sorts],
    default: 'hex',
    description: 'order; a hyphen before it turns it round. Unknown values stand last',
  },
  fields: flightFields,
} as const;

/** The response of a page of flights. */
export const pageSchema = (properties: Readonly<Record<string, object>> = {}) =>
  metaOf(
    {
      ...properties,
      flights: listOf(reference('Flight'), 'the flights'),
      limit: integer('flights of this page at most'),
      matches: amount('flights on all pages'),
      next_cursor: text('asks for the next page; absent on the last'),
    },
    [...Object.keys(properties), 'flights', 'limit', 'matches'],
  );

export interface FlightList extends FlightSet {
  /** Members of the response before the flights. */
  readonly members: Members;
}

/** The page that the request's query describes. `find` gets the flights of the snapshot. */
export function flightsPage(
  { context, snapshot, query: given }: SnapshotRequest,
  find: (index: FlightIndex, snapshot: Snapshot) => FlightList,
): Made {
  const index = context.flights.index(snapshot);
  const query = given as FlightsQuery;
  const pick = query.fields === undefined ? null : pickFields(query.fields);
  const list = find(index, snapshot);
  const { indices, next, matches } = flightPage(index, query, list);
  const make = (): string => {
    const flights = flightsText(index, indices, pick);
    const more = json({ limit: query.limit, matches, ...(next === null ? {} : { next_cursor: next }) });
    return `${metaText(snapshot, indices.length, list.members)},"flights":[${flights}],${more.slice(1)}\n`;
  };
  return { make };
}

/** Blocks of flights as JSON with commas between them: whole ones are built once per tick. */
export function flightsText(index: FlightIndex, indices: readonly number[], pick: ((block: FlightBlock) => object) | null): string {
  return pick === null ? index.text(indices) : json(indices.map((i) => pick(index.block(i)))).slice(1, -1);
}
