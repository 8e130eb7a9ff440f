// The AsyncAPI 3 document of the streams: the data of schemas/api/streams.json, and what tables know filled in. `{"$fill": NAME}` stands for a value, `{{NAME}}` for
// a text in a text. Aircraft are those of the REST contract, without the members that depend on a query.

import {
  BINARY_PROTOCOL,
  closeCodes,
  EVENTS_PATH,
  NAMED_PROTOCOL,
  pushMembers,
  SEQ_LAST,
  SNAPSHOT_PATH,
  socketPaths,
  TOKEN_PROTOCOL,
} from '../../../../schemas/push.ts';
import { tiers } from '../../../../schemas/tiers.ts';
import { aircraftSchema } from '../../schemas/aircraft.ts';
import { problemSchema, refusals, saying } from '../components.ts';
import type { ContractSource } from '../document.ts';
import { asResponseSchema, type JsonSchema, someMembersOf } from '../schemas.ts';
import { filterSchema, querySchema, zonesSchema } from './filters.ts';

export interface PushContractSource extends Pick<ContractSource, 'examples' | 'version' | 'baseUrl'> {
  /** The bytes of streams.json. */
  readonly data: Buffer;
}

const { wrongKey, forbidden, overLimit, manySockets } = refusals;
const refusalsInWords = `401 ${saying(wrongKey)}\n\n403 ${saying(forbidden)}\n\n429, with the header \`Retry-After\`: ${saying([...overLimit, ...manySockets])}`;

/** Seconds between the two frames of the examples. */
const EXAMPLE_TICK_S = 10;

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const asPattern = (text: string): string => text.replaceAll('.', '\\.');

/** The document as plain data. */
export function pushContract(source: PushContractSource): JsonSchema {
  return filled(JSON.parse(source.data.toString()), valuesOf(source)) as JsonSchema;
}

function valuesOf({ examples, version, baseUrl }: PushContractSource): JsonSchema {
  const { now, ac } = examples['/v2/all']!.response as { now: number; ac: [{ hex: string }, { hex: string }] };
  const record = aircraftRecord();
  const { dependencies: _, ...someMembers } = record;
  return {
    ...{ version, ...servers(baseUrl), closeCodes, tiers, seqMax: SEQ_LAST },
    ...{ plainPath: socketPaths[0], socketPath: socketPaths[2], eventsPath: EVENTS_PATH, snapshotPath: SNAPSHOT_PATH },
    ...{
      named: NAMED_PROTOCOL,
      namedPattern: asPattern(NAMED_PROTOCOL),
      binary: BINARY_PROTOCOL,
      binaryPattern: asPattern(BINARY_PROTOCOL),
    },
    token: TOKEN_PROTOCOL,
    ...{ zoneQuery: querySchema(['zone']), zonesQuery: querySchema(['zones', 'resume']), filter: filterSchema, zones: zonesSchema },
    ...{ aircraft: record, aircraftMembers: someMembersOf('Aircraft', someMembers), aircraftUpdate: updateSchema(record) },
    ...{ problem: problemSchema, refusals: refusalsInWords },
    ...{ now, later: now + EXAMPLE_TICK_S, firstAircraft: ac[0], secondAircraft: ac[1], firstHex: ac[0].hex },
  };
}

/** Error: a name without a value, an internal error. */
function filled(node: unknown, values: JsonSchema): unknown {
  const valueNamed = (name: string): unknown => {
    if (!(name in values)) throw new Error(`schemas/api/streams.json has a place for ${name}, which nothing fills`);
    return values[name];
  };
  if (typeof node === 'string') return node.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(valueNamed(name)));
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => filled(item, values));
  if ('$fill' in node) return valueNamed(String(node.$fill));
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, filled(value, values)]));
}

/** The HTTP port, for WebSocket and for HTTP. */
function servers(baseUrl: string): JsonSchema {
  const { pathname, protocol, host } = new URL(baseUrl === '' ? 'http://unknown' : baseUrl);
  const secure = protocol === 'https:' ? 's' : '';
  const variables = { address: { default: '127.0.0.1:8080', description: 'host and port of this service' } };
  const known = { host, ...(pathname === '/' ? {} : { pathname }) };
  const service = { ...(baseUrl === '' ? { host: '{address}', variables } : known), description: 'this service' };
  const security = ['Bearer', 'Query'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));
  const all = { ...service, security };
  return { socketServer: { ...all, protocol: `ws${secure}` }, httpServer: { ...all, protocol: `http${secure}` } };
}

/** JSON Schema draft 7, which AsyncAPI's schemas extend, has another name for it. */
function aircraftRecord(): JsonSchema {
  const { $id: _, properties, dependentRequired, ...others } = aircraftSchema;
  const shown = Object.entries(properties).filter(([name]) => pushMembers.includes(name));
  return asResponseSchema({ ...others, properties: Object.fromEntries(shown), dependencies: dependentRequired }) as JsonSchema;
}

/** Values of a member in an update: a value, or null for one that is gone. */
function updateSchema(record: JsonSchema): JsonSchema {
  const members = Object.keys(record['properties'] as object).filter((name) => name !== 'hex');
  const orGone = (name: string) => ({
    description: 'new value; null: gone',
    oneOf: [schemaRef(`Aircraft/properties/${name}`), { type: 'null' }],
  });
  return {
    type: 'object',
    description:
      'What changed of one aircraft: merge its members into the aircraft with this `hex`, and remove those that are null. `seen`, `seen_pos` and `lastPosition` count from `now` of this frame and are in every update; of an aircraft without an update they grow by the time between two frames.',
    required: ['hex'],
    properties: {
      hex: schemaRef('Aircraft/properties/hex'),
      ...Object.fromEntries(members.map((name) => [name, orGone(name)])),
    },
  };
}
