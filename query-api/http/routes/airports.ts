// `/v2/airports/nearby` and `/v2/airports/active`: airports by position, and by their flights now.

import type { FastifyInstance } from 'fastify';
import { limits } from '../../../schemas/limits.ts';
import { activeAirports, nearbyAirports } from '../../queries/airports.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../meta.ts';
import { sendMade } from '../response.ts';
import { amount, listOf } from '../schemas/build.ts';
import { airportWith, metaOf } from '../schemas/flight.ts';
import { latitude, longitude } from '../schemas/parameters.ts';
import { directoryQuery, directorySchema, sendDirectory } from '../send-directory.ts';
import { membersText } from '../send-flights.ts';

const nearbySchema = {
  summary: 'The nearest airports',
  description: 'Ascending distance, ties by code. Closed airports are left out.',
  querystring: {
    type: 'object',
    properties: {
      lat: latitude,
      lon: longitude,
      radius: {
        type: 'number',
        minimum: 0,
        default: limits.airportRadiusNmDefault,
        description: `nautical miles; more than ${limits.airportRadiusNmMax} counts as ${limits.airportRadiusNmMax}`,
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: limits.airportsNearbyMax,
        default: limits.airportsNearbyDefault,
        description: 'maximum number of airports',
      },
    },
    required: ['lat', 'lon'],
    additionalProperties: false,
  },
  response: {
    200: metaOf({
      lat: latitude,
      lon: longitude,
      radius_nm: { type: 'number', description: 'radius of the search, nm' },
      limit: { type: 'integer', description: 'maximum number of airports' },
      airports: listOf(
        airportWith({
          distance_nm: { type: 'number', minimum: 0, description: 'from the requested position, nm, 3 decimals' },
          bearing: {
            type: 'number',
            minimum: 0,
            maximum: 360,
            description: 'bearing from the requested position, degrees true, 1 decimal',
          },
        }),
        'airports',
      ),
    }),
  },
};

const activeSchema = {
  summary: 'Airports by arrivals and departures',
  description: 'By number of movements, descending, then by code. `/v2/airport/{code}` defines arrivals and departures.',
  querystring: directoryQuery('airports'),
  response: {
    200: directorySchema(
      'airports',
      airportWith({
        arrivals: amount('arrivals'),
        departures: amount('departures'),
        movements: amount('arrivals and departures'),
      }),
      'airports with live flights',
    ),
  },
};

interface Nearby {
  Querystring: { lat: number; lon: number; radius: number; limit: number };
}

export function airportsRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get<Nearby>('/v2/airports/nearby', { schema: nearbySchema }, (request, reply) => {
    const { lat, lon, limit } = request.query;
    const snapshot = freshSnapshot(context);
    const make = (): string => {
      const { radiusNm: radius_nm, airports } = nearbyAirports(context, request.query);
      return `${metaText(snapshot, airports.length, membersText({ lat, lon, radius_nm, limit, airports }))}}\n`;
    };
    // Reference data change without a tick.
    return sendMade(context, request, reply, { snapshot, make, variant: `-${context.reference.version}` });
  });
  app.get('/v2/airports/active', { schema: activeSchema }, (request, reply) =>
    sendDirectory(context, request, reply, {
      name: 'airports',
      make: (index) =>
        activeAirports(index).map(({ airport, arrivals, departures }) => ({
          ...airport.block,
          arrivals,
          departures,
          movements: arrivals + departures,
        })),
    }),
  );
}
