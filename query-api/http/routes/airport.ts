// `/v2/airport/{code}` and its sub-paths: arrivals and departures, their numbers, and aircraft in the air nearby.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits.ts';
import { knownAirport, trafficSummary } from '../../queries/airports.ts';
import type { AirportFlights, FlightIndex } from '../../queries/flight-index.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { flightsUnderWay } from '../../queries/history/past-flights.ts';
import { pickFields } from '../../queries/objects.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { amount, listOf, mayBeUnknown, reference } from '../schemas/build.ts';
import { noQuery } from '../schemas/envelope.ts';
import { metaOf, operatorCounts, truncatedMember, typeCounts } from '../schemas/flight.ts';
import { airportCode } from '../schemas/parameters.ts';
import { flightFields, flightsText, membersText } from '../send-flights.ts';
import { sendPast } from '../send-past.ts';

const params = { type: 'object', properties: { code: airportCode('airport', 'AMS') }, required: ['code'] };

const MEANING = [
  'An arrival is a tracked flight whose believed route ends here: in the air, on the ground here for at most 20 minutes after landing,',
  'or on the ground at its origin and moving there within 20 minutes. A departure is one whose believed route begins here:',
  'in the air, or moving on the ground here within 20 minutes.',
].join(' ');
const ARRIVALS = 'arrivals, the nearest first';
const DEPARTURES = 'departures: on the ground first, then by time since take-off';
const airportBlock = reference('Airport');
const flights = (what: string) => listOf(reference('Flight'), what);

/** Of arrivals and departures. */
interface BoardQuery extends PastQuery {
  readonly limit?: number;
  readonly fields?: string;
}

interface BoardRequest {
  readonly Params: { readonly code: string };
  readonly Querystring: BoardQuery;
}

const PAST_BOARD = [
  'moment of the past: seconds since 1970, or a time like `2026-11-22T10:00:00Z`. The aircraft are those of its second, as in the lists with `at`, with the same errors.',
  'Their flights are those known today that were under way then: ended ones of the history, and current ones. A time after the moment is left out;',
  'an aircraft on the ground at its origin is a departure when it moves or takes off within 20 minutes.',
  '503 `no-history` or `history-unavailable` where the ended flights are not available.',
].join(' ');
const momentQuery = { at: { ...pastQueryProperties.at, description: PAST_BOARD } };

const boardQuery = {
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limits.pageItemsMax,
      description: 'maximum number of flights; all without it',
      examples: [20],
    },
    fields: flightFields,
    ...momentQuery,
  },
  additionalProperties: false,
};
const bothBoardsQuery = { type: 'object', properties: momentQuery, additionalProperties: false };

interface AirportRoute {
  readonly path: string;
  readonly summary: string;
  readonly members: Readonly<Record<string, object>>;
  /** Text after the airport, and its number of items. */
  readonly body: (context: ApiContext, index: FlightIndex, at: AirportFlights) => { readonly text: string; readonly total: number };
  /** Flights of its only list, which `limit` and `fields` reduce. */
  readonly board?: (at: AirportFlights) => readonly number[];
  /** Whether it is there of a moment of the past. */
  readonly hasPast: boolean;
}

const counted = (what: string) => ({
  type: 'object',
  description: what,
  required: ['total', 'flights'],
  properties: { total: amount('number of flights'), flights: flights(what) },
  additionalProperties: false,
});

const boardFromHistory = {
  type: 'boolean',
  description: 'true when `at` is before the frames of the log, and the aircraft are stored positions; otherwise absent',
} as const;

/** Present only if `limit` left some out. */
const boardMembers = {
  matches: amount('number of flights without `limit`; absent when `limit` left out none'),
  truncated: truncatedMember,
};

