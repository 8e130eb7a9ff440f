// What readsb's web maps read: `/data/aircraft.json`, `/data/receiver.json` and the queries of `/re-api/`. Maps add cache-breaking parameters.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ListedText, plainText } from '../../../pipeline/view/listing.ts';
import { all, first, inBox, inCircle, type Predicate } from '../../../pipeline/view/search.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { badValue, cut, QueryError, unknownParameter } from '../../queries/errors.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ListQuery } from '../../queries/list-filters.ts';
import type { ApiContext } from '../context.ts';
import { compatForm, reApiForm } from '../list-forms.ts';
import { sendMade, sendWhole } from '../response.ts';
import { compatEnvelopeSchema, readsbEnvelopeSchema } from '../schemas/envelope.ts';
import { clampedRadiusNm } from '../schemas/parameters.ts';
import { type AircraftList, sendList } from '../send-list.ts';
import { decimal } from '../written-values.ts';
import { bySquawk, byText, parseList, parseSquawks } from './aircraft-by.ts';
import { byHex, parseHexList } from './hex.ts';
import { mapFileRoutes } from './map-files.ts';

const aircraftSchema = {
  summary: 'All aircraft, as readsb has them',
  description: 'The file that web maps read each second. Query parameters are ignored, as maps add cache breakers.',
  response: { 200: readsbEnvelopeSchema },
};

const receiverSchema = {
  summary: 'What web maps ask before they start',
  description: 'How often maps look at `aircraft.json`, and how much history they may load.',
  response: {
    200: {
      type: 'object',
      required: ['version', 'refresh', 'history'],
      properties: {
        version: { type: 'string', description: 'name of this service' },
        refresh: { type: 'integer', description: 'ms between two looks at aircraft.json' },
        history: { type: 'integer', minimum: 0, description: 'number of history files: one in 30 s, of the last hour' },
        lat: { type: 'number', description: 'where the receiver stands, degrees; only where its operator shows it' },
        lon: { type: 'number', description: 'where the receiver stands, degrees; only where its operator shows it' },
        outlineJson: { type: 'boolean', const: true, description: 'there is an `outline.json`; else absent' },
      },
    },
  },
};

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });
const flag = (description: string) => text(`${description}; needs no value`, '');

