// `/v2/airport/{code}` and its sub-paths: arrivals and departures, their numbers, and aircraft in the air nearby.

import type { FastifyInstance } from 'fastify';
import type { FlightAirport } from '../../../pipeline/flights/airports.ts';
import { inCircle } from '../../../pipeline/view/search.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits.ts';
import { knownAirport, trafficSummary } from '../../queries/airports.ts';
import type { AirportFlights, FlightIndex } from '../../queries/flight-index.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { pickFields } from '../../queries/objects.ts';
import { circleOf } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { envelopeOf, noQuery } from '../schemas/envelope.ts';
import {
  amount,
  flightMembers,
  listOf,
  mayBeUnknown,
  metaOf,
  operatorCounts,
  reference,
  truncatedMember,
  typeCounts,
} from '../schemas/flight.ts';
import { aircraftRadius } from '../schemas/parameters.ts';
import { flightFields, flightsText, membersText } from '../send-flights.ts';
import { sendList } from '../send-list.ts';

const NEARBY_NM_DEFAULT = 25;

export const airportCode = (description: string, example: string) => ({
  type: 'string',
  minLength: 1,
  description: `${description}: ICAO, IATA or local code`,
  examples: [example],
});
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
interface BoardQuery {
  readonly limit?: number;
  readonly fields?: string;
}

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
  },
  additionalProperties: false,
};

interface AirportRoute {
  readonly path: string;
  readonly summary: string;
  readonly members: Readonly<Record<string, object>>;
  /** Text after the airport, and its number of items. */
  readonly body: (context: ApiContext, index: FlightIndex, at: AirportFlights) => { readonly text: string; readonly total: number };
  /** Flights of its only list, which `limit` and `fields` reduce. */
  readonly board?: (at: AirportFlights) => readonly number[];
}

const counted = (what: string) => ({
  type: 'object',
  description: what,
  required: ['total', 'flights'],
  properties: { total: amount('number of flights'), flights: flights(what) },
  additionalProperties: false,
});

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
  },
  {
    path: '/arrivals',
    summary: 'Live arrivals of an airport',
    members: { flights: flights(ARRIVALS), ...boardMembers },
    body: (_, index, { arrivals }) => ({ text: `,"flights":[${index.text(arrivals)}]`, total: arrivals.length }),
    board: ({ arrivals }) => arrivals,
  },
  {
    path: '/departures',
    summary: 'Live departures of an airport',
    members: { flights: flights(DEPARTURES), ...boardMembers },
    body: (_, index, { departures }) => ({ text: `,"flights":[${index.text(departures)}]`, total: departures.length }),
    board: ({ departures }) => departures,
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
  },
];

export function airportRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const { path, summary, members, body, board } of airportRoutesList) {
    const schema = {
      summary,
      description: MEANING,
      params,
      querystring: board === undefined ? noQuery : boardQuery,
      response: {
        200: metaOf({ airport: airportBlock, ...members }, ['airport', ...Object.keys(members).filter((name) => !(name in boardMembers))]),
        ...mayBeUnknown,
      },
    };
    app.get<{ Params: { code: string }; Querystring: BoardQuery }>(`/v2/airport/:code${path}`, { schema }, (request, reply) => {
      const snapshot = freshSnapshot(context);
      const airport = knownAirport(context, request.params.code);
      const index = context.flights.of(snapshot);
      const { limit, fields } = request.query;
      if (board !== undefined && (limit !== undefined || fields !== undefined)) {
        const text = boardText(snapshot, index, airport, board(index.at(airport)), request.query);
        return sendMade(context, request, reply, { snapshot, make: () => text });
      }
      const make = (): Buffer => {
        const { text, total } = body(context, index, index.at(airport));
        return Buffer.from(`${metaText(snapshot, total, membersText({ airport: airport.block }))}${text}}\n`, 'latin1');
      };
      return sendMade(context, request, reply, { snapshot, make: () => index.once(`airport ${airport.key}${path}`, make) });
    });
  }
  nearbyRoute(app, context);
}

/** A board reduced by `limit` and `fields`. Error: `api.bad_value` for an unknown member. */
function boardText(
  snapshot: Snapshot,
  index: FlightIndex,
  airport: FlightAirport,
  all: readonly number[],
  { limit, fields }: BoardQuery,
): string {
  const pick = fields === undefined ? null : pickFields(fields, flightMembers);
  const shown = all.slice(0, limit);
  const cutMembers = shown.length < all.length ? { matches: all.length, truncated: true } : {};
  const opening = metaText(snapshot, shown.length, membersText({ airport: airport.block, ...cutMembers }));
  return `${opening},"flights":[${flightsText(index, shown, pick)}]}\n`;
}

function nearbyRoute(app: FastifyInstance, context: ApiContext): void {
  const schema = {
    summary: 'Aircraft near an airport, on any route',
    description: 'Ascending distance, ties by hex; each with `dst` and `dir` from the airport.',
    params,
    querystring: {
      type: 'object',
      properties: { ...listQueryProperties, radius: { ...aircraftRadius, default: NEARBY_NM_DEFAULT } },
      additionalProperties: false,
    },
    response: {
      200: envelopeOf({ airport: airportBlock, radius_nm: { type: 'number', description: 'radius of the search, nm' } }, [
        'airport',
        'radius_nm',
      ]),
      ...mayBeUnknown,
    },
  };
  app.get<{ Params: { code: string }; Querystring: { radius: number } }>(
    '/v2/airport/:code/nearby-aircraft',
    { schema },
    (request, reply) => {
      const { block, airport } = knownAirport(context, request.params.code);
      const circle = circleOf(airport.latDeg, airport.lonDeg, request.query.radius);
      return sendList(context, request, reply, {
        form: nativeForm,
        select: ({ listing }, isWanted) => inCircle(listing, circle, isWanted),
        echo: { airport: block, radius_nm: circle.radiusNm },
        near: circle,
      });
    },
  );
}