const airportRoutesList: readonly AirportRoute[] = [
  {
    path: '',
    summary: 'Live arrivals and departures of an airport',
    members: { arrivals: counted(ARRIVALS), departures: counted(DEPARTURES) },
    body: (_, index, { arrivals, departures }) => {
      const list = (indices: readonly number[]): string => `{"total":${indices.length},"flights":[${index.text(indices)}]}`;
      const text = `,"arrivals":${list(arrivals)},"departures":${list(departures)}`;
      return { text, total: arrivals.length + departures.length };
    },
    hasPast: true,
  },
  {
    path: '/arrivals',
    summary: 'Live arrivals of an airport',
    members: { flights: flights(ARRIVALS), ...boardMembers },
    body: (_, index, { arrivals }) => ({ text: `,"flights":[${index.text(arrivals)}]`, total: arrivals.length }),
    board: ({ arrivals }) => arrivals,
    hasPast: true,
  },
  {
    path: '/departures',
    summary: 'Live departures of an airport',
    members: { flights: flights(DEPARTURES), ...boardMembers },
    body: (_, index, { departures }) => ({ text: `,"flights":[${index.text(departures)}]`, total: departures.length }),
    board: ({ departures }) => departures,
    hasPast: true,
  },
  {
    path: '/traffic-summary',
    summary: 'Live traffic of an airport in numbers',
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
    hasPast: false,
  },
];

export function airportRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const route of airportRoutesList)
    app.get<BoardRequest>(`/v2/airport/:code${route.path}`, { schema: schemaOf(route) }, (request, reply) => {
      const { at } = request.query;
      if (at === undefined) return sendBoard(context, request, reply, route);
      const { code } = knownAirport(context, request.params.code);
      return sendPast(context, request, reply, at, (atMs) => flightsUnderWay(context, code, atMs));
    });
}

function schemaOf({ summary, members, board, hasPast }: AirportRoute): object {
  const pastMembers = hasPast ? { from_history: boardFromHistory } : {};
  return {
    summary,
    description: MEANING,
    params,
    querystring: board !== undefined ? boardQuery : hasPast ? bothBoardsQuery : noQuery,
    response: {
      200: metaOf({ airport: airportBlock, ...members, ...pastMembers }, [
        'airport',
        ...Object.keys(members).filter((name) => !(name in boardMembers)),
      ]),
      ...mayBeUnknown,
    },
  };
}

function sendBoard(
  context: ApiContext,
  request: FastifyRequest<BoardRequest>,
  reply: FastifyReply,
  { path, body, board }: AirportRoute,
): void | Promise<void> {
  const snapshot = freshSnapshot(context);
  const airport = knownAirport(context, request.params.code);
  const index = context.flights.of(snapshot);
  const about = { airport: airport.block, ...(context.isStored && { from_history: true }) };
  const { limit, fields } = request.query;
  if (board !== undefined && (limit !== undefined || fields !== undefined)) {
    const text = boardText(snapshot, index, about, board(index.at(airport)), request.query);
    return sendMade(context, request, reply, { snapshot, make: () => text });
  }
  const make = (): Buffer => {
    const { text, total } = body(context, index, index.at(airport));
    return Buffer.from(`${metaText(snapshot, total, membersText(about))}${text}}\n`, 'latin1');
  };
  return sendMade(context, request, reply, { snapshot, make: () => index.once(`airport ${airport.key}${path}`, make) });
}

/** A board reduced by `limit` and `fields`. */
function boardText(
  snapshot: Snapshot,
  index: FlightIndex,
  about: Readonly<Record<string, unknown>>,
  all: readonly number[],
  { limit, fields }: BoardQuery,
): string {
  const pick = fields === undefined ? null : pickFields(fields);
  const shown = all.slice(0, limit);
  const cutMembers = shown.length < all.length ? { matches: all.length, truncated: true } : {};
  const opening = metaText(snapshot, shown.length, membersText({ ...about, ...cutMembers }));
  return `${opening},"flights":[${flightsText(index, shown, pick)}]}\n`;
}
