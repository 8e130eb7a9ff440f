// `POST /api/0/routeset`: routes of call signs, in the form of adsb.lol, for tar1090 and home-automation clients.

import type { FastifyInstance } from 'fastify';
import { json } from '../../../pipeline/flights/airports.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { callsignRoute, type Plane } from '../../queries/callsign-routes.ts';
import type { ApiContext } from '../context.ts';
import { successHeaders } from '../headers/headers.ts';
import { JSON_TYPE, setHeaders } from '../responses/content.ts';
import { described, flag, number, object, text } from '../schemas/build.ts';

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

const airport = object(
  {
    ...{ name: text('name in words'), icao: text('ICAO code; empty without one'), iata: text('IATA code; empty without one') },
    ...{ location: text('city that it serves'), countryiso2: text('ISO 3166-1 alpha-2') },
    ...{
      lat: number('degrees WGS 84'),
      lon: number('degrees WGS 84'),
      alt_feet: number('elevation, ft'),
      alt_meters: number('elevation, m'),
    },
  },
  ['name', 'lat', 'lon', 'icao', 'iata', 'location', 'countryiso2', 'alt_feet', 'alt_meters'],
  'one airport',
);
const route = {
  callsign: text('as requested, in capitals, without blanks'),
  number: text('the part after the code of the operator'),
  airline_code: text('ICAO code of the operator'),
  airport_codes: text('ICAO codes with hyphens between them'),
  _airport_codes_iata: text('IATA codes, or else ICAO codes, with hyphens between them'),
  _airports: { type: 'array', items: airport, description: 'airports in order' },
};
const plausible = flag('true when the given position fits a leg of the route; absent without a position');

const schema = {
  summary: 'Routes of call signs, for maps',
  description:
    'For tar1090 (`routeApiUrl`) and home-automation clients. A live flight gets its plausible route, any other call sign its scheduled one. `airport_codes` is `unknown` without a known route.',
  body: {
    type: 'object',
    required: ['planes'],
    properties: { planes: { type: 'array', maxItems: limits.routesetPlanesMax, items: planeSchema, description: 'aircraft to look up' } },
  },
  response: { 200: described('one for each aircraft, in the requested order', object({ ...route, plausible }, Object.keys(route))) },
};

export function routesetRoute(app: FastifyInstance, context: ApiContext): void {
  const options = { schema, bodyLimit: limits.routesetBytesMax };
  app.post<{ Body: { planes: readonly Plane[] } }>('/api/0/routeset', options, (request, reply) => {
    const found = request.body.planes.map((plane) => callsignRoute(context, plane));
    setHeaders(reply, successHeaders(context, request, 'posted'))
      .header('content-type', JSON_TYPE)
      .send(json(found));
  });
}
