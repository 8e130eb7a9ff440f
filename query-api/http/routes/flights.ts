// `/v2/flight/{identifier}`, `/v2/flights`, `/v2/operator/{code}/flights`, `/v2/types/{type}/flights` and `/v2/route/{origin}/{destination}`: live flights, one, page
// by page, and in numbers.
import { json } from '../../../pipeline/flights/airports.ts';
import { plainText } from '../../../pipeline/view/listing.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { airportPair, pairMembers, pairSummary } from '../../queries/airports.ts';
import { codeList, type FlightQuery, flightFilter, routeList, statusList } from '../../queries/flight-filters.ts';
import { alternative, findFlight, matchers } from '../../queries/flight-lookup.ts';
import { statuses } from '../../queries/flight-status.ts';
import { knownOperator, knownType } from '../../queries/operators.ts';
import type { TextForm } from '../../queries/text-forms.ts';
import { flightsPage, pageQueryProperties, pageSchema } from '../responses/flight-pages.ts';
import { metaBody, metaText } from '../responses/meta.ts';
import { described, listOf, mayBeUnknown, number, object, part, reference, text } from '../schemas/build.ts';
import { flightSchema, metaOf, operatorCounts, typeCounts, typeProperties, wholeFlightSchema } from '../schemas/flight.ts';
import { airportCode } from '../schemas/parameters.ts';
import type { SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';

const list = (form: TextForm, description: string, example: string) => ({
  ...form,
  description: `${description}; a comma list of up to ${limits.flightListItemsMax} means any of them`,
  examples: [example],
});
const altitude = (description: string) => ({ type: 'number', minimum: -2000, maximum: 200_000, description, examples: [10_000] });
const texts = (description: string) => listOf({ type: 'string' }, description);

const matchedBy = { type: 'string', enum: [...matchers], description: 'how the identifier was read' };
const { hex, flight, r } = flightSchema.properties;

const ends = {
  origin: reference('Airport'),
  destination: reference('Airport'),
  distance_nm: { type: 'number', minimum: 0, description: 'great circle between the airports, nm' },
};
const pairParams = {
  origin: airportCode('airport that they come from', 'AMS'),
  destination: airportCode('airport that they go to', 'LHR'),
};
const feet = (which: string) => number(`${which} pressure altitude, ft; on the ground counts as 0`);
interface Pair {
  readonly origin: string;
  readonly destination: string;
}

const filterQuery = {
  origin: list(codeList, 'airport that it comes from: ICAO, IATA or local code', 'AMS'),
  destination: list(codeList, 'airport that it goes to', 'LHR'),
  airports: list(codeList, 'airport that it comes from or goes to', 'AMS'),
  routes: list(routeList, 'airports with a hyphen between them: from the first to the second', 'AMS-LHR'),
  operator: list(codeList, 'ICAO or IATA code of the operator', 'KLM'),
  type: list(codeList, 'ICAO type designator', 'B738'),
  status: list(statusList, `what it does: ${statuses.join(', ')}`, 'climbing'),
  min_altitude: altitude('ft, barometric; on the ground counts as 0'),
  max_altitude: altitude('ft, barometric; on the ground counts as 0'),
  above_alt_baro: altitude('the same as min_altitude, under the name of readsb'),
  below_alt_baro: altitude('the same as max_altitude, under the name of readsb'),
};
const filterEcho = part(
  'filters of the request, as parsed; only those given',
  {
    origin: texts('airports'),
    destination: texts('airports'),
    airports: texts('airports'),
    routes: texts('pairs of airports'),
    operator: texts('operators'),
    type: texts('ICAO type designators'),
    status: texts('values of `status`'),
    min_altitude: number('ft'),
    max_altitude: number('ft'),
  },
  [],
);

export const flightRoutes: readonly SnapshotRow[] = [
  {
    path: '/v2/flight/:identifier',
    summary: 'One live flight',
    description:
      'By call sign, else by registration, else by address: ACA123 may be either. Of several aircraft one in the air comes before one on the ground, then the one heard last; the others are `alternatives`.',
    params: {
      identifier: { type: 'string', minLength: 1, description: 'call sign, registration or ICAO 24-bit address', examples: ['KLM1023'] },
    },
    query: {},
    response: metaOf(
      {
        ...{ flight: wholeFlightSchema, aircraft: reference('Aircraft'), matched_by: matchedBy },
        alternatives: described(
          'other aircraft that match the identifier; absent without any',
          object({ hex, flight, r, matched_by: matchedBy }, ['hex', 'matched_by']),
        ),
      },
      ['flight', 'aircraft', 'matched_by'],
    ),
    more: mayBeUnknown,
    respond: ({ context, snapshot, params }: SnapshotRequest<{ readonly identifier: string }>) => {
      const [found, ...others] = findFlight(snapshot, params.identifier);
      const make = (): string => {
        const block = json(context.flights.index(snapshot).wholeBlock(found.i));
        const aircraft = snapshot.text('native', { count: 1, indices: Int32Array.of(found.i) });
        const alternatives = others.map((match) => alternative(snapshot.listing, match));
        const more = alternatives.length === 0 ? '' : `,"alternatives":${json(alternatives)}`;
        return `${metaText(snapshot, 1)},"flight":${block},"aircraft":${aircraft},"matched_by":"${found.matchedBy}"${more}}\n`;
      };
      return { make };
    },
  },
  {
    path: '/v2/flights',
    summary: 'Search for live flights',
    description:
      'All filters hold together; without any, all flights. Every listed aircraft is a flight, but not vehicles and obstacles on the surface.\n\n`total` counts the flights of this page, `matches` those of all pages. A cursor goes on behind the last flight of its page, whatever came or went meanwhile.',
    query: { ...filterQuery, ...pageQueryProperties },
    response: pageSchema({ filters: filterEcho }),
    respond: (request: SnapshotRequest<unknown, FlightQuery>) =>
      flightsPage(request, (index) => {
        const { echo, among, isWanted } = flightFilter(request.context, index, request.query);
        return { members: { filters: echo }, among, isWanted };
      }),
  },
  {
    path: '/v2/operator/:code/flights',
    summary: 'Live flights of an operator',
    description: 'Flights whose call sign begins with the ICAO code of the operator, in pages.',
    params: { code: text('ICAO or IATA code of the operator', { examples: ['KLM'] }) },
    query: pageQueryProperties,
    response: pageSchema({ operator: reference('Operator') }),
    more: mayBeUnknown,
    respond: (request: SnapshotRequest<{ readonly code: string }>) =>
      flightsPage(request, (_, snapshot) => {
        const operator = knownOperator(request.context, snapshot, request.params.code);
        return { members: { operator }, among: snapshot.listing.by('operator').get(operator.icao) ?? [] };
      }),
  },
  {
    path: '/v2/types/:type/flights',
    summary: 'Live flights of an aircraft type',
    description: 'Flights of aircraft with this type in the reference data, in pages.',
    params: { type: text('ICAO type designator', { examples: ['B738'] }) },
    query: pageQueryProperties,
    response: pageSchema({ type: part('the type', typeProperties, ['t']) }),
    more: mayBeUnknown,
    respond: (request: SnapshotRequest<{ readonly type: string }>) =>
      flightsPage(request, (_, snapshot) => {
        const type = knownType(request.context, snapshot, request.params.type);
        return { members: { type }, among: snapshot.listing.by('typeDesignator').get(plainText(type.t)) ?? [] };
      }),
  },
  {
    path: '/v2/route/:origin/:destination',
    summary: 'Live flights between two airports',
    description:
      'Flights on this route, in this direction, in the air or on the ground: those of `/v2/flights?routes=`. Only plausible routes count.',
    params: pairParams,
    query: pageQueryProperties,
    response: pageSchema(ends),
    more: mayBeUnknown,
    respond: (request: SnapshotRequest<Pair>) => {
      const pair = airportPair(request.context, request.params.origin, request.params.destination);
      return flightsPage(request, (index) => ({ members: pairMembers(pair), among: index.between(pair.origin.key, pair.destination.key) }));
    },
  },
  {
    path: '/v2/route/:origin/:destination/summary',
    summary: 'Live flights between two airports in numbers',
    description: '`total` counts the flights of `/v2/route/{origin}/{destination}`, those on the ground too.',
    params: pairParams,
    query: {},
    response: metaOf(
      {
        ...ends,
        flights: texts('call signs'),
        types: typeCounts('types'),
        operators: operatorCounts('operators'),
        altitude: part('absent while no altitude is known', { min: feet('lowest'), max: feet('highest'), mean: feet('mean') }),
      },
      [...Object.keys(ends), 'flights', 'types', 'operators'],
    ),
    more: mayBeUnknown,
    respond: ({ context, snapshot, params }: SnapshotRequest<Pair>) => {
      const pair = airportPair(context, params.origin, params.destination);
      const index = context.flights.index(snapshot);
      const make = (): string => {
        const found = index.between(pair.origin.key, pair.destination.key);
        return metaBody(snapshot, found.length, { ...pairMembers(pair), ...pairSummary(context, index, found) });
      };
      return { make };
    },
  },
];
