// The reference for HTTP: a fastify application that serves aircraft from a Map and builds every response on request.
// It sends the same headers as ours and counts requests with prom-client. Not used by the product.
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { Histogram, Registry } from 'prom-client';
import type { Compressor, Encoding } from '../../../pipeline/view/compress.ts';
import { aircraftObject } from '../../../pipeline/view/plain.ts';
import { AGENT_HINT, EXPOSED_HEADERS, VARY } from '../../../query-api/http/headers/headers.ts';
import { JSON_TYPE } from '../../../query-api/http/responses/content.ts';
import type { FlightBlock } from '../../../query-api/queries/flight-block.ts';
import type { AircraftState } from '../../../schemas/avro/aircraft-state.ts';

const HEADERS = {
  'content-type': JSON_TYPE,
  etag: '"bench-1"',
  'cache-control': 'private, max-age=1',
  vary: VARY,
  link: '</contribute>; rel="contribute"',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'x-service-tier': 'anonymous',
  'x-service-data-age': '0',
  'x-service-contribution': 'optional',
  'x-service-agent-hint': AGENT_HINT,
};

/** Some of the routes with the same envelope; compression at our levels, but for every request. */
export function createPlainApi(
  states: readonly AircraftState[],
  flights: readonly FlightBlock[],
  nowMs: number,
  compressors: ReadonlyMap<Encoding, Compressor>,
): FastifyInstance {
  const aircraft = new Map(states.map((state) => [state.hex, aircraftObject(state, nowMs, 'native')]));
  const respond = (ac: readonly object[]): string => {
    const now = nowMs / 1000;
    return JSON.stringify({ now, messages: 0, total: ac.length, ctime: now, ptime: now, ac });
  };
  const app = fastify();
  addRequestHooks(app);
  app.get<{ Params: { hex: string } }>('/v2/hex/:hex', async (request) => {
    const found = aircraft.get(request.params.hex.toLowerCase());
    return respond(found === undefined ? [] : [found]);
  });
  type Located = Record<string, unknown> & { lat: number; lon: number };
  app.get<{ Params: { lat: string; lon: string; nm: string } }>('/v2/lat/:lat/lon/:lon/dist/:nm', async (request) => {
    const [lat, lon, nm] = [request.params.lat, request.params.lon, request.params.nm].map(Number) as [number, number, number];
    const near = ([...aircraft.values()] as Located[]).flatMap((object) => {
      const dst = haversineNm(lat, lon, object.lat, object.lon);
      return dst < nm ? [{ ...object, dst: Math.round(dst * 1000) / 1000 }] : [];
    });
    return respond(near.sort((a, b) => a.dst - b.dst));
  });
  app.get<{ Querystring: Record<string, string> }>('/v2/bbox', async (request) => {
    const [south, north, west, east] = ['min_lat', 'max_lat', 'min_lon', 'max_lon'].map((name) => Number(request.query[name])) as [
      number,
      number,
      number,
      number,
    ];
    return respond(
      ([...aircraft.values()] as Located[]).filter(({ lat, lon }) => lat >= south && lat <= north && lon >= west && lon <= east),
    );
  });
  addFlights(app, flights, nowMs / 1000);
  app.get('/v2/all', async (request, reply): Promise<FastifyReply> => {
    const body = respond([...aircraft.values()]);
    const accepted = request.headers['accept-encoding'] as Encoding | undefined;
    const compress = accepted === undefined ? undefined : compressors.get(accepted);
    if (accepted === undefined || compress === undefined) return reply.send(body);
    return reply.header('content-encoding', accepted).send(await compress(Buffer.from(body)));
  });
  return app;
}

/** Flights of an airport, searches and the directory of operators, by going through all flights. */
function addFlights(app: FastifyInstance, flights: readonly FlightBlock[], now: number): void {
  const meta = (total: number) => ({ now, ctime: now, ptime: now, total });
  const isAt = (end: unknown, code: string): boolean => (end as { icao?: string } | undefined)?.icao === code;
  app.get<{ Params: { code: string } }>('/v2/airport/:code', async ({ params: { code } }) => {
    const arrivals = flights.filter(({ destination }) => isAt(destination, code));
    arrivals.sort((a, b) => Number(a['distance_to_destination_nm']) - Number(b['distance_to_destination_nm']));
    const departures = flights.filter(({ origin }) => isAt(origin, code));
    const counted = (list: readonly FlightBlock[]) => ({ total: list.length, flights: list });
    return JSON.stringify({
      ...meta(arrivals.length + departures.length),
      arrivals: counted(arrivals),
      departures: counted(departures),
    });
  });
  app.get<{ Querystring: Record<string, string> }>('/v2/flights', async ({ query }) => {
    const found = flights.filter(({ origin, status }) => isAt(origin, query['origin']!) && status === query['status']).slice(0, 100);
    return JSON.stringify({ ...meta(found.length), flights: found });
  });
  app.get('/v2/operators', async () => {
    const groups = new Map<string, FlightBlock[]>();
    for (const flight of flights) {
      const operator = flight['operator'] as string | undefined;
      if (operator === undefined) continue;
      const group = groups.get(operator);
      if (group === undefined) groups.set(operator, [flight]);
      else group.push(flight);
    }
    const operators = [...groups].map(([icao, list]) => ({
      icao,
      aircraft_count: list.length,
      callsigns: list.slice(0, 5).map(({ flight }) => flight),
    }));
    return JSON.stringify({ ...meta(operators.length), operators: operators.sort((a, b) => b.aircraft_count - a.aircraft_count) });
  });
}

function haversineNm(latA: number, lonA: number, latB: number, lonB: number): number {
  const radians = Math.PI / 180;
  const sinLat = Math.sin(((latB - latA) * radians) / 2);
  const sinLon = Math.sin(((lonB - lonA) * radians) / 2);
  const h = sinLat * sinLat + Math.cos(latA * radians) * Math.cos(latB * radians) * sinLon * sinLon;
  return 2 * 3440.065 * Math.asin(Math.sqrt(h));
}

function addRequestHooks(app: FastifyInstance): void {
  const name = 'http_request_duration_seconds';
  const durationS = new Histogram({ name, help: 'Duration', labelNames: ['route', 'status'], registers: [new Registry()] });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS).header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    durationS.observe({ route: request.routeOptions.url ?? '', status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}
