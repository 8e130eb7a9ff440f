// The client of the history store: ClickHouse's own, with our errors and limits. A server and the embedded store look the same to it.
import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { historyLimits } from '../../schemas/history-limits.ts';
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
  /** The store gives up after this; default `historyLimits.querySecondsMax`. */
  readonly secondsMax?: number;
  readonly queryId?: string;
}

/** Values of `{name:Type}` in the SQL. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** A body of rows. */
export interface InsertBody {
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
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function historyClient(address: HistoryAddress): HistoryClient {
  const plain = createClient({
    url: address.url,
    username: address.user,
    password: address.password,
    database: address.database,
    application: 'squitter',
    max_open_connections: historyLimits.clientConnectionsMax,
    request_timeout: historyLimits.clientRequestMsMax,
    // Errors are thrown; the client would print them as well.
    log: { level: QUIET },
  });
  return { ...calls(plain), address, plain };
}

const QUIET = 127;

function calls(plain: ClickHouseClient): Omit<HistoryClient, 'address' | 'plain'> {
  const common = (parameters: QueryParameters | undefined, { settings, signal, secondsMax, queryId }: QueryOptions = {}) => ({
    clickhouse_settings: { max_execution_time: secondsMax ?? historyLimits.querySecondsMax, ...settings },
    ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
    ...(queryId === undefined ? {} : { query_id: queryId }),
  });
  return {
    rows: <T>(sql: string, parameters?: QueryParameters, options?: QueryOptions) =>
      mapped(async () => {
        const { clickhouse_settings: settings, ...rest } = common(parameters, options);
        // One thread: a look-up gains nothing from more, and other queries need them. Whole: an error comes instead of rows, never after some.
        const look: ClickHouseSettings = { max_threads: 1, wait_end_of_query: 1, ...settings };
        const result = await plain.query({ query: sql, format: 'JSONEachRow', clickhouse_settings: look, ...rest });
        // One parse for all rows, not one for each. A line feed within a value is escaped.
        const text = (await result.text()).trimEnd();
        return text === '' ? [] : (JSON.parse(`[${text.replaceAll('\n', ',')}]`) as T[]);
      }),
    async *stream<T>(sql: string, parameters?: QueryParameters, options?: QueryOptions) {
      const result = await mapped(() => plain.query({ query: sql, format: 'JSONEachRow', ...common(parameters, options) }));
      try {
        for await (const rows of result.stream()) yield rows.map((row) => row.json() as T);
      } catch (error) {
        throw historyError(error);
      } finally {
        result.close();
      }
    },
    async *bytes(sql, parameters, options) {
      const { stream } = await mapped(() => plain.exec({ query: sql, ...common(parameters, options) }));
      try {
        for await (const chunk of stream) yield chunk as Uint8Array;
      } catch (error) {
        throw historyError(error);
      } finally {
        stream.destroy();
      }
    },
    command: (sql, parameters, options) =>
      mapped(async () => {
        await plain.command({ query: sql, ...common(parameters, options) });
      }),
    insert: ({ table, columns, format, body, token }, options) =>
      mapped(async () => {
        const { clickhouse_settings: settings, ...rest } = common(undefined, options);
        const { stream } = await plain.exec({
          ...rest,
          query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT ${format}`,
          values: Readable.from(body instanceof Uint8Array ? [body] : body, { objectMode: false }),
          clickhouse_settings: { ...settings, ...(token === null ? {} : { insert_deduplication_token: token }) },
        });
        for await (const _ of stream);
      }),
    ping: () =>
      mapped(async () => {
        const result = await plain.ping({ select: true });
        if (!result.success) throw result.error;
      }),
    close: () => plain.close(),
  };
}

async function mapped<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw historyError(error);
  }
}
