// `/v2/search`: live aircraft, routes, airports, operators and types by what somebody types.
import { limits } from '../../../schemas/limits/index.ts';
import { resultFits, resultKinds, search } from '../../queries/search.ts';
import { metaBody } from '../responses/meta.ts';
import { listOf, object, text, upTo } from '../schemas/build.ts';
import { metaOf } from '../schemas/flight.ts';
import { latitude, longitude } from '../schemas/parameters.ts';
import type { SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';

const result = object(
  {
    kind: text('what it is', { enum: resultKinds }),
    match: text('how it fits: `exact` a code or name, `prefix` the beginning of one, `word` the beginning of a word of a name', {
      enum: resultFits,
    }),
    key: text(
      'opens it: the address of an aircraft, `EHAM/LOWW` for a route, the code of an airport, an operator or a type: the end of `/v2/hex/`, `/v2/route/`, `/v2/airport/`, `/v2/operator/{key}/flights`, `/v2/types/{key}/flights`',
    ),
    label: text('its name, to be shown'),
    detail: text('more about it, to be shown: codes, city, registration, type, route'),
    lat: { ...latitude, description: 'position of an aircraft or airport, degrees WGS 84; absent when it has none' },
    lon: { ...longitude, description: 'position of an aircraft or airport, degrees WGS 84; absent when it has none' },
  },
  ['kind', 'match', 'key', 'label', 'detail'],
);

export const searchRoute: SnapshotRow = {
  path: '/v2/search',
  summary: 'Search of everything while one types',
  description: [
    'Live aircraft by call sign, registration and address (three digits or more), two airport codes as a route, airports by code, name and city,',
    'operators by code, name and radio call sign, types by designator and description. Case, accents, blanks and hyphens do not count.',
    'First what fits exactly, then beginnings, then beginnings of words; kinds take turns. Airports are as many as the reference data have.',
  ].join(' '),
  query: {
    q: text('what was typed', { minLength: 1, maxLength: limits.searchCharactersMax, examples: ['KLM'] }),
    limit: upTo(limits.searchResultsMax, limits.searchResultsDefault, 'greatest number of results', { examples: [10] }),
  },
  required: ['q'],
  response: metaOf({ results: listOf(result, 'what was found, the best first') }),
  respond: ({ context, snapshot, query }: SnapshotRequest<unknown, { readonly q: string; readonly limit: number }>) => {
    const make = (): string => {
      const results = search(context, snapshot.listing, query.q, query.limit);
      return metaBody(snapshot, results.length, { results });
    };
    // Reference data change without a tick.
    return { make, variant: `-${context.reference.version}` };
  },
};
