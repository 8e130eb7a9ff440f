// The past, from the history store: positions and flights of an aircraft, take-offs and landings of an airport, the heat map of a box.
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { json } from '../../../pipeline/flights/airports.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { knownAirport } from '../../queries/airports.ts';
import { type CellSize, cellSizes, density } from '../../queries/history/density.ts';
import { type DensityFilters, densityFilterProperties } from '../../queries/history/density-filters.ts';
import { flightsOfAircraft, movementsOfAirport, type PastFlights } from '../../queries/history/past-flights.ts';
import type { Span, SpanLimits } from '../../queries/history/span.ts';
import { pastTrack } from '../../queries/history/track.ts';
import { pointsText } from '../../queries/history/track-text.ts';
import { boxOf, parseHex } from '../../queries/selections.ts';
import type { Past, PastRequest, PastRow } from '../history-routes.ts';
import type { Members } from '../responses/meta.ts';
import { amount, described, flag, mayBeUnknown, number, object, part, reference, text, upTo } from '../schemas/build.ts';
import { truncated } from '../schemas/envelope.ts';
import { movementSchema, pastFlightSchema, pastOf } from '../schemas/history.ts';
import { airportCode, type BoxQuery, boxProperties, oneHex } from '../schemas/parameters.ts';
import { trackPointSchema } from '../schemas/track.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const positionSpan: SpanLimits = { defaultMs: HOUR_MS, msMax: limits.historySpanMsMax };
const flightSpan: SpanLimits = { defaultMs: 7 * DAY_MS, msMax: limits.pastFlightsSpanMsMax };
const movementSpan: SpanLimits = { defaultMs: DAY_MS, msMax: limits.pastFlightsSpanMsMax };
const densitySpan: SpanLimits = { defaultMs: DAY_MS, msMax: limits.densitySpanMsMax };

const STORE = 'From the history store: a service without one, or whose store does not answer, responds with 503 and a code.';
const limitOf = (description: string, fallback: number, maximum: number) => upTo(maximum, fallback, description, { examples: [10] });
const flightLimit = { limit: limitOf('greatest number of flights', limits.pastFlightsDefault, limits.pastFlightsMax) };
const positionLimit = { limit: limitOf('greatest number of positions', limits.trackPointsDefault, limits.trackPointsMax) };
const address = text('ICAO 24-bit address');
const positions = amount('number of positions');

interface Limit {
  readonly limit: number;
}
type OfAircraft = PastRequest<{ readonly hex: string }, Limit>;

export const historyRoutes: readonly PastRow[] = [
  {
    path: '/v2/aircraft/:hex/history',
    summary: 'Past positions of an aircraft',
    description: `Positions between two times, the oldest first, as in the track. An aircraft without positions in that time has an empty list. ${STORE}`,
    ...{ params: { hex: oneHex }, span: positionSpan, query: positionLimit },
    response: pastOf({
      hex: address,
      thinned: flag('true when `limit` left positions out'),
      positions: described('the positions, the oldest first', trackPointSchema),
    }),
    respond: async ({ context, params, query, span }: OfAircraft) => {
      const key = parseHex(params.hex);
      const { points, numbers, isThinned } = await pastTrack(context, key, span, query.limit);
      const members = `"hex":"${keyHex(key)}","thinned":${isThinned},"positions":[${pointsText(points, numbers)}]`;
      return { text: `${spanText(numbers.length, span)},${members}}\n` };
    },
  },
  {
    path: '/v2/aircraft/:hex/flights',
    summary: 'Past flights of an aircraft',
    description: `Ended flights that were heard between two times, the newest first. A flight ends 20 minutes after its landing, with the next take-off, or when the aircraft is not heard for an hour; \`/v2/flight/{identifier}\` has the present one. ${STORE}`,
    ...{ params: { hex: oneHex }, span: flightSpan, query: flightLimit },
    response: pastOf({ hex: address, truncated, flights: described('the flights, the newest first', pastFlightSchema) }, [
      'hex',
      'flights',
    ]),
    respond: async ({ context, params, query, span }: OfAircraft) => {
      const key = parseHex(params.hex);
      return flightsText(span, { hex: keyHex(key) }, await flightsOfAircraft(context, key, span, query.limit));
    },
  },
  {
    path: '/v2/airport/:code/flights',
    summary: 'Past take-offs and landings of an airport',
    description: `Observed take-offs and landings between two times, the newest first, of flights that have ended. ${STORE}`,
    ...{ params: { code: airportCode('airport', 'AMS') }, span: movementSpan, query: flightLimit, more: mayBeUnknown },
    response: pastOf(
      {
        airport: reference('Airport'),
        truncated,
        flights: described('take-offs and landings, the newest first', movementSchema),
      },
      ['airport', 'flights'],
    ),
    respond: async ({ context, params, query, span }: PastRequest<{ readonly code: string }, Limit>) => {
      const { code, block } = knownAirport(context, params.code);
      return flightsText(span, { airport: block }, await movementsOfAirport(context, code, span, query.limit));
    },
  },
  {
    path: '/v2/area/density',
    summary: 'Heat map of a box',
    description: `Positions per cell between two times, which are widened to whole hours. Cells without positions are absent; cells at the border of the box are whole. \`min_lon\` greater than \`max_lon\`: the box crosses the antimeridian. At most ${limits.densityCellsMax} cells. Without filters the store has counts; with one it reads all positions of the span. ${STORE}`,
    ...{ span: densitySpan, required: Object.keys(boxProperties) },
    query: {
      ...boxProperties,
      cell: { type: 'string', enum: [...cellSizes], default: '0.5', description: 'width and height of a cell, degrees', examples: ['0.5'] },
      ...densityFilterProperties,
    },
    response: pastOf({
      cell: number('width and height of a cell, degrees'),
      bbox: part('box of the search', boxProperties),
      positions,
      cells: described(
        'cells with positions, from the south-west',
        object({ lat: number('southern edge, degrees WGS 84'), lon: number('western edge, degrees WGS 84'), positions }),
      ),
    }),
    respond: async ({ context, query, span }: PastRequest<unknown, BoxQuery & DensityFilters & { readonly cell: CellSize }>) => {
      const { min_lat, min_lon, max_lat, max_lon, cell } = query;
      const found = await density(context, boxOf(min_lat, min_lon, max_lat, max_lon), span, cell, query);
      const members = {
        ...{ cell: Number(cell), bbox: { min_lat, min_lon, max_lat, max_lon } },
        ...{ positions: found.cells.reduce((sum, each) => sum + each.positions, 0), cells: found.cells },
      };
      return { text: `${spanText(found.cells.length, found)},${JSON.stringify(members).slice(1)}\n` };
    },
  },
];

function flightsText(span: Span, about: Members, { flights, isTruncated }: PastFlights): Past {
  const members = json({ ...about, ...(isTruncated ? { truncated: true } : {}), flights });
  return { text: `${spanText(flights.length, span)},${members.slice(1)}\n` };
}

/** `{"total":n,"from":…,"to":…`; not closed. */
function spanText(total: number, { fromMs, toMs }: Span): string {
  return `{"total":${total},"from":${seconds(fromMs)},"to":${seconds(toMs)}`;
}
