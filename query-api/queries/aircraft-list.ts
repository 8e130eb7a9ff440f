// A list of aircraft: selected, filtered, limited.

import { first, type Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { type ListQuery, listPredicate } from './list-filters.ts';
import type { ReadModel } from './read-model.ts';
import type { Select } from './selections.ts';

export interface ListedAircraft {
  readonly selection: Selection;
  /** True when `limit` left some out. */
  readonly isTruncated: boolean;
}

/** Aircraft that `select` finds and the query accepts. Errors: `api.bad_value`. */
export function listAircraft(
  { reference }: Pick<ReadModel, 'reference'>,
  snapshot: Snapshot,
  query: ListQuery,
  select: Select,
): ListedAircraft {
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  const found = select(snapshot, listPredicate(query, snapshot.listing, reference));
  return found.count > limit ? { selection: first(found, limit), isTruncated: true } : { selection: found, isTruncated: false };
}
