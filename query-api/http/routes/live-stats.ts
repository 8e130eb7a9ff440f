// `/v2/stats/live` and `/v2/area/countries`: the network in numbers, made once a snapshot.
import type { FastifyInstance } from 'fastify';
import { present } from '../../../pipeline/flights/airports.ts';
import { nativeType } from '../../../pipeline/view/plain.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';
import { airAndGround, operatorsOf, typesOf } from '../../queries/breakdown.ts';
import { compareText } from '../../queries/counts.ts';
import type { FlightIndex } from '../../queries/flight-index.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { noQuery, unixSeconds } from '../schemas/envelope.ts';
import { amount, listOf, metaOf, operatorCounts, typeCounts } from '../schemas/flight.ts';
import { membersText } from '../send-flights.ts';
import { rankedAirports } from './airports.ts';

const LEADING_MAX = 10;
const sourceTypes = ['adsb_icao', 'mlat', 'tisb', 'adsr'] as const;

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
    ...amount('messages that took effect since the log began; duplicates that other receivers heard are left out'),
    format: 'int64',
  },
};

const statsSchema = {
  summary: 'Live network totals and who leads them',
  description: 'Totals of the newest snapshot, and the ten most frequent types, operators, airports and countries.',
  querystring: noQuery,
  response: {
    200: {
      type: 'object',
      required: ['now', 'ctime', ...Object.keys(totals), 'sources', 'types', 'operators', 'airports', 'countries'],
      properties: {
        now: unixSeconds('time of the snapshot'),
        ctime: unixSeconds('when these bytes were made'),
        ...totals,
        messages_per_second: { type: 'number', minimum: 0, description: 'messages a second, over the last 10 s; absent in the first' },
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
  description: 'The country is that of the block of addresses that an address lies in. The most aircraft first, equal ones by code.',
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
      unknown: amount('aircraft with addresses of no country, and non-ICAO ones'),
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
      const { countries, unknown } = countriesOf(context, index);
      const rows = countries.map(({ code, name, indices }) => ({
        country: code,
        name,
        aircraft_count: indices.length,
        ...airAndGround(index, indices),
      }));
      return `${metaText(snapshot, rows.length, membersText({ countries: rows, unknown }))}}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make: () => index.once('countries body', make) });
  });
}

function statsText(context: ApiContext, index: FlightIndex): string {
  const { snapshot, listing } = index;
  const { times, totals: sums } = snapshot;
  const all = Array.from({ length: listing.count }, (_, i) => i);
  const sources = Object.fromEntries(sourceTypes.map((name) => [name, 0]));
  for (const i of all) {
    const name = nativeType(sourceKinds[listing.columns.source[i]!] ?? '');
    if (name !== undefined) sources[name]! += 1;
  }
  const members = present({
    aircraft_total: sums.total,
    with_position: sums.withPosition,
    ...airAndGround(index, all),
    messages: sums.messages,
    messages_per_second: sums.messagesPerSecond ?? undefined,
    sources,
    types: typesOf(context, index, index.flights, LEADING_MAX),
    operators: operatorsOf(context, index, index.flights, LEADING_MAX),
    airports: rankedAirports(index)
      .slice(0, LEADING_MAX)
      .map(({ field, arrivals, departures }) => ({ code: field.code, name: field.airport.name, count: arrivals + departures })),
    countries: countriesOf(context, index)
      .countries.slice(0, LEADING_MAX)
      .map(({ code, name, indices }) => ({ code, name, count: indices.length })),
  });
  return `{"now":${seconds(times.nowMs)},"ctime":${seconds(times.ctimeMs)}${membersText(members)}}\n`;
}

interface CountryAircraft {
  readonly code: string;
  readonly name: string;
  readonly indices: number[];
}

/** Aircraft by the country whose block their address lies in. */
function countriesOf({ reference }: ApiContext, index: FlightIndex): { countries: readonly CountryAircraft[]; unknown: number } {
  return index.once('countries', () => {
    const countries = new Map<string, CountryAircraft>();
    const { count, columns } = index.listing;
    let unknown = 0;
    for (let i = 0; i < count; i += 1) {
      const country = reference.country(columns.key[i]!);
      if (country === undefined) {
        unknown += 1;
        continue;
      }
      const known = countries.get(country.code);
      if (known === undefined) countries.set(country.code, { ...country, indices: [i] });
      else known.indices.push(i);
    }
    const sorted = [...countries.values()].sort((a, b) => b.indices.length - a.indices.length || compareText(a.code, b.code));
    return { countries: sorted, unknown };
  });
}
