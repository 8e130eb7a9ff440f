// `/v2/airport/{code}` and its sub-paths: arrivals and departures, and their numbers. The boards are there of a moment of the past, too.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { knownAirport, trafficSummary } from '../../queries/airports.ts';
import type { AirportFlights, FlightIndex } from '../../queries/flight-index.ts';
import { flightsUnderWay } from '../../queries/history/past-flights.ts';
import { pickFields } from '../../queries/objects.ts';
import { pastQueryProperties } from '../../queries/past.ts';
import type { ApiContext } from '../context.ts';
import { flightFields, flightsText } from '../responses/flight-pages.ts';
import { type Members, membersText, metaText } from '../responses/meta.ts';
import { amount, flag, listOf, mayBeUnknown, type Properties, part, reference, upTo } from '../schemas/build.ts';
import { truncated } from '../schemas/envelope.ts';
import { metaOf, operatorCounts, typeCounts } from '../schemas/flight.ts';
import { airportCode } from '../schemas/parameters.ts';
import type { Made, RowRequest, SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';

const MEANING = [
  'An arrival is a tracked flight whose believed route ends here: in the air, on the ground here for at most 20 minutes after landing,',
  'or on the ground at its origin and moving there within 20 minutes. A departure is one whose believed route begins here:',
  'in the air, or moving on the ground here within 20 minutes.',
].join(' ');
const ARRIVALS = 'arrivals, the nearest first';
const DEPARTURES = 'departures: on the ground first, then by time since take-off';
const flights = (what: string) => listOf(reference('Flight'), what);

interface Code {
  readonly code: string;
}
/** Parameters of arrivals and departures. */
interface BoardQuery {
  readonly limit?: number;
  readonly fields?: string;
}

const PAST_BOARD = [
  'moment of the past: seconds since 1970, or a time like `2026-11-22T10:00:00Z`. The aircraft are those of its second, as in the lists with `at`, with the same errors.',
  'Their flights are those known today that were under way then: ended ones of the history, and current ones. A time after the moment is left out;',
  'an aircraft on the ground at its origin is a departure when it moves or takes off within 20 minutes.',
  '503 `no-history` or `history-unavailable` where the ended flights are not available.',
].join(' ');
const momentQuery = { at: { ...pastQueryProperties.at, description: PAST_BOARD } };
const boardQuery = {
  limit: upTo(limits.pageItemsMax, null, 'maximum number of flights; all without it', { examples: [20] }),
  fields: flightFields,
  ...momentQuery,
};

interface Board {
  readonly path: string;
  readonly summary: string;
  readonly members: Properties;
  readonly query: Properties;
  /** Text after the airport, and its number of items. */
  readonly body: (context: ApiContext, index: FlightIndex, at: AirportFlights) => { readonly text: string; readonly total: number };
  /** Flights of its only list, which `limit` and `fields` reduce. */
  readonly board?: (at: AirportFlights) => readonly number[];
}

const counted = (what: string) => part(what, { total: amount('number of flights'), flights: flights(what) });

const boardFromHistory = flag('true when `at` is before the frames of the log, and the aircraft are stored positions; otherwise absent');

/** Present only if `limit` left some out. */
const boardMembers = {
  matches: amount('number of flights without `limit`; absent when `limit` left out none'),
  truncated,
};

const listBoard = (path: string, summary: string, about: string, board: NonNullable<Board['board']>): Board => ({
  ...{ path, summary, members: { flights: flights(about), ...boardMembers }, query: boardQuery, board },
  body: (_, index, at) => ({ text: `,"flights":[${index.text(board(at))}]`, total: board(at).length }),
});

const boards: readonly Board[] = [
  {
    ...{ path: '', summary: 'Live arrivals and departures of an airport', query: momentQuery },
    members: { arrivals: counted(ARRIVALS), departures: counted(DEPARTURES) },
    body: (_, index, { arrivals, departures }) => {
      const list = (indices: readonly number[]): string => `{"total":${indices.length},"flights":[${index.text(indices)}]}`;
      const text = `,"arrivals":${list(arrivals)},"departures":${list(departures)}`;
      return { text, total: arrivals.length + departures.length };
    },
  },
  listBoard('/arrivals', 'Live arrivals of an airport', ARRIVALS, ({ arrivals }) => arrivals),
  listBoard('/departures', 'Live departures of an airport', DEPARTURES, ({ departures }) => departures),
  {
    ...{ path: '/traffic-summary', summary: 'Live traffic of an airport in numbers', query: {} },
    members: {
      arrivals: amount('number of arrivals'),
      departures: amount('number of departures'),
      types: typeCounts('types of these flights'),
      operators: operatorCounts('operators of these flights'),
    },
    body: (context, index, at) => {
      const members = trafficSummary(context, index, at);
      return { text: membersText(members), total: members.arrivals + members.departures };
    },
  },
];

function rowOf({ path, summary, members, query, body, board }: Board): SnapshotRow {
  const always = Object.keys(members).filter((name) => !(name in boardMembers));
  return {
    ...{ path: `/v2/airport/:code${path}`, summary, description: MEANING, query, more: mayBeUnknown },
    params: { code: airportCode('airport', 'AMS') },
    response: metaOf({ airport: reference('Airport'), ...members, ...('at' in query ? { from_history: boardFromHistory } : {}) }, [
      'airport',
      ...always,
    ]),
    respond: ({ context, snapshot, params, query: page }: SnapshotRequest<Code, BoardQuery>): Made => {
      const airport = knownAirport(context, params.code);
      const index = context.flights.index(snapshot);
      const about = { airport: airport.block, ...(context.isStored && { from_history: true }) };
      if (board !== undefined && (page.limit !== undefined || page.fields !== undefined)) {
        const text = boardText(snapshot, index, about, board(index.at(airport)), page);
        return { make: () => text };
      }
      const make = (): Buffer => {
        const { text, total } = body(context, index, index.at(airport));
        return Buffer.from(`${metaText(snapshot, total, about)}${text}}\n`, 'latin1');
      };
      return { make: () => index.once(`airport ${airport.key}${path}`, make) };
    },
    flightsAt: ({ context, params }: RowRequest<Code>) => {
      const { code } = knownAirport(context, params.code);
      return (atMs) => flightsUnderWay(context, code, atMs);
    },
  };
}

export const airportRoutes: readonly SnapshotRow[] = boards.map(rowOf);

/** A board reduced by `limit` and `fields`. */
function boardText(snapshot: Snapshot, index: FlightIndex, about: Members, all: readonly number[], { limit, fields }: BoardQuery): string {
  const pick = fields === undefined ? null : pickFields(fields);
  const shown = all.slice(0, limit);
  const cutMembers = shown.length < all.length ? { matches: all.length, truncated: true } : {};
  return `${metaText(snapshot, shown.length, { ...about, ...cutMembers })},"flights":[${flightsText(index, shown, pick)}]}\n`;
}
