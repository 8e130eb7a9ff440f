// What readsb's web maps read: `/data/aircraft.json`, `/data/receiver.json` and the queries of `/re-api/`. Maps add cache-breaking parameters.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { all, inBox, inCircle, type Predicate, type Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { sendMade, sendWhole } from '../answer.ts';
import type { ApiContext } from '../context.ts';
import { freshSnapshot } from '../freshness.ts';
import type { ListQuery } from '../lists/filters.ts';
import { compatForm, reApiForm } from '../lists/forms.ts';
import { sendList } from '../lists/send-list.ts';
import { ApiError, badValue } from '../problems.ts';
import { compatEnvelopeSchema, readsbEnvelopeSchema } from '../schemas/envelope.ts';
import { clampedRadiusNm } from '../schemas/parameters.ts';
import { bySquawk, byText, parseList, parseSquawks } from './aircraft-by.ts';
import { byHex, parseHexList } from './hex.ts';

const aircraftSchema = { summary: 'All aircraft, as readsb has them', response: { 200: readsbEnvelopeSchema } };

const receiverSchema = {
  summary: 'What web maps ask before they start',
  response: {
    200: {
      type: 'object',
      required: ['version', 'refresh', 'history'],
      properties: {
        version: { type: 'string', description: 'name of this service' },
        refresh: { type: 'integer', description: 'ms between two looks at aircraft.json' },
        history: { type: 'integer', description: 'number of history files; there are none' },
      },
    },
  },
};

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });
const flag = (description: string) => text(`${description}; needs no value`, '');

const reApiSchema = {
  summary: 'Queries as readsb takes them',
  description:
    'One of `all`, `all_with_pos`, `box`, `circle`, `closest` or a `find_…`; beside it any `filter_…` and an altitude. `jv2` gives the envelope of the aggregators. The binary format `binCraft` is not offered; whatever else is ignored.',
  querystring: {
    type: 'object',
    properties: {
      all: flag('all aircraft'),
      all_with_pos: flag('all with a valid position'),
      box: text('aircraft in a box: south, north, west, east in degrees', '51,53,3,7'),
      circle: text('aircraft in a circle: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      closest: text('the nearest aircraft: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      find_hex: text('ICAO 24-bit addresses, separated by commas', '4840d6,4ca7b5'),
      find_callsign: text('call signs, separated by commas', 'KLM1023'),
      find_reg: text('registrations, separated by commas', 'PH-BXA'),
      find_type: text('ICAO type designators, separated by commas', 'B738,A320'),
      find_squawk: text('squawks of four octal digits, separated by commas', '7700'),
      filter_squawk: text('only these squawks, separated by commas', '1000'),
      filter_mil: flag('only military aircraft'),
      filter_pia: flag('only aircraft with a privacy address'),
      filter_ladd: flag('only aircraft on the LADD list'),
      filter_with_pos: flag('only aircraft with a valid position'),
      above_alt_baro: text('lowest barometric altitude, ft', '10000'),
      below_alt_baro: text('highest barometric altitude, ft', '40000'),
      jv2: flag("the aggregators' envelope"),
    },
  },
  response: { 200: { anyOf: [readsbEnvelopeSchema, compatEnvelopeSchema] } },
};

type Query = Readonly<Record<string, string | undefined>>;
type Select = (snapshot: Snapshot) => Selection;

export function readsbRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/data/aircraft.json', { schema: aircraftSchema }, (request, reply) => sendWhole(context, 'readsb', request, reply));
  app.get('/data/receiver.json', { schema: receiverSchema }, (request, reply) => {
    const body = JSON.stringify({ version: 'squitter', refresh: 1000, history: 0 });
    return sendMade(context, request, reply, { snapshot: freshSnapshot(context.view, context.clock()), make: () => `${body}\n` });
  });
  app.get('/re-api/', { schema: reApiSchema }, (request: FastifyRequest, reply) => {
    const query = request.query as Query;
    const select = reApiSelect(query);
    return sendList(context, request, reply, {
      form: 'jv2' in query ? compatForm : reApiForm,
      query: altitudes(query),
      select: (snapshot, isWanted) => filtered(snapshot, select(snapshot), reApiFilters(query, isWanted)),
    });
  });
}

