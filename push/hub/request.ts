// Reads the request of a connection: its profile, its credentials, and its first subscription.
import type { CallerHeaders } from '../../query-api/access/caller.ts';
import { badValue, QueryError, unknownParameter } from '../../query-api/queries/errors.ts';
import {
  BINARY_PROTOCOL,
  EVENTS_PATH,
  filterNames,
  NAMED_PROTOCOL,
  SNAPSHOT_PATH,
  socketPaths,
  TOKEN_PROTOCOL,
} from '../../schemas/push.ts';
import { PAGE_PARAMETER } from '../../schemas/tiers.ts';
import type { Opening } from '../transport/transport.ts';
import type { Encoding } from './encodings.ts';
import { type Filter, type Names, parseFilterQuery } from './filter.ts';
import { parseZones } from './messages.ts';

export interface Request {
  /** One full as the body of a response; it has one filter. */
  readonly isSnapshot: boolean;
  readonly encoding: Encoding;
  /** With a token from the query or from the subprotocols as `authorization`. */
  readonly headers: CallerHeaders;
  /** The first subscription: one filter or several zones. Empty for a client that will send one. */
  readonly filters: readonly Filter[];
  /** Tried first. */
  readonly resume: { readonly stream: string; readonly seq: number } | null;
}

const SOCKET_PATHS: readonly string[] = socketPaths;
const ownNames = ['zones', 'token', 'stream', 'seq'];
/** Parameters that select nothing. The last is that of our own pages, and no part of the contract. */
const unselecting = ['token', 'stream', 'seq', PAGE_PARAMETER];

/** Errors: `api.not_found`, `api.bad_request`, `api.unknown_parameter` and those of filters. */
export function readRequest({ kind, url, headers, protocols }: Opening, names: Names): Request {
  const [path, queryText = ''] = splitOnce(url, '?');
  const isSnapshot = path === SNAPSHOT_PATH;
  const isPlainGet = isSnapshot || path === EVENTS_PATH;
  if (!isPlainGet && !SOCKET_PATHS.includes(path)) throw new QueryError('api.not_found', { path });
  if (isPlainGet !== (kind === 'events'))
    throw new QueryError('api.bad_request', {
      detail: isPlainGet ? 'expected GET without an upgrade' : 'expected an upgrade to WebSocket',
    });
  const query = new URLSearchParams(queryText);
  const unknown = [...new Set(query.keys())].filter((name) => ![...filterNames, 'radius', ...ownNames, PAGE_PARAMETER].includes(name));
  if (unknown.length > 0) throw unknownParameter(unknown, [...filterNames, ...ownNames]);
  const encoding = isSnapshot ? 'binary' : isPlainGet ? 'events' : encodingOf(protocols);
  const isAsked = [...query.keys()].some((name) => !unselecting.includes(name));
  return {
    isSnapshot,
    encoding,
    headers: withToken(
      headers,
      query.get('token') ?? protocols.find((name) => name.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length),
    ),
    filters:
      !isSnapshot && !isAsked && (encoding === 'named' || encoding === 'binary')
        ? []
        : filtersOf(query, encoding === 'plain' || isSnapshot, names),
    resume: encoding === 'plain' ? null : resumeOf(query, headers['last-event-id']),
  };
}

function encodingOf(protocols: readonly string[]): Encoding {
  if (protocols.includes(BINARY_PROTOCOL)) return 'binary';
  return protocols.includes(NAMED_PROTOCOL) ? 'named' : 'plain';
}

function filtersOf(query: URLSearchParams, isForOne: boolean, names: Names): readonly Filter[] {
  const zones = query.get('zones');
  if (zones === null) return [parseFilterQuery(query, names)];
  const filters = parseZones(zones.split(';'));
  if (isForOne && filters.length > 1) throw badValue('zones', zones, 'expected one zone: more than one stream needs another profile');
  return filters;
}

/** From `stream` and `seq`, or from the id of the last event. */
function resumeOf(query: URLSearchParams, lastEventId: string | undefined): Request['resume'] {
  const [stream, seq] = lastEventId === undefined ? [query.get('stream'), query.get('seq')] : splitOnce(lastEventId, ':');
  if (stream === null || seq === null || seq === undefined || !/^\d{1,15}$/.test(seq)) return null;
  return { stream, seq: Number(seq) };
}

function withToken(headers: CallerHeaders, token: string | undefined): CallerHeaders {
  return token === undefined || headers['authorization'] !== undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
