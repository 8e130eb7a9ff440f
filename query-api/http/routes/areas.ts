// `/v2/bbox`, `/v2/lat/{lat}/lon/{lon}/dist/{nm}`, `/v2/aircraft/nearest`: aircraft by position.

import type { FastifyInstance } from 'fastify';
import { inBox, inCircle } from '../../../pipeline/view/search.ts';
import { limits } from '../../../schemas/limits.ts';
import { boxMiddle } from '../../queries/coverage.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import { boxOf, circleOf } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { nativeForm } from '../list-forms.ts';
import { listRoute } from '../list-route.ts';
import { envelopeOf, mayBeTooOld } from '../schemas/envelope.ts';
import { aircraftRadius, latitude, longitude } from '../schemas/parameters.ts';

export interface BoxQuery extends PastQuery {
  readonly min_lat: number;
  readonly min_lon: number;
  readonly max_lat: number;
  readonly max_lon: number;
}

const NEAREST_DEFAULT = 10;

const radiusEcho = { radius_nm: { type: 'number', description: 'radius of the search, nm' } };
const boxProperties = { min_lat: latitude, min_lon: longitude, max_lat: latitude, max_lon: longitude };
const boxNames = Object.keys(boxProperties);

const boxSchema = {
  summary: 'Aircraft in a box',
  description: 'The box includes its borders. `min_lon` greater than `max_lon`: the box crosses the antimeridian.',
  querystring: {
    type: 'object',
    properties: { ...boxProperties, ...listQueryProperties, ...pastQueryProperties },
    required: boxNames,
    additionalProperties: false,
  },
  response: {
    200: envelopeOf({ bbox: { type: 'object', description: 'box of the search', required: boxNames, properties: boxProperties } }, [
      'bbox',
    ]),
    ...mayBeTooOld,
  },
};

const radiusSchema = {
  summary: 'Aircraft within a radius',
  description: 'Ascending distance, ties by hex; each with `dst` and `dir` from the position.',
  params: { type: 'object', properties: { lat: latitude, lon: longitude, nm: aircraftRadius }, required: ['lat', 'lon', 'nm'] },
  querystring: { type: 'object', properties: { ...listQueryProperties, ...pastQueryProperties }, additionalProperties: false },
  response: { 200: envelopeOf(radiusEcho, ['radius_nm']), ...mayBeTooOld },
};

const nearestSchema = {
  summary: 'The nearest aircraft',
  description: 'Ascending distance, ties by hex; each with `dst` and `dir` from the position.',
  querystring: {
    type: 'object',
    properties: {
      ...listQueryProperties,
      ...pastQueryProperties,
      lat: latitude,
      lon: longitude,
      radius: { ...aircraftRadius, default: limits.aircraftRadiusNmMax },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: limits.nearestAircraftMax,
        default: NEAREST_DEFAULT,
        description: 'maximum number of aircraft',
      },
    },
    required: ['lat', 'lon'],
    additionalProperties: false,
  },
  response: { 200: envelopeOf(radiusEcho, ['radius_nm']), ...mayBeTooOld },
};

export function areaRoutes(app: FastifyInstance, context: ApiContext): void {
  listRoute<{ Querystring: BoxQuery }>(app, context, '/bbox', boxSchema, (request) => {
    const { min_lat, min_lon, max_lat, max_lon } = request.query;
    const box = boxOf(min_lat, min_lon, max_lat, max_lon);
    return {
      form: nativeForm,
      select: ({ listing }, isWanted) => inBox(listing, box, isWanted),
      echo: { bbox: { min_lat, min_lon, max_lat, max_lon } },
      near: boxMiddle(box),
      at: request.query.at,
    };
  });
  listRoute<{ Params: { lat: number; lon: number; nm: number }; Querystring: PastQuery }>(
    app,
    context,
    '/lat/:lat/lon/:lon/dist/:nm',
    radiusSchema,
    (request) => {
      const { lat, lon, nm } = request.params;
      const circle = circleOf(lat, lon, nm);
      return {
        form: nativeForm,
        select: ({ listing }, isWanted) => inCircle(listing, circle, isWanted),
        echo: { radius_nm: circle.radiusNm },
        near: circle,
        at: request.query.at,
      };
    },
  );
  listRoute<{ Querystring: { lat: number; lon: number; radius: number } & PastQuery }>(
    app,
    context,
    '/aircraft/nearest',
    nearestSchema,
    (request) => {
      const { lat, lon, radius } = request.query;
      const circle = circleOf(lat, lon, radius);
      return {
        form: nativeForm,
        select: ({ listing }, isWanted) => inCircle(listing, circle, isWanted),
        echo: { radius_nm: circle.radiusNm },
        near: circle,
        at: request.query.at,
      };
    },
  );
}