const reApiSchema = {
  summary: 'Queries as readsb takes them',
  description:
    'One of `all`, `all_with_pos`, `box`, `circle`, `closest`, `hexlist` or a `find_…`; beside it any `filter_…` and an altitude. `jv2` gives the envelope of the aggregators. The binary format `binCraft` is not offered. An unknown `filter_…` or `find_…` is an error; other unknown parameters are ignored, as maps add cache breakers.',
  querystring: {
    type: 'object',
    properties: {
      all: flag('all aircraft'),
      all_with_pos: flag('all with a valid position'),
      box: text('aircraft in a box: south, north, west, east in degrees', '51,53,3,7'),
      circle: text('aircraft in a circle: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      closest: text('the nearest aircraft: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      find_hex: text('ICAO 24-bit addresses, separated by commas', '4840d6,4ca7b5'),
      hexlist: text('the same as find_hex', '4840d6,4ca7b5'),
      find_callsign: text('call signs, separated by commas', 'KLM1023'),
      find_reg: text('registrations, separated by commas', 'PH-BXA'),
      find_type: text('ICAO type designators, separated by commas', 'B738,A320'),
      find_squawk: text('squawks of four octal digits, separated by commas', '7700'),
      filter_squawk: text('only these squawks, separated by commas', '1000'),
      filter_type: text('only these ICAO type designators, separated by commas', 'B738,A320'),
      filter_callsign_exact: text('only this call sign', 'KLM1023'),
      filter_callsign_prefix: text('only call signs that begin like this', 'KLM'),
      filter_mil: flag('only military aircraft; of several filters by flag any may hold'),
      filter_interesting: flag('only interesting aircraft'),
      filter_pia: flag('only aircraft with a privacy address'),
      filter_ladd: flag('only aircraft on the LADD list'),
      filter_with_pos: flag('only aircraft with a valid position'),
      above_alt_baro: text('lowest barometric altitude, ft', '10000'),
      below_alt_baro: text('highest barometric altitude, ft', '40000'),
      jv2: flag("the aggregators' envelope"),
      json: flag('JSON, as without it'),
    },
  },
  response: { 200: { anyOf: [readsbEnvelopeSchema, compatEnvelopeSchema] } },
};

/** Filters by a bit of `dbFlags`. */
const flagFilters = [
  ['filter_mil', 1],
  ['filter_interesting', 2],
  ['filter_pia', 4],
  ['filter_ladd', 8],
] as const;

type Query = Readonly<Record<string, string | undefined>>;
type Select = AircraftList['select'];
const SHOWN_CHARACTERS_MAX = 80;

export function readsbRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/data/aircraft.json', { schema: aircraftSchema }, (request, reply) => sendWhole(context, 'readsb', request, reply));
  app.get('/data/receiver.json', { schema: receiverSchema }, (request, reply) => {
    const { history, site } = context.maps;
    const body = { version: 'squitter', refresh: 1000, history: history.count, ...(site === null ? {} : { ...site, outlineJson: true }) };
    const snapshot = freshSnapshot(context);
    return sendMade(context, request, reply, { snapshot, make: () => `${JSON.stringify(body)}\n` });
  });
  mapFileRoutes(app, context);
  app.get('/re-api/', { schema: reApiSchema }, (request: FastifyRequest, reply) => {
    const query = request.query as Query;
    refuseUnknownFilters(query);
    const select = reApiSelect(query);
    const filters = reApiFilters(query);
    return sendList(context, request, reply, {
      form: 'jv2' in query ? compatForm : reApiForm,
      query: altitudes(query),
      select: (snapshot, isWanted) => select(snapshot, every([...filters(snapshot), ...(isWanted === undefined ? [] : [isWanted])])),
    });
  });
}

const reApiNames = Object.keys(reApiSchema.querystring.properties);

/** A filter that is not applied gives aircraft that were not asked for. Error: `api.unknown_parameter`. */
function refuseUnknownFilters(query: Query): void {
  const param = Object.keys(query).find((name) => /^(filter|find)_/.test(name) && !reApiNames.includes(name));
  if (param !== undefined) throw unknownParameter([cut(param, SHOWN_CHARACTERS_MAX)], reApiNames);
}

/** What a query asks for. Error: `api.bad_request` where it asks for nothing known. */
function reApiSelect(query: Query): Select {
  if ('binCraft' in query) throw new QueryError('api.bad_request', { detail: 'the format binCraft is not offered; leave it out for JSON' });
  const { box, circle, closest, find_callsign, find_reg, find_type, find_squawk } = query;
  const find_hex = query['find_hex'] ?? query['hexlist'];
  if (box !== undefined) return boxSelect(box);
  if (circle !== undefined) return circleSelect('circle', circle);
  if (closest !== undefined) {
    const select = circleSelect('closest', closest);
    return (snapshot, isWanted) => first(select(snapshot, isWanted), 1);
  }
  if (find_hex !== undefined) {
    const keys = parseHexList(find_hex);
    return (snapshot, isWanted) => byHex(snapshot, keys, isWanted);
  }
  if (find_callsign !== undefined) return textSelect('flight', 'find_callsign', find_callsign);
  if (find_reg !== undefined) return textSelect('registration', 'find_reg', find_reg);
  if (find_type !== undefined) return textSelect('typeDesignator', 'find_type', find_type);
  if (find_squawk !== undefined) {
    const codes = parseSquawks(find_squawk);
    return ({ listing }, isWanted) => bySquawk(listing, codes, isWanted);
  }
  if ('all' in query) return ({ listing }, isWanted) => all(listing, isWanted ?? (() => true));
  if ('all_with_pos' in query) return ({ listing }, isWanted) => all(listing, (i) => listing.isPlaced(i) && (isWanted?.(i) ?? true));
  throw new QueryError('api.bad_request', {
    detail:
      'it asks for none of all, all_with_pos, box, circle, closest, hexlist, find_hex, find_callsign, find_reg, find_type, find_squawk',
  });
}

