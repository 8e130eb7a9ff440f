// Resources: an aircraft with all its fields, the board of an airport, the fields explained.
import { memberFields } from '../../schemas/aircraft-fields.ts';
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { knownAirport } from '../queries/airports.ts';
import { unknownName } from '../queries/errors.ts';
import { freshSnapshot } from '../queries/freshness.ts';
import { aircraftObjects } from '../queries/objects.ts';
import type { ReadModel } from '../queries/read-model.ts';
import { parseHex } from '../queries/selections.ts';
import { sourceTimeS } from '../rpc/operations.ts';
import { recordFields } from '../rpc/record-fields.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError, toRpcError } from './rpc-error.ts';

const JSON_TYPE = 'application/json';
const FIELDS_URI = 'squitter://fields';

export const resources = [
  {
    uri: FIELDS_URI,
    name: 'fields',
    title: 'Fields of an aircraft',
    description: 'Every field of an aircraft with its unit and meaning, and the names that the tools use.',
    mimeType: 'text/markdown',
  },
];

export const resourceTemplates = [
  {
    uriTemplate: 'squitter://aircraft/{hex}',
    name: 'aircraft',
    title: 'One live aircraft, all fields',
    description: 'Everything known now of the aircraft with this ICAO 24-bit address, as in `/v2/hex/{hex}`.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'squitter://airport/{code}',
    name: 'airport',
    title: 'Board of an airport',
    description: `Live arrivals and departures of an airport by ICAO, IATA or local code: the first ${limits.boardFlightsMax} of each, and how many there are.`,
    mimeType: JSON_TYPE,
  },
];

/** The result of `resources/read`. */
export interface ResourceContents {
  readonly contents: { readonly uri: string; readonly mimeType: string; readonly text: string }[];
  readonly [member: string]: unknown;
}

/** Errors of the catalogue that mean that there is no such resource. */
const absent: readonly ErrorCode[] = ['api.unknown_aircraft', 'api.unknown_airport'];

/** Reads a resource. Errors: `RpcError`. */
export function readResource(model: ReadModel, uri: string): ResourceContents {
  if (uri === FIELDS_URI) return { contents: [{ uri, mimeType: 'text/markdown', text: fieldsText() }] };
  const [, kind, name] = /^squitter:\/\/(aircraft|airport)\/([^/?#]{1,64})$/.exec(uri) ?? [];
  if (kind === undefined)
    throw new RpcError(RESOURCE_NOT_FOUND, 'there is no such resource', { uri: uri.slice(0, limits.toolShownCharactersMax) });
  try {
    const text = kind === 'aircraft' ? aircraftJson(model, decoded(name!)) : boardJson(model, decoded(name!));
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  } catch (error) {
    throw toRpcError(error, error instanceof SquitterError ? rpcCodeOf(error.code) : INTERNAL_ERROR);
  }
}

function rpcCodeOf(code: ErrorCode): number {
  if (absent.includes(code)) return RESOURCE_NOT_FOUND;
  return code === 'api.bad_value' ? INVALID_PARAMS : INTERNAL_ERROR;
}

function aircraftJson(model: ReadModel, hex: string): string {
  const key = parseHex(hex);
  const snapshot = freshSnapshot(model);
  const [aircraft] = aircraftObjects(snapshot, 'native', snapshot.find([key]));
  if (aircraft === undefined) throw unknownName('api.unknown_aircraft', 'hex', hex);
  return JSON.stringify({ now: sourceTimeS(snapshot), aircraft });
}

function boardJson(model: ReadModel, code: string): string {
  const snapshot = freshSnapshot(model);
  const airport = knownAirport(model, code);
  const index = model.flights.index(snapshot);
  const { arrivals, departures } = index.at(airport);
  const list = (indices: readonly number[]) => ({
    total: indices.length,
    flights: indices.slice(0, limits.boardFlightsMax).map((i) => index.block(i)),
  });
  return JSON.stringify({ now: sourceTimeS(snapshot), airport: airport.block, arrivals: list(arrivals), departures: list(departures) });
}

/** The field table as Markdown. */
export function fieldsText(): string {
  const record = new Map(recordFields.map(({ name, member }) => [member as string, name]));
  const rows = memberFields.map(({ member, unit = '', about }) => {
    return `| ${member} | ${record.get(member) ?? ''} | ${unit} | ${about.replaceAll('|', '\\|')} |`;
  });
  return [
    '# Fields of an aircraft',
    '',
    'A field is absent while it is unknown or expired; none is null. `field` is its name in `/v2` and in squitter://aircraft/{hex}, `in tools` that in results of tools.',
    'In tools `alt_baro` is never the word `ground`: `on_ground` is true instead.',
    '',
    '| field | in tools | unit | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
