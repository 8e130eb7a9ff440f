// The past, from the history store: positions and flights of an aircraft, take-offs and landings of an airport, the heat map of a box.
import type { FastifyInstance } from 'fastify';
import { json } from '../../../pipeline/flights/airports.ts';
import { keyHex } from '../../../pipeline/view/hex-key.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { knownAirport } from '../../queries/airports.ts';
import { type CellSize, cellSizes, density } from '../../queries/history/density.ts';
import { flightsOfAircraft, movementsOfAirport, type PastFlights } from '../../queries/history/past-flights.ts';
import { type Span, type SpanLimits, type SpanQuery, spanOf, spanProperties } from '../../queries/history/span.ts';
import { pastTrack } from '../../queries/history/track.ts';
import { pointsText } from '../../queries/history/track-text.ts';
import { boxOf, parseHex } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { mayBeUnknown, reference } from '../schemas/build.ts';
import { truncatedMember } from '../schemas/flight.ts';
import { historyErrors, movementSchema, pastFlightSchema, pastOf } from '../schemas/history.ts';
import { airportCode, boxProperties, oneHex } from '../schemas/parameters.ts';
import { trackPointSchema } from '../schemas/track.ts';
import { sendHistory } from '../send-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const positionSpan: SpanLimits = { defaultMs: HOUR_MS, msMax: trackLimits.historySpanMsMax };
const flightSpan: SpanLimits = { defaultMs: 7 * DAY_MS, msMax: trackLimits.pastFlightsSpanMsMax };
const movementSpan: SpanLimits = { defaultMs: DAY_MS, msMax: trackLimits.pastFlightsSpanMsMax };
const densitySpan: SpanLimits = { defaultMs: DAY_MS, msMax: trackLimits.densitySpanMsMax };

const STORE = 'From the history store: a service without one, or whose store does not answer, responds with 503 and a code.';
const hexParams = { type: 'object', properties: { hex: oneHex }, required: ['hex'] };
const limitOf = (description: string, fallback: number, maximum: number) => ({
  ...{ type: 'integer', minimum: 1, maximum, default: fallback },
  ...{ description, examples: [10] },
});
const flightLimit = limitOf('greatest number of flights', trackLimits.pastFlightsDefault, trackLimits.pastFlightsMax);

const historySchema = {
  summary: 'Past positions of an aircraft',
  description: `Positions between two times, the oldest first, as in the track. An aircraft without positions in that time has an empty list. ${STORE}`,
  params: hexParams,
  querystring: {
    type: 'object',
    properties: {
      ...spanProperties(positionSpan),
      limit: limitOf('greatest number of positions', trackLimits.trackPointsDefault, trackLimits.trackPointsMax),
    },
    additionalProperties: false,
  },
  response: {
    200: pastOf({
      hex: { type: 'string', description: 'ICAO 24-bit address' },
      thinned: { type: 'boolean', description: 'true when `limit` left positions out' },
      positions: { type: 'array', description: 'the positions, the oldest first', items: trackPointSchema },
    }),
    ...historyErrors,
  },
};

const flightsSchema = {
  summary: 'Past flights of an aircraft',
  description: `Ended flights that were heard between two times, the newest first. A flight ends 20 minutes after its landing, with the next take-off, or when the aircraft is not heard for an hour; \`/v2/flight/{identifier}\` has the present one. ${STORE}`,
  params: hexParams,
  querystring: { type: 'object', properties: { ...spanProperties(flightSpan), limit: flightLimit }, additionalProperties: false },
  response: {
    200: pastOf(
      {
        hex: { type: 'string', description: 'ICAO 24-bit address' },
        truncated: truncatedMember,
        flights: { type: 'array', description: 'the flights, the newest first', items: pastFlightSchema },
      },
      ['hex', 'flights'],
    ),
    ...historyErrors,
  },
};

const movementsSchema = {
  summary: 'Past take-offs and landings of an airport',
  description: `Observed take-offs and landings between two times, the newest first, of flights that have ended. ${STORE}`,
  params: { type: 'object', properties: { code: airportCode('airport', 'AMS') }, required: ['code'] },
  querystring: { type: 'object', properties: { ...spanProperties(movementSpan), limit: flightLimit }, additionalProperties: false },
  response: {
    200: pastOf(
      {
        airport: reference('Airport'),
        truncated: truncatedMember,
        flights: { type: 'array', description: 'take-offs and landings, the newest first', items: movementSchema },
      },
      ['airport', 'flights'],
    ),
    ...mayBeUnknown,
    ...historyErrors,
  },
};

const boxNames = Object.keys(boxProperties);
const whole = { type: 'integer', minimum: 0, description: 'number of positions' };

