// The lists of aircraft as one table: their paths in the native view and in that of the aggregators, their parameters, and how these select aircraft. Lists with
// `at` are there of a moment of the past, too. Each native list is two operations, JSON and GeoJSON: generated clients then have one type for each.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ListedText } from '../../../pipeline/view/listing.ts';
import type { Circle } from '../../../pipeline/view/search.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { knownAirport } from '../../queries/airports.ts';
import { boxMiddle } from '../../queries/coverage.ts';
import { declaredEmergencies, declaredWithLifeguard, emergencies, emergencyReasons } from '../../queries/emergencies.ts';
import { GEO_JSON_TYPE } from '../../queries/geojson.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { type PastQuery, pastQueryProperties } from '../../queries/past.ts';
import { type ReadsbQuery, readsbSelect } from '../../queries/readsb-query.ts';
import { around, boxOf, byHex, bySquawk, byText, circleOf, everyAircraft, withFlags, within } from '../../queries/selections.ts';
import { anyList, hexList, squawkList } from '../../queries/text-forms.ts';
import type { ApiContext } from '../context.ts';
import { compatForm, type Form, nativeForm, reApiForm } from '../responses/list-forms.ts';
import { sendWhole } from '../responses/response.ts';
import { type AircraftList, sendList } from '../responses/send-list.ts';
import { mayBeUnknown, number, type Operation, type Properties, part, reference, schemaOf, upTo } from '../schemas/build.ts';
import { compatEnvelopeSchema, envelopeOf, mayBeTooOld, readsbEnvelopeSchema } from '../schemas/envelope.ts';
import {
  aircraftRadius,
  airportCode,
  type BoxQuery,
  boxProperties,
  latitude,
  listInPath,
  longitude,
  readsbQueryProperties,
} from '../schemas/parameters.ts';

/** A view of the lists: where they are, their common parameters, and how they look. */
interface ListView {
  readonly prefix: string;
  readonly suffix: string;
  readonly query: Properties;
  readonly hasGeoJson: boolean;
  readonly form: (query: object) => Form;
  readonly envelope: (echo: Properties) => object;
}
const native: ListView = {
  ...{ prefix: '/v2', suffix: '', query: listQueryProperties, hasGeoJson: true },
  ...{ form: () => nativeForm, envelope: (echo) => envelopeOf(echo, Object.keys(echo)) },
};
const compat: ListView = {
  ...{ prefix: '/compat/v2', suffix: ', in the format of aggregators', query: listQueryProperties, hasGeoJson: false },
  ...{ form: () => compatForm, envelope: () => compatEnvelopeSchema },
};
const readsb: ListView = {
  ...{ prefix: '', suffix: '', query: {}, hasGeoJson: false },
  ...{
    form: (query) => ('jv2' in query ? compatForm : reApiForm),
    envelope: () => ({ anyOf: [readsbEnvelopeSchema, compatEnvelopeSchema] }),
  },
};

/** The parts of a request. */
interface ListRequest<Params = unknown, Query = unknown> {
  readonly context: ApiContext;
  readonly params: Params;
  readonly query: Query;
}
type Found = Omit<AircraftList, 'form' | 'at' | 'isGeoJson'>;

export interface ListRow {
  readonly view: ListView;
  readonly paths: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly params?: Properties;
  /** Parameters besides those of every list. */
  readonly query?: Properties;
  readonly required?: readonly string[];
  /** Members of the response besides the aircraft. */
  readonly echo?: Properties;
  readonly more?: Operation['more'];
  /** True if there is a list of a moment of the past. */
  readonly hasPast?: boolean;
  /** True if a request without a query gets the whole view: existing bytes. */
  readonly isWhole?: boolean;
  find(request: ListRequest): Found;
}

const NO_MATCH = 'Without a match the list is empty; that is no error.';
const BY_DISTANCE = 'Ascending distance, ties by hex; each with `dst` and `dir` from the';
const FOR_CLIENTS = 'For clients of the aggregators: records as readsb has them, times in ms, `msg`. A trailing slash is tolerated.';
const NEAREST_DEFAULT = 10;
const NEARBY_NM_DEFAULT = 25;

const radiusEcho = { radius_nm: number('radius of the search, nm') };
const circleParams = { lat: latitude, lon: longitude, nm: aircraftRadius };

type CircleRequest = ListRequest<{ readonly lat: number; readonly lon: number; readonly nm: number }>;

const inCircleOf = (circle: Circle): Found => ({
  select: around(circle),
  echo: { radius_nm: circle.radiusNm },
  near: circle,
});
const inPathCircle = ({ params: { lat, lon, nm } }: CircleRequest): Found => inCircleOf(circleOf(lat, lon, nm));

