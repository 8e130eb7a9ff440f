// A request of ClickHouse's HTTP interface: statement, parameters, settings, database, id.

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { limits } from '../../schemas/limits/index.ts';
import { errors } from './engine-error.ts';
import { withParameters } from './parameters.ts';
import { parse, type Settings, type Statement } from './statement.ts';

export interface StoreQuery {
  readonly statement: Statement;
  readonly settings: Settings;
  readonly database: string;
  readonly id: string;
  /** For results of statements that name none. */
  readonly format: string;
  /** The rows of an insert. */
  readonly body: Readable;
  /** The response begins when the result is whole: `wait_end_of_query`. */
  readonly whole: boolean;
}

/** Parameters of the address that are no settings of the engine: ClickHouse's HTTP server takes them itself. */
const OF_HTTP = new Set([
  ...['query', 'database', 'query_id', 'default_format', 'user', 'password', 'role', 'session_id', 'session_timeout', 'session_check'],
  ...['wait_end_of_query', 'buffer_size', 'compress', 'decompress', 'enable_http_compression', 'http_zlib_compression_level'],
  ...['send_progress_in_http_headers', 'http_headers_progress_interval_ms', 'http_response_buffer_size', 'add_http_cors_header'],
  ...['cancel_http_readonly_queries_on_client_close', 'http_write_exception_in_output_format', 'close_session', 'quota_key'],
]);
const ID = /^[\w.:-]{1,100}$/;

/** The id that a request names; null for none, or one that is none. */
export function idOf({ searchParams }: URL): string | null {
  const id = searchParams.get('query_id') ?? '';
  return ID.test(id) ? id : null;
}

/** Errors: those of parsing; 164 for a GET that writes; 48 for a compressed body. */
export async function readQuery(request: IncomingMessage, url: URL, newId: () => string): Promise<StoreQuery> {
  const { searchParams } = url;
  const encoding = headerOf(request, 'content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw errors.notImplemented(`Content-Encoding ${encoding}`);
  const given = new Map<string, string>();
  const settings = new Map<string, string>();
  for (const [name, value] of searchParams) {
    if (name.startsWith('param_')) given.set(name.slice('param_'.length), value);
    else if (!OF_HTTP.has(name)) settings.set(name, value);
  }
  if (searchParams.has('session_id')) throw errors.notImplemented('Sessions over HTTP');
  const inAddress = searchParams.get('query');
  const statement =
    inAddress !== null && isInsertOfBody(inAddress)
      ? parse(withParameters(inAddress, given))
      : parse(withParameters([inAddress, await textOf(request)].filter((text) => text !== null && text !== '').join('\n'), given));
  if (request.method !== 'POST' && statement.kind !== 'read') throw errors.readOnly();
  return {
    ...{ statement, settings, body: request },
    database: searchParams.get('database') ?? headerOf(request, 'x-clickhouse-database') ?? 'default',
    id: idOf(url) ?? newId(),
    format: searchParams.get('default_format') ?? headerOf(request, 'x-clickhouse-format') ?? 'TabSeparated',
    whole: searchParams.get('wait_end_of_query') === '1',
  };
}

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function isInsertOfBody(sql: string): boolean {
  return /^\s*INSERT\b/i.test(sql) && parse(sql.replaceAll(/\{\w+\s*:\s*Identifier\s*\}/g, 'x')).kind === 'insert';
}

async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limits.storeStatementBytesMax) throw errors.tooLarge(limits.storeStatementBytesMax);
  }
  return Buffer.concat(chunks).toString('utf8');
}
