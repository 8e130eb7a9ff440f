// A list of aircraft is two operations: JSON at its path, and GeoJSON below `/v2/geojson/`. Generated clients then have one type for each.
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify';
import { GEO_JSON_TYPE } from '../queries/geojson.ts';
import type { ApiContext } from './context.ts';
import { type AircraftList, sendList } from './send-list.ts';

interface ListSchema {
  readonly summary: string;
  readonly response: Readonly<Record<number, object>>;
}

type ListOf<Route extends RouteGenericInterface> = (request: FastifyRequest<Route>) => AircraftList;

const GEO_JSON = { content: { [GEO_JSON_TYPE]: { schema: { $ref: 'AircraftFeatures#' } } } };

/** Registers the list at `/v2PATH` and `/v2/geojsonPATH`. */
export function listRoute<Route extends RouteGenericInterface>(
  app: FastifyInstance,
  context: ApiContext,
  path: string,
  schema: ListSchema,
  list: ListOf<Route>,
): void {
  app.get(`/v2${path}`, { schema }, (request, reply) => sendList(context, request, reply, list(request as FastifyRequest<Route>)));
  geoJsonRoute(app, context, path, schema, list);
}

/** Registers `/v2/geojsonPATH` alone. */
export function geoJsonRoute<Route extends RouteGenericInterface>(
  app: FastifyInstance,
  context: ApiContext,
  path: string,
  schema: ListSchema,
  list: ListOf<Route>,
): void {
  const asGeoJson = { ...schema, summary: `${schema.summary}, as GeoJSON`, response: { ...schema.response, 200: GEO_JSON } };
  app.get(`/v2/geojson${path}`, { schema: asGeoJson }, (request, reply) =>
    sendList(context, request, reply, { ...list(request as FastifyRequest<Route>), isGeoJson: true }),
  );
}
