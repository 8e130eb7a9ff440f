// `POST /api/0/routeset`: routes of call signs, in the form of adsb.lol, for tar1090 and home-automation clients.

import type { FastifyInstance } from 'fastify';
import { json } from '../../../pipeline/flights/airports.ts';
import { limits } from '../../../schemas/limits.ts';
import { callsignRoute, type Plane } from '../../queries/callsign-routes.ts';
import type { ApiContext } from '../context.ts';

const planeSchema = {
  type: 'object',
  required: ['callsign'],
  properties: {
    callsign: { type: 'string', maxLength: 16, description: 'call sign; surrounding blanks are ignored' },
    lat: {
      type: 'number',
      minimum: -90,
      maximum: 90,
      description: 'latitude of the aircraft, degrees; without a position plausibility is not checked',
    },
    lng: { type: 'number', minimum: -180, maximum: 180, description: 'longitude of the aircraft, degrees' },
  },
};

const airportSchema = {
  type: 'object',
  description: 'one airport',
  required: ['name', 'lat', 'lon', 'icao', 'iata', 'location', 'countryiso2', 'alt_feet', 'alt_meters'],
  properties: {
    name: { type: 'string', description: 'name in words' },
    icao: { type: 'string', description: 'ICAO code; empty without one' },
    iata: { type: 'string', description: 'IATA code; empty without one' },
    location: { type: 'string', description: 'city that it serves' },
    countryiso2: { type: 'string', description: 'ISO 3166-1 alpha-2' },
    lat: { type: 'number', description: 'degrees WGS 84' },
    lon: { type: 'number', description: 'degrees WGS 84' },
    alt_feet: { type: 'number', description: 'elevation, ft' },
    alt_meters: { type: 'number', description: 'elevation, m' },
  },
};

const schema = {
  summary: 'Routes of call signs, for maps',
  description:
    'For tar1090 (`routeApiUrl`) and home-automation clients. A live flight gets its plausible route, any other call sign its scheduled one. `airport_codes` is `unknown` without a known route.',
  body: {
    type: 'object',
    required: ['planes'],
    properties: { planes: { type: 'array', maxItems: limits.routesetPlanesMax, items: planeSchema, description: 'aircraft to look up' } },
  },
  response: {
    200: {
      type: 'array',
      description: 'one for each aircraft, in the requested order',
      items: {
        type: 'object',
        required: ['callsign', 'number', 'airline_code', 'airport_codes', '_airport_codes_iata', '_airports'],
        properties: {
          callsign: { type: 'string', description: 'as requested, in capitals, without blanks' },
          number: { type: 'string', description: 'the part after the code of the operator' },
          airline_code: { type: 'string', description: 'ICAO code of the operator' },
          airport_codes: { type: 'string', description: 'ICAO codes with hyphens between them' },
          _airport_codes_iata: { type: 'string', description: 'IATA codes, or else ICAO codes, with hyphens between them' },
          _airports: { type: 'array', items: airportSchema, description: 'airports in order' },
          plausible: { type: 'boolean', description: 'true when the given position fits a leg of the route; absent without a position' },
        },
      },
    },
  },
};

export function routesetRoute(app: FastifyInstance, context: ApiContext): void {
  const options = { schema, bodyLimit: limits.routesetBytesMax };
  app.post<{ Body: { planes: readonly Plane[] } }>('/api/0/routeset', options, (request, reply) => {
    const found = request.body.planes.map((plane) => callsignRoute(context, plane));
    for (let i = 0; i < context.constantHeaders.length; i += 2) reply.header(context.constantHeaders[i]!, context.constantHeaders[i + 1]);
    reply.header('content-type', 'application/json').send(json(found));
  });
}