/** Lists by the only parameter of their path. */
const byPath =
  (find: (value: string) => Found['select']) =>
  ({ params }: ListRequest<Readonly<Record<string, string>>>): Found => ({ select: find(Object.values(params)[0]!) });
const byHexes = byPath(byHex);
const bySquawks = byPath(bySquawk);
const byTexts = (column: ListedText) => byPath((value) => byText(column, value));

const named = (path: string, param: string, what: string, about: string, example: string, find: ListRow['find']): ListRow => ({
  ...{ view: native, paths: [`/${path}/:${param}`], summary: `Aircraft ${what}`, hasPast: true, find },
  description: `By ${about}; several in a comma list. ${NO_MATCH}`,
  params: { [param]: listInPath(param === 'code' ? squawkList : anyList, about, example) },
});
const inCompat = (paths: readonly string[], what: string, find: ListRow['find'], params?: Properties): ListRow => ({
  ...{ view: compat, paths, summary: what, description: FOR_CLIENTS, find },
  ...(params === undefined ? {} : { params }),
});
const flagged = (name: string, bit: number): ListRow =>
  inCompat([`/${name}`], `Aircraft with the flag ${name}`, () => ({ select: withFlags(bit) }));

export const aircraftLists: readonly ListRow[] = [
  {
    ...{ view: native, paths: ['/all'], summary: 'All aircraft that are tracked now', hasPast: true, isWhole: true },
    description: 'Every aircraft in one response. It changes once a second: send the ETag as `If-None-Match` and accept `gzip` or `br`.',
    find: () => ({ select: everyAircraft }),
  },
  {
    ...{ view: native, paths: ['/hex/:hex'], summary: 'Aircraft by hex', hasPast: true, find: byHexes },
    description: `One address, or several in a comma list; in the requested order. ${NO_MATCH}`,
    params: {
      hex: listInPath(hexList, 'ICAO 24-bit address: 6 hex digits in either case, `~` before them for a non-ICAO address', '4840d6'),
    },
  },
  named('reg', 'reg', 'by registration', 'registration, with or without hyphen', 'PH-BXA', byTexts('registration')),
  named('type', 'type', 'of a type', 'ICAO type designator', 'B738', byTexts('typeDesignator')),
  named('callsign', 'callsign', 'by call sign', 'whole call sign, without blanks', 'KLM1023', byTexts('flight')),
  named('squawk', 'code', 'with a squawk', 'transponder code, four octal digits', '7700', bySquawks),
  {
    ...{ view: native, paths: ['/bbox'], summary: 'Aircraft in a box', hasPast: true },
    description: 'The box includes its borders. `min_lon` greater than `max_lon`: the box crosses the antimeridian.',
    query: boxProperties,
    required: Object.keys(boxProperties),
    echo: { bbox: part('box of the search', boxProperties) },
    find: ({ query: { min_lat, min_lon, max_lat, max_lon } }: ListRequest<unknown, BoxQuery>) => {
      const box = boxOf(min_lat, min_lon, max_lat, max_lon);
      return { select: within(box), echo: { bbox: { min_lat, min_lon, max_lat, max_lon } }, near: boxMiddle(box) };
    },
  },
  {
    ...{ view: native, paths: ['/lat/:lat/lon/:lon/dist/:nm'], summary: 'Aircraft within a radius', hasPast: true },
    description: `${BY_DISTANCE} position.`,
    ...{ params: circleParams, echo: radiusEcho, find: inPathCircle },
  },
  {
    ...{ view: native, paths: ['/aircraft/nearest'], summary: 'The nearest aircraft', hasPast: true },
    description: `${BY_DISTANCE} position.`,
    query: {
      lat: latitude,
      lon: longitude,
      radius: { ...aircraftRadius, default: limits.aircraftRadiusNmMax },
      limit: upTo(limits.nearestAircraftMax, NEAREST_DEFAULT, 'maximum number of aircraft'),
    },
    ...{ required: ['lat', 'lon'], echo: radiusEcho },
    find: ({ query: { lat, lon, radius } }: ListRequest<unknown, { lat: number; lon: number; radius: number }>) =>
      inCircleOf(circleOf(lat, lon, radius)),
  },
  {
    ...{ view: native, paths: ['/airport/:code/nearby-aircraft'], summary: 'Aircraft near an airport, on any route' },
    description: `${BY_DISTANCE} airport.`,
    params: { code: airportCode('airport', 'AMS') },
    query: { radius: { ...aircraftRadius, default: NEARBY_NM_DEFAULT } },
    ...{ echo: { airport: reference('Airport'), ...radiusEcho }, more: mayBeUnknown },
    find: ({ context, params, query }: ListRequest<{ code: string }, { radius: number }>) => {
      const { block, airport } = knownAirport(context, params.code);
      const found = inCircleOf(circleOf(airport.latDeg, airport.lonDeg, query.radius));
      return { ...found, echo: { airport: block, ...found.echo } };
    },
  },
  {
    ...{ view: native, paths: ['/emergencies'], summary: 'Aircraft in an emergency' },
    description:
      'Squawk 7500, 7600 or 7700, or a declared emergency; `emergency_reasons` says which. Medical flights send `lifeguard` routinely.',
    query: { include: { type: 'string', enum: ['lifeguard'], description: 'medical flights, too' } },
    find: ({ query }: ListRequest<unknown, { include?: string }>) => {
      const declared = query.include === 'lifeguard' ? declaredWithLifeguard : declaredEmergencies;
      return {
        select: ({ listing }, isWanted) => emergencies(listing, isWanted, declared),
        decorate: (listing, i) => ({ emergency_reasons: emergencyReasons(listing, i, declared) }),
      };
    },
  },
  inCompat(['/all'], 'All aircraft', () => ({ select: everyAircraft })),
  ...[flagged('mil', 1), flagged('pia', 4), flagged('ladd', 8)],
  inCompat(['/reg/:item', '/registration/:item'], 'Aircraft by registration', byTexts('registration'), {
    item: listInPath(anyList, 'registration', 'PH-BXA'),
  }),
  inCompat(['/type/:item'], 'Aircraft by ICAO type designator', byTexts('typeDesignator'), {
    item: listInPath(anyList, 'ICAO type designator', 'B738'),
  }),
  inCompat(['/callsign/:item'], 'Aircraft by call sign', byTexts('flight'), { item: listInPath(anyList, 'call sign', 'KLM1023') }),
  inCompat(['/hex/:item', '/icao/:item'], 'Aircraft by hex', byHexes, { item: listInPath(hexList, 'ICAO 24-bit address', '4840d6') }),
  inCompat(['/squawk/:item', '/sqk/:item'], 'Aircraft with a squawk', bySquawks, {
    item: listInPath(squawkList, 'four octal digits', '7700'),
  }),
  inCompat(['/point/:lat/:lon/:nm', '/lat/:lat/lon/:lon/dist/:nm'], 'Aircraft within a radius', inPathCircle, circleParams),
  inCompat(
    ['/closest/:lat/:lon/:nm'],
    'The nearest aircraft',
    ({ params: { lat, lon, nm } }: CircleRequest) => {
      const near = circleOf(lat, lon, nm);
      return { select: around(near, 1), near };
    },
    circleParams,
  ),
  {
    ...{ view: readsb, paths: ['/re-api/'], summary: 'Queries in the form of readsb', query: readsbQueryProperties },
    description:
      'One of `box`, `circle`, `closest`, `hexlist` or a `find_…`, or else all aircraft; in addition any `filter_…` and an altitude. `jv2` selects the envelope of aggregators. The binary format `binCraft` is not offered.',
    find: ({ query }: ListRequest<unknown, ReadsbQuery>) => ({ select: readsbSelect(query) }),
  },
];

