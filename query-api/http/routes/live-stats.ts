// `/v2/stats/live` and `/v2/area/countries`: the network in numbers, built once per snapshot.

import type { FastifyInstance } from 'fastify';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import type { FlightIndex } from '../../queries/flight-index.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { countryRows, networkStatistics, sourceTypes } from '../../queries/network.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { amount, listOf } from '../schemas/build.ts';
import { noQuery, unixSeconds } from '../schemas/envelope.ts';
import { metaOf, operatorCounts, typeCounts } from '../schemas/flight.ts';
import { membersText } from '../send-flights.ts';

const codeCounts = (what: string, code: string) =>
  listOf(
    {
      type: 'object',
      required: ['code', 'count'],
      properties: {
        code: { type: 'string', description: code },
        name: { type: 'string', description: 'name in words' },
        count: amount('number'),
      },
      additionalProperties: false,
    },
    `${what}; the greatest count first, equal ones by code`,
  );

const totals = {
  aircraft_total: amount('aircraft listed'),
  with_position: amount('aircraft with a valid position'),
  airborne: amount('aircraft in the air'),
  ground: amount('aircraft on the ground'),
  messages: {
    ...amount('messages that changed a state since the log began, without duplicates from other receivers'),
    format: 'int64',
  },
};

const statsSchema = {
  summary: 'Live network totals and the most frequent types, operators, airports and countries',
  description: 'Totals of the newest snapshot, and the ten most frequent types, operators, airports and countries.',
  querystring: noQuery,
  response: {
    200: {
      type: 'object',
      required: ['now', 'ctime', ...Object.keys(totals), 'sources', 'types', 'operators', 'airports', 'countries'],
      properties: {
        now: unixSeconds('time of the snapshot'),
        ctime: unixSeconds('time at which these bytes were made'),
        ...totals,
        messages_per_second: {
          type: 'number',
          minimum: 0,
          description: 'messages per second over the last 10 s; absent in the first second',
        },
        sources: {
          type: 'object',
          description: 'aircraft by kind of source',
          required: [...sourceTypes],
          properties: Object.fromEntries(sourceTypes.map((name) => [name, amount('number of aircraft')])),
          additionalProperties: false,
        },
        types: typeCounts('up to ten types'),
        operators: operatorCounts('up to ten operators'),
        airports: codeCounts('up to ten airports by arrivals and departures', 'ICAO, else IATA, else local code'),
        countries: codeCounts('up to ten countries of registration', 'ISO 3166-1 alpha-2'),
      },
      additionalProperties: false,
    },
  },
};

const countriesSchema = {
  summary: 'Live aircraft by country of registration',
  description: 'The country is that of the block of addresses. By number of aircraft, descending, then by code.',
  querystring: noQuery,
  response: {
    200: metaOf({
      countries: listOf(
        {
          type: 'object',
          required: ['country', 'name', 'aircraft_count', 'airborne', 'ground'],
          properties: {
            country: { type: 'string', description: 'ISO 3166-1 alpha-2' },
            name: { type: 'string', description: 'name in words' },
            aircraft_count: totals.aircraft_total,
            airborne: totals.airborne,
            ground: totals.ground,
          },
          additionalProperties: false,
        },
        'countries',
      ),
      unknown: amount('aircraft without a country: unassigned and non-ICAO addresses'),
    }),
  },
};

export function liveStatsRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/v2/stats/live', { schema: statsSchema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const index = context.flights.of(snapshot);
    return sendMade(context, request, reply, { snapshot, make: () => index.once('stats', () => statsText(context, index)) });
  });
  app.get('/v2/area/countries', { schema: countriesSchema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const index = context.flights.of(snapshot);
    const make = (): string => {
      const { rows, unknown } = countryRows(context, index);
      return `${metaText(snapshot, rows.length, membersText({ countries: rows, unknown }))}}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make: () => index.once('countries body', make) });
  });
}

function statsText(context: ApiContext, index: FlightIndex): string {
  const { times } = index.snapshot;
  const members = membersText(networkStatistics(context, index));
  return `{"now":${seconds(times.nowMs)},"ctime":${seconds(times.ctimeMs)}${members}}\n`;
}