const densitySchema = {
  summary: 'Heat map of a box',
  description: `Positions per cell between two times, which are widened to whole hours. Cells without positions are absent; cells at the border of the box are whole. \`min_lon\` greater than \`max_lon\`: the box crosses the antimeridian. At most ${trackLimits.densityCellsMax} cells. ${STORE}`,
  querystring: {
    type: 'object',
    properties: {
      ...boxProperties,
      ...spanProperties(densitySpan),
      cell: { type: 'string', enum: [...cellSizes], default: '0.5', description: 'width and height of a cell, degrees', examples: ['0.5'] },
    },
    required: boxNames,
    additionalProperties: false,
  },
  response: {
    200: pastOf({
      cell: { type: 'number', description: 'width and height of a cell, degrees' },
      bbox: { type: 'object', description: 'box of the search', required: boxNames, properties: boxProperties },
      positions: whole,
      cells: {
        type: 'array',
        description: 'cells with positions, from the south-west',
        items: {
          type: 'object',
          required: ['lat', 'lon', 'positions'],
          properties: {
            lat: { type: 'number', description: 'southern edge, degrees WGS 84' },
            lon: { type: 'number', description: 'western edge, degrees WGS 84' },
            positions: whole,
          },
          additionalProperties: false,
        },
      },
    }),
    ...historyErrors,
  },
};

interface Limited extends SpanQuery {
  readonly limit?: number;
}
interface OneAircraft {
  readonly Params: { readonly hex: string };
  readonly Querystring: Limited;
}

export function historyRoutes(app: FastifyInstance, context: ApiContext): void {
  const nowMs = (): number => context.view.current()?.times.nowMs ?? context.clock();
  app.get<OneAircraft>('/v2/aircraft/:hex/history', { schema: historySchema }, async (request, reply) => {
    const { limit = trackLimits.trackPointsDefault } = request.query;
    const key = parseHex(request.params.hex);
    const span = spanOf(request.query, nowMs(), positionSpan);
    const { points, numbers, isThinned } = await pastTrack(context, key, span, limit);
    const members = `"hex":"${keyHex(key)}","thinned":${isThinned},"positions":[${pointsText(points, numbers)}]`;
    return sendHistory(context, request, reply, `${spanText(numbers.length, span)},${members}}\n`);
  });
  app.get<OneAircraft>('/v2/aircraft/:hex/flights', { schema: flightsSchema }, async (request, reply) => {
    const { limit = trackLimits.pastFlightsDefault } = request.query;
    const key = parseHex(request.params.hex);
    const span = spanOf(request.query, nowMs(), flightSpan);
    return sendHistory(
      context,
      request,
      reply,
      flightsText(span, { hex: keyHex(key) }, await flightsOfAircraft(context, key, span, limit)),
    );
  });
  app.get<{ Params: { code: string }; Querystring: Limited }>(
    '/v2/airport/:code/flights',
    { schema: movementsSchema },
    async (request, reply) => {
      const { limit = trackLimits.pastFlightsDefault } = request.query;
      const { code, block } = knownAirport(context, request.params.code);
      const span = spanOf(request.query, nowMs(), movementSpan);
      return sendHistory(
        context,
        request,
        reply,
        flightsText(span, { airport: block }, await movementsOfAirport(context, code, span, limit)),
      );
    },
  );
  app.get<{ Querystring: { readonly [name in keyof typeof boxProperties]: number } & SpanQuery & { cell?: CellSize } }>(
    '/v2/area/density',
    { schema: densitySchema },
    async (request, reply) => {
      const { min_lat, min_lon, max_lat, max_lon, cell = '0.5' } = request.query;
      const box = boxOf(min_lat, min_lon, max_lat, max_lon);
      const found = await density(context, box, spanOf(request.query, nowMs(), densitySpan), cell);
      const members = {
        ...{ cell: Number(cell), bbox: { min_lat, min_lon, max_lat, max_lon } },
        ...{ positions: found.cells.reduce((sum, { positions }) => sum + positions, 0), cells: found.cells },
      };
      return sendHistory(context, request, reply, `${spanText(found.cells.length, found)},${JSON.stringify(members).slice(1)}\n`);
    },
  );
}

function flightsText(span: Span, about: Readonly<Record<string, unknown>>, { flights, isTruncated }: PastFlights): string {
  return `${spanText(flights.length, span)},${json({ ...about, ...(isTruncated ? { truncated: true } : {}), flights }).slice(1)}\n`;
}

/** `{"total":n,"from":…,"to":…`; not closed. */
function spanText(total: number, { fromMs, toMs }: Span): string {
  return `{"total":${total},"from":${seconds(fromMs)},"to":${seconds(toMs)}`;
}