/** Registers lists. */
export function listRoutes(app: FastifyInstance, context: ApiContext, rows: readonly ListRow[]): void {
  for (const row of rows) {
    const { view, paths, isWhole = false } = row;
    const operation = operationOf(row);
    const listOf = (request: FastifyRequest): AircraftList => {
      const { params, query } = request;
      return { form: view.form(query as object), ...row.find({ context, params, query }), at: (query as PastQuery).at };
    };
    for (const path of paths) {
      app.get(`${view.prefix}${path}`, { schema: schemaOf(operation) }, (request, reply) =>
        isWhole && !context.isStored && !request.url.includes('?')
          ? sendWhole(context, 'native', request, reply)
          : sendList(context, request, reply, listOf(request)),
      );
      if (!view.hasGeoJson) continue;
      const schema = schemaOf({ ...operation, summary: `${operation.summary}, as GeoJSON`, response: GEO_JSON });
      app.get(`${view.prefix}/geojson${path}`, { schema }, (request, reply) =>
        sendList(context, request, reply, { ...listOf(request), isGeoJson: true }),
      );
    }
  }
}

const GEO_JSON = { content: { [GEO_JSON_TYPE]: { schema: reference('AircraftFeatures') } } };

function operationOf({ view, summary, description, params, query, required, echo = {}, more, hasPast = false }: ListRow): Operation {
  return {
    ...{ summary: `${summary}${view.suffix}`, description, response: view.envelope(echo) },
    ...(params === undefined ? {} : { params }),
    query: { ...view.query, ...(hasPast ? pastQueryProperties : {}), ...query },
    ...(required === undefined ? {} : { required }),
    more: { ...(hasPast ? mayBeTooOld : {}), ...more },
  };
}
