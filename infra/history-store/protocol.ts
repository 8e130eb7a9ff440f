// ClickHouse's HTTP interface, as far as `@clickhouse/client` uses it, over the engine in this process.

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { limits } from '../../schemas/limits/index.ts';
import type { Engine, Run } from './engine.ts';
import { engineError, errors } from './engine-error.ts';
import type { Incoming } from './incoming.ts';
import { refuseOutside } from './outside.ts';
import { headerOf, idOf, readQuery, type StoreQuery } from './request.ts';
import { ResultWriter, sendError } from './response.ts';
import { insertOfFile, settingsText } from './statement.ts';

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
const JOINABLE = new Set([
  ...['JSONEachRow', 'JSONCompactEachRow', 'JSONStringsEachRow', 'JSONCompactStringsEachRow', 'NDJSON', 'JSONLines'],
  ...['TabSeparated', 'TSV', 'TabSeparatedRaw', 'TSVRaw', 'CSV', 'RowBinary', 'Native', 'Null'],
]);

export class StoreProtocol {
  private readonly engine: Engine;
  /** Table functions of the engine. */
  private readonly functions: ReadonlySet<string>;
  private readonly incoming: Incoming;
  private readonly access: Access;
  /** The reason to refuse inserts; null without one. */
  private readonly refusal: () => string | null;
  private readonly running = new Set<string>();
  private readonly counted = { done: 0, failed: 0, cancelled: 0 };

  constructor(engine: Engine, functions: ReadonlySet<string>, incoming: Incoming, access: Access, refusal: () => string | null) {
    this.engine = engine;
    this.functions = functions;
    this.incoming = incoming;
    this.access = access;
    this.refusal = refusal;
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

  counts(): StoreCounts {
    return { ...this.counted };
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    response.on('error', () => {});
    const target = request.url ?? '/';
    if (!URL.canParse(target, BASE)) {
      sendError(response, errors.syntax('the address of the request is not a URL'), '');
      return;
    }
    const url = new URL(target, BASE);
    if (url.pathname === '/ping' || (request.method === 'GET' && url.search === '')) {
      response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' }).end('Ok.\n');
      return;
    }
    let id = idOf(url) ?? '';
    const abort = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) abort.abort();
    });
    try {
      this.authenticate(request);
      const query = await readQuery(request, url, randomUUID);
      id = query.id;
      await this.runOnce(query, response, abort.signal);
      this.counted.done += 1;
    } catch (error) {
      this.counted[abort.signal.aborted ? 'cancelled' : 'failed'] += 1;
      // An unread body would block the connection.
      request.resume();
      if (!response.headersSent && !response.destroyed) sendError(response, engineError(error), id);
    }
  }

  private authenticate(request: IncomingMessage): void {
    const basic = /^Basic (.+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1] ?? '';
    const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? [];
    const right = same(user, this.access.user) && same(password, this.access.password);
    if (!right) throw errors.unauthenticated(user.slice(0, 100));
  }

  private async runOnce(query: StoreQuery, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const { id, database } = query;
    if (this.running.has(id)) throw errors.sameId(id);
    this.running.add(id);
    try {
      await this.run(query, { id, database, signal, sql: '' }, response);
    } finally {
      this.running.delete(id);
    }
  }

  private async run(query: StoreQuery, run: Run, response: ServerResponse): Promise<void> {
    const { statement, id } = query;
    const settings = new Map([...query.settings, ['log_comment', id]]);
    refuseOutside(statement.sql, this.functions);
    if (statement.kind === 'insert') refuseOutside(statement.ownSettings, this.functions);
    if (statement.kind === 'read') {
      const format = statement.format ?? query.format;
      const streams = statement.isSelect && !query.whole && JOINABLE.has(format);
      if (!streams && !settings.has('max_result_bytes')) settings.set('max_result_bytes', String(limits.storeResultBytesMax));
      return await this.read(
        { ...run, sql: `${statement.sql}\n${settingsText(settings)}` },
        format,
        new ResultWriter(response, { id, format }),
        streams,
      );
    }
    const bytes = statement.kind === 'insert' ? await this.insert(query, run, settings) : await this.write(statement.sql, run, settings);
    await sendWhole(new ResultWriter(response, { id, format: query.format }), bytes);
  }

  private async read(run: Run, format: string, out: ResultWriter, canStream: boolean): Promise<void> {
    if (!canStream) return await sendWhole(out, await this.engine.read(run, format));
    try {
      for await (const chunk of this.engine.stream(run, format)) {
        await out.write(chunk);
        if (run.signal.aborted) throw errors.cancelled();
      }
    } catch (error) {
      if (out.started && !run.signal.aborted) await out.fail(engineError(error));
      throw error;
    }
    await out.end();
  }

  private async write(sql: string, run: Run, settings: ReadonlyMap<string, string>) {
    const refusal = /^\s*INSERT\b/i.test(sql) ? this.refusal() : null;
    if (refusal !== null) throw errors.noSpace(refusal);
    return await this.engine.writeWith(settings, { ...run, sql });
  }

  private async insert(query: StoreQuery, run: Run, settings: ReadonlyMap<string, string>) {
    const { statement, body } = query;
    if (statement.kind !== 'insert') throw errors.syntax('not an insert');
    const refusal = this.refusal();
    if (refusal !== null) throw errors.noSpace(refusal);
    return await this.incoming.with(body, (file) => this.engine.write({ ...run, sql: insertOfFile(statement, file, settings) }));
  }
}

async function sendWhole(out: ResultWriter, bytes: Uint8Array): Promise<void> {
  await out.write(bytes);
  await out.end();
}

/** Takes the same time for every wrong text. */
function same(given: string, right: string): boolean {
  const [a, b] = [given, right].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
