// A request of ClickHouse's HTTP interface, as our client sends it: statement, parameters, settings, database.
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
  /** The rows of an insert. */
  readonly body: Readable;
  /** The response begins when the result is whole: `wait_end_of_query`. */
  readonly whole: boolean;
}

/** Parameters of the address that are no settings of the engine. */
const OF_HTTP = new Set(['query', 'query_id', 'database', 'wait_end_of_query']);

/** The client sends an insert in the address and its rows as the body, every other statement as the body. Errors: those of parsing. */
export async function readQuery(request: IncomingMessage, { searchParams }: URL): Promise<StoreQuery> {
  const parameters = new Map<string, string>();
  const settings = new Map<string, string>();
  for (const [name, value] of searchParams) {
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
    else if (!OF_HTTP.has(name)) settings.set(name, value);
  }
  const sql = searchParams.get('query') ?? (await textOf(request));
  return {
    ...{ statement: parse(withParameters(sql, parameters)), settings, body: request },
    database: searchParams.get('database') ?? 'default',
    whole: searchParams.get('wait_end_of_query') === '1',
  };
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
