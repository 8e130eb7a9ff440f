// The client of the history store: ClickHouse's own, with our errors and limits. A server and the embedded store look the same to it.
import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { historyError } from './errors.ts';

export interface HistoryAddress {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface QueryOptions {
  readonly settings?: ClickHouseSettings;
  readonly signal?: AbortSignal;
  /** The store gives up after this; default `limits.querySecondsMax`. */
  readonly secondsMax?: number;
  /** The client gives up after this, with `history.unreachable`: the store may be frozen. Default: `limits.clientSlackMs` after the store. */
  readonly waitMsMax?: number;
}

/** Values of `{name:Type}` in the SQL. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** A body of rows. */
interface InsertBody {
  readonly table: string;
  readonly columns: readonly string[];
  readonly format: 'Native' | 'RowBinary' | 'JSONEachRow';
  readonly body: Uint8Array | readonly Uint8Array[];
  /** The same token again inserts nothing. */
  readonly token: string | null;
}

/** Errors of all calls: `history.unreachable`, `history.busy`, `history.query_too_long` … (errors.ts). */
export interface HistoryClient {
  readonly address: HistoryAddress;
  /** ClickHouse's client, for what is not here. Its errors go through `historyError`. */
  readonly plain: ClickHouseClient;
  /** All rows of a small result. */
  rows<T>(sql: string, parameters?: QueryParameters, options?: QueryOptions): Promise<T[]>;
  /** Rows in groups, as they arrive. Leaving the loop cancels the query. No scalar subqueries: README.md. */
  stream<T>(sql: string, parameters?: QueryParameters, options?: QueryOptions): AsyncGenerator<T[]>;
  /** The bytes of a result in the format that the SQL names, as they arrive. No scalar subqueries: README.md. */
  bytes(sql: string, parameters?: QueryParameters, options?: QueryOptions): AsyncGenerator<Uint8Array>;
  /** A statement without rows. */
  command(sql: string, parameters?: QueryParameters, options?: QueryOptions): Promise<void>;
  insert(rows: InsertBody, options?: QueryOptions): Promise<void>;
  close(): Promise<void>;
}

export function historyClient(address: HistoryAddress): HistoryClient {
  const plain = createClient({
    url: address.url,
    username: address.user,
    password: address.password,
    database: address.database,
    application: 'squitter',
    max_open_connections: limits.clientConnectionsMax,
    request_timeout: limits.clientRequestMsMax,
    // Errors are thrown; the client would print them as well.
    log: { level: QUIET },
  });
  return { ...calls(plain), address, plain };
}

const QUIET = 127;
const MS = 1000;

function calls(plain: ClickHouseClient): Omit<HistoryClient, 'address' | 'plain'> {
  const common = (parameters: QueryParameters | undefined, { settings, secondsMax }: QueryOptions, abort: AbortSignal) => ({
    clickhouse_settings: { max_execution_time: secondsMax ?? limits.querySecondsMax, ...settings },
    ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
    abort_signal: abort,
  });
  return {
    rows: <T>(sql: string, parameters?: QueryParameters, options: QueryOptions = {}) =>
      within(options, async (limit) => {
        const { clickhouse_settings: settings, ...call } = common(parameters, options, limit.signal);
        // One thread: a look-up gains nothing from more, and other queries need them. Whole: an error comes instead of rows, never after some.
        const wholeResult: ClickHouseSettings = { max_threads: 1, wait_end_of_query: 1, ...settings };
        const result = await plain.query({ query: sql, format: 'JSONEachRow', clickhouse_settings: wholeResult, ...call });
        limit.reading(() => result.close());
        // One parse for all rows, not one for each. A line feed within a value is escaped.
        const text = (await result.text()).trimEnd();
        return text === '' ? [] : (JSON.parse(`[${text.replaceAll('\n', ',')}]`) as T[]);
      }),
    async *stream<T>(sql: string, parameters?: QueryParameters, options: QueryOptions = {}) {
      const limit = new CallLimit(options);
      try {
        const result = await limit.run(() =>
          plain.query({ query: sql, format: 'JSONEachRow', ...common(parameters, options, limit.signal) }),
        );
        limit.reading(() => result.close());
        for await (const rows of result.stream()) yield rows.map((row) => row.json() as T);
      } catch (error) {
        throw limit.error(error);
      } finally {
        limit.end();
      }
    },
    async *bytes(sql, parameters, options = {}) {
      const limit = new CallLimit(options);
      try {
        const { stream } = await limit.run(() => plain.exec({ query: sql, ...common(parameters, options, limit.signal) }));
        limit.reading(() => stream.destroy());
        for await (const chunk of stream) yield chunk as Uint8Array;
      } catch (error) {
        throw limit.error(error);
      } finally {
        limit.end();
      }
    },
    command: (sql, parameters, options = {}) =>
      within(options, async ({ signal }) => {
        await plain.command({ query: sql, ...common(parameters, options, signal) });
      }),
    insert: ({ table, columns, format, body, token }, options = {}) =>
      within(options, async (limit) => {
        const { clickhouse_settings: settings, ...call } = common(undefined, options, limit.signal);
        const { stream } = await plain.exec({
          ...call,
          query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT ${format}`,
          values: Readable.from(body instanceof Uint8Array ? [body] : body, { objectMode: false }),
          clickhouse_settings: { ...settings, ...(token === null ? {} : { insert_deduplication_token: token }) },
        });
        limit.reading(() => stream.destroy());
        for await (const _ of stream);
      }),
    close: () => plain.close(),
  };
}

async function within<T>(options: QueryOptions, call: (limit: CallLimit) => Promise<T>): Promise<T> {
  const limit = new CallLimit(options);
  try {
    return await limit.run(() => call(limit));
  } catch (error) {
    throw limit.error(error);
  } finally {
    limit.end();
  }
}

/**
 * Ends a call when its caller does, or when the store should have answered. ClickHouse's client looks at a signal only until a response begins, and not
 * at all at one that has aborted before.
 */
class CallLimit {
  private readonly ending = new AbortController();
  private readonly caller: AbortSignal | undefined;
  private readonly waitMsMax: number;
  private readonly timer: NodeJS.Timeout;
  private isLate = false;
  /** Ends the response. */
  private close: () => unknown = () => {};
  private readonly abort = (): void => {
    this.ending.abort();
    this.close();
  };

  constructor({ signal, secondsMax = limits.querySecondsMax, waitMsMax }: QueryOptions) {
    this.caller = signal;
    this.waitMsMax = waitMsMax ?? MS * secondsMax + limits.clientSlackMs;
    this.timer = setTimeout(() => {
      this.isLate = true;
      this.abort();
    }, this.waitMsMax);
    signal?.addEventListener('abort', this.abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.caller?.aborted === true) throw new Error('the caller has given up');
    return await call();
  }

  /** The response has begun. */
  reading(close: () => unknown): void {
    this.close = close;
    if (this.ending.signal.aborted) close();
  }

  error(error: unknown): SquitterError {
    if (error instanceof SquitterError) return error;
    if (this.isLate) return new SquitterError('history.unreachable', { detail: `no response within ${this.waitMsMax / MS} s` });
    if (this.caller?.aborted === true) return new SquitterError('history.cancelled', { detail: 'the caller has given up' });
    return historyError(error);
  }

  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.abort);
    this.close();
  }
}