/** What a query asks for. Error: `api.bad_request` where it asks for nothing known. */
function reApiSelect(query: Query): Select {
  if ('binCraft' in query) throw new ApiError('api.bad_request', { detail: 'the format binCraft is not offered; leave it out for JSON' });
  const { box, circle, closest, find_hex, find_callsign, find_reg, find_type, find_squawk } = query;
  if (box !== undefined) {
    const [southDeg, northDeg, westDeg, eastDeg] = numbers('box', box, 4) as [number, number, number, number];
    return ({ listing }) => inBox(listing, { southDeg, northDeg, westDeg, eastDeg });
  }
  if (circle !== undefined) return circleSelect('circle', circle);
  if (closest !== undefined) return (snapshot) => firstOf(circleSelect('closest', closest)(snapshot));
  if (find_hex !== undefined) return (snapshot) => byHex(snapshot, parseHexList(find_hex), undefined);
  if (find_callsign !== undefined) return ({ listing }) => byText(listing, 'flight', parseList('find_callsign', find_callsign), undefined);
  if (find_reg !== undefined) return ({ listing }) => byText(listing, 'registration', parseList('find_reg', find_reg), undefined);
  if (find_type !== undefined) return ({ listing }) => byText(listing, 'typeDesignator', parseList('find_type', find_type), undefined);
  if (find_squawk !== undefined) return ({ listing }) => bySquawk(listing, parseSquawks(find_squawk), undefined);
  if ('all' in query) return ({ listing }) => all(listing, () => true);
  if ('all_with_pos' in query) return ({ listing }) => all(listing, (i) => listing.isPlaced(i));
  throw new ApiError('api.bad_request', {
    detail: 'it asks for none of all, all_with_pos, box, circle, closest, find_hex, find_callsign, find_reg, find_type, find_squawk',
  });
}

function circleSelect(param: string, value: string): Select {
  const [latDeg, lonDeg, radiusNm] = numbers(param, value, 3) as [number, number, number];
  return ({ listing }) => inCircle(listing, { latDeg, lonDeg, radiusNm: clampedRadiusNm(radiusNm) });
}

function altitudes({ above_alt_baro, below_alt_baro }: Query): ListQuery {
  const altitude = (param: string, value: string | undefined) => (value === undefined ? {} : { [param]: numbers(param, value, 1)[0]! });
  return { ...altitude('above_alt_baro', above_alt_baro), ...altitude('below_alt_baro', below_alt_baro) };
}

/** Tests beside the query itself, made for a snapshot. */
function reApiFilters(query: Query, isWanted: Predicate | undefined): (snapshot: Snapshot) => Predicate[] {
  const flags = [
    ['filter_mil', 1],
    ['filter_pia', 4],
    ['filter_ladd', 8],
  ] as const;
  const wantedFlags = flags.filter(([name]) => name in query).reduce((sum, [, bit]) => sum | bit, 0);
  const codes = query['filter_squawk'] === undefined ? null : parseSquawks(query['filter_squawk']);
  return ({ listing }) => [
    ...(isWanted === undefined ? [] : [isWanted]),
    ...(wantedFlags === 0 ? [] : [(i: number) => ((listing.facts[i]?.dbFlags ?? 0) & wantedFlags) !== 0]),
    ...(codes === null ? [] : [(i: number) => codes.has(listing.columns.squawk[i]!)]),
    ...('filter_with_pos' in query ? [(i: number) => listing.isPlaced(i)] : []),
  ];
}

function filtered(snapshot: Snapshot, found: Selection, filters: (snapshot: Snapshot) => Predicate[]): Selection {
  const tests = filters(snapshot);
  if (tests.length === 0) return found;
  const kept = [...found.indices.subarray(0, found.count).keys()].filter((n) => tests.every((test) => test(found.indices[n]!)));
  const indices = Int32Array.from(kept, (n) => found.indices[n]!);
  const { distancesNm, bearingsDeg } = found;
  if (distancesNm === undefined) return { count: kept.length, indices };
  return {
    count: kept.length,
    indices,
    distancesNm: Float64Array.from(kept, (n) => distancesNm[n]!),
    bearingsDeg: Float64Array.from(kept, (n) => bearingsDeg![n]!),
  };
}

function firstOf({ count, ...rest }: Selection): Selection {
  return { count: Math.min(count, 1), ...rest };
}

/** Numbers of a comma list: latitudes and longitudes, and a radius. Error: `api.bad_value`. */
function numbers(param: string, value: string, count: number): number[] {
  const found = value.split(',').map((item) => (item.trim() === '' ? Number.NaN : Number(item)));
  if (found.length !== count || !found.every(Number.isFinite))
    throw badValue(param, value, `it is ${count} numbers with commas between them`);
  return found;
}