function boxSelect(value: string): Select {
  const [southDeg, northDeg, westDeg, eastDeg] = numbers('box', value, 4) as [number, number, number, number];
  checkPlace('box', southDeg, westDeg);
  checkPlace('box', northDeg, eastDeg);
  if (southDeg > northDeg) throw badValue('box', value, 'its south is greater than its north');
  return ({ listing }, isWanted) => inBox(listing, { southDeg, northDeg, westDeg, eastDeg }, isWanted);
}

function circleSelect(param: string, value: string): Select {
  const [latDeg, lonDeg, radiusNm] = numbers(param, value, 3) as [number, number, number];
  checkPlace(param, latDeg, lonDeg);
  if (radiusNm < 0) throw badValue(param, value, 'its radius is below 0');
  return ({ listing }, isWanted) => inCircle(listing, { latDeg, lonDeg, radiusNm: clampedRadiusNm(radiusNm) }, isWanted);
}

function textSelect(text: ListedText, param: string, value: string): Select {
  const wanted = parseList(param, value);
  return ({ listing }, isWanted) => byText(listing, text, wanted, isWanted);
}

function altitudes({ above_alt_baro, below_alt_baro }: Query): ListQuery {
  const altitude = (param: string, value: string | undefined) => (value === undefined ? {} : { [param]: numbers(param, value, 1)[0]! });
  return { ...altitude('above_alt_baro', above_alt_baro), ...altitude('below_alt_baro', below_alt_baro) };
}

/** Tests beside the query itself, made for a snapshot. Errors: `api.bad_value`. */
function reApiFilters(query: Query): (snapshot: Snapshot) => Predicate[] {
  const wantedFlags = flagFilters.filter(([name]) => name in query).reduce((sum, [, bit]) => sum | bit, 0);
  const codes = query['filter_squawk'] === undefined ? null : parseSquawks(query['filter_squawk']);
  const types = query['filter_type'] === undefined ? null : parseList('filter_type', query['filter_type']);
  const [exact, prefix] = [query['filter_callsign_exact'], query['filter_callsign_prefix']].map((text) =>
    text === undefined ? undefined : plainText(text),
  );
  return ({ listing }) => [
    ...(wantedFlags === 0 ? [] : [(i: number) => ((listing.facts[i]?.dbFlags ?? 0) & wantedFlags) !== 0]),
    ...(codes === null ? [] : [(i: number) => codes.has(listing.columns.squawk[i]!)]),
    ...(types === null ? [] : [(i: number) => types.has(plainText(listing.facts[i]?.typeDesignator ?? ''))]),
    ...(exact === undefined ? [] : [(i: number) => plainText(listing.flights[i] ?? '') === exact]),
    ...(prefix === undefined ? [] : [(i: number) => plainText(listing.flights[i] ?? '').startsWith(prefix)]),
    ...('filter_with_pos' in query ? [(i: number) => listing.isPlaced(i)] : []),
  ];
}

function every(tests: readonly Predicate[]): Predicate | undefined {
  return tests.length === 0 ? undefined : (i) => tests.every((test) => test(i));
}

function checkPlace(param: string, latDeg: number, lonDeg: number): void {
  if (Math.abs(latDeg) > 90) throw badValue(param, String(latDeg), 'latitudes are -90 to 90');
  if (Math.abs(lonDeg) > 180) throw badValue(param, String(lonDeg), 'longitudes are -180 to 180');
}

/** Numbers of a comma list: latitudes and longitudes, and a radius. Error: `api.bad_value`. */
function numbers(param: string, value: string, count: number): number[] {
  const found = value.split(',').map((item) => decimal(item.trim()));
  if (found.length !== count || found.some(Number.isNaN)) throw badValue(param, value, `it is ${count} numbers with commas between them`);
  return found;
}
