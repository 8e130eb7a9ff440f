// A request before its response: the client's address, headers that are passed on, and requests that the transport refuses itself.
import { STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import { isSameSecret } from '../../pipeline/runtime/installation-secret.ts';
import { plainAddress } from '../../pipeline/runtime/plain-address.ts';
import { allowedHeaders } from '../../pipeline/runtime/preflight.ts';
import { limits } from '../../schemas/limits/index.ts';
import { ADDRESS_HEADER, HOP_HEADER } from '../../schemas/push.ts';
import { PAGE_HEADER } from '../../schemas/tiers.ts';
import type { Opening, Refusal } from './transport.ts';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const RETRY_AFTER_S = 1;
const ALLOW = 'GET, OPTIONS';
/** Headers of every response. Without credentials: pages of any origin may read the streams. No browser guesses the type of a response. */
export const COMMON_HEADERS = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
const PREFLIGHT_CACHE_S = 86_400;

export interface Request {
  readonly kind: Opening['kind'];
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the connection's other end. */
  readonly address: string;
}

/** A request as the hub gets it. */
export function openingOf(request: Request, hop: string | null): Omit<Opening, 'socket'> {
  const { [HOP_HEADER]: secret, [ADDRESS_HEADER]: reported, ...headers } = request.headers;
  const isHop = hop !== null && secret !== undefined && isSameSecret(secret, hop) && reported !== undefined && isIP(reported) !== 0;
  return {
    kind: request.kind,
    address: plainAddress(isHop ? reported : request.address),
    url: request.url,
    headers,
    protocols: request.kind === 'websocket' ? protocolsOf(headers['sec-websocket-protocol']) : [],
  };
}

/** A refusal by the transport itself, or null. */
export function refusalOf({ kind, method, url, headers }: Request): Refusal | null {
  if (url.length > limits.urlBytesMax) return plainRefusal(414);
  if (method === 'OPTIONS') return { status: 200, headers: preflightHeaders(headers['access-control-request-headers']), body: '' };
  if (method === 'HEAD') return { ...plainRefusal(405, { allow: ALLOW }), body: '' };
  if (method !== 'GET') return plainRefusal(405, { allow: ALLOW });
  if (kind === 'events') return null;
  if (headers['sec-websocket-version'] !== '13') return plainRefusal(426, { 'sec-websocket-version': '13', upgrade: 'websocket' });
  return KEY.test(headers['sec-websocket-key'] ?? '') ? null : plainRefusal(400);
}

export function plainRefusal(status: number, headers: Readonly<Record<string, string>> = {}): Refusal {
  const retry = status === 503 ? { 'retry-after': String(RETRY_AFTER_S) } : {};
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...COMMON_HEADERS, ...retry, ...headers },
    body: `${STATUS_CODES[status]}\n`,
  };
}

/** Header fields of a response, without those that the adapter sets. Line breaks would let a value add further fields. */
export function responseHeaders({ headers }: Pick<Refusal, 'headers'>): [string, string][] {
  return Object.entries(headers)
    .filter(([name]) => !/^(connection|content-length|transfer-encoding|date)$/i.test(name))
    .map(([name, value]) => [name, value.replace(/[\r\n]+/g, ' ')]);
}

/** A page of another origin that sends headers of its own asks first. */
function preflightHeaders(requested: string | undefined): Readonly<Record<string, string>> {
  return {
    allow: ALLOW,
    ...COMMON_HEADERS,
    'access-control-allow-methods': ALLOW,
    'access-control-allow-headers': allowedHeaders(requested, 'Authorization, Last-Event-ID', PAGE_HEADER),
    'access-control-max-age': String(PREFLIGHT_CACHE_S),
  };
}

/** The headers of an event stream. */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  ...COMMON_HEADERS,
  // Proxies of the nginx kind would collect the stream otherwise.
  'x-accel-buffering': 'no',
};

function protocolsOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => PROTOCOL.test(name)))];
}
