// ClickHouse's HTTP interface, as far as `@clickhouse/client` uses it, over the engine in this process.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { isSameSecret } from '../../pipeline/runtime/installation-secret.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Engine, Run } from './engine.ts';
import { engineError, errors } from './engine-error.ts';
import type { Incoming } from './incoming.ts';
import { refuseOutside } from './outside.ts';
import { readQuery, type StoreQuery } from './request.ts';
import { ResultWriter, sendError } from './response.ts';
import { type InsertStatement, insertOfFile, type Settings, settingsText } from './statement.ts';

export interface Access {
  readonly user: string;
  readonly password: string;
}

export interface StoreCounts {
  /** Statements by outcome. */
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Addresses of requests are relative to it. */
const BASE = 'http://store';

/** Formats in which the chunks of a result can be joined. All others are formatted whole. */
const JOINABLE = new Set(['JSONEachRow', 'RowBinary', 'Native']);
const FORMAT = 'TabSeparated';

export interface StoreProtocolOptions {
  readonly engine: Engine;
  /** Table functions of the engine. */
  readonly functions: ReadonlySet<string>;
  readonly incoming: Incoming;
  readonly access: Access;
  /** The reason to refuse inserts; null without one. */
  readonly refusal: () => string | null;
  /** Resolves when a statement that wrote may be confirmed. */
  readonly written: () => Promise<void>;
}

export class StoreProtocol {
  private readonly options: StoreProtocolOptions;
  readonly counts = { done: 0, failed: 0, cancelled: 0 };

  constructor(options: StoreProtocolOptions) {
    this.options = options;
  }

  server(connectionsMax: number): Server {
    const server = createServer(
      {
        keepAliveTimeout: limits.storeIdleMsMax,
        requestTimeout: limits.storeRequestMsMax,
        maxHeaderSize: limits.storeAddressBytesMax,
        noDelay: true,
      },
      (request, response) => void this.handle(request, response),
    );
    server.maxConnections = connectionsMax;
    return server;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    response.on('error', () => {});
    const target = request.url ?? '/';
    if (!URL.canParse(target, BASE)) {
      sendError(response, errors.syntax('the address of the request is not a URL'));
      return;
    }
    const url = new URL(target, BASE);
    if (url.pathname === '/ping') {
      response.writeHead(200).end('Ok.\n');
      return;
    }
    const abort = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) abort.abort();
    });
    try {
      this.authenticate(request);
      await this.run(await readQuery(request, url), response, abort.signal);
      this.counts.done += 1;
    } catch (error) {
      this.counts[abort.signal.aborted ? 'cancelled' : 'failed'] += 1;
      // An unread body would block the connection.
      request.resume();
      if (!response.headersSent && !response.destroyed) sendError(response, engineError(error));
    }
  }

  private authenticate({ headers }: IncomingMessage): void {
    const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? [];
    const { access } = this.options;
    const right = isSameSecret(user, access.user) && isSameSecret(password, access.password);
    if (!right) throw errors.unauthenticated(user.slice(0, 100));
  }

  private async run(
    { statement, settings, database, body, whole }: StoreQuery,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const { engine, functions, written } = this.options;
    const { sql } = statement;
    const id = randomUUID();
    const run = { id, database, signal, sql };
    const out = new ResultWriter(response);
    const all = new Map([...settings, ['log_comment', id]]);
    refuseOutside(sql, functions);
    if (statement.kind !== 'read') {
      const result = await (statement.kind === 'write' ? engine.writeWith(all, run) : this.insert(statement, body, run, all));
      await written();
      return await sendWhole(out, result);
    }
    const format = statement.format ?? FORMAT;
    const streams = statement.isSelect && !whole && JOINABLE.has(format);
    if (!streams && !all.has('max_result_bytes')) all.set('max_result_bytes', String(limits.storeResultBytesMax));
    const read = { ...run, sql: `${sql}\n${settingsText(all)}` };
    if (!streams) return await sendWhole(out, await engine.read(read, format));
    try {
      for await (const chunk of engine.stream(read, format)) {
        await out.write(chunk);
        if (signal.aborted) throw errors.cancelled();
      }
    } catch (error) {
      if (out.started && !signal.aborted) await out.fail(engineError(error));
      throw error;
    }
    await out.end();
  }

  private async insert(statement: InsertStatement, body: Readable, run: Run, settings: Settings): Promise<Uint8Array> {
    const { engine, incoming, refusal } = this.options;
    const reason = refusal();
    if (reason !== null) throw errors.noSpace(reason);
    return await incoming.with(body, (file) => engine.write({ ...run, sql: insertOfFile(statement, file, settings) }));
  }
}

async function sendWhole(out: ResultWriter, bytes: Uint8Array): Promise<void> {
  await out.write(bytes);
  await out.end();
}
