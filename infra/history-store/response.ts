// Responses of ClickHouse's HTTP interface: headers, chunks, errors before and within a result.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createGzip, type Gzip, constants as zlib } from 'node:zlib';
import { historyLimits } from '../../schemas/history-limits.ts';
import type { Outcome } from './engine.ts';
import { type EngineError, statusOf } from './engine-error.ts';

const GZIP_LEVEL = 1;

export interface Head {
  readonly id: string;
  readonly format: string;
  readonly gzip: boolean;
  readonly summary?: Readonly<Record<string, string>>;
}

/** The body of a successful response. The head is sent with the first chunk, so that an error before it has a status. */
export class ResultWriter {
  private readonly response: ServerResponse;
  private readonly head: Head;
  private gzip: Gzip | null = null;
  private readonly tag = randomBytes(8).toString('hex');
  private readonly stallMsMax: number;
  started = false;

  constructor(response: ServerResponse, head: Head, stallMsMax: number = historyLimits.storeStallMsMax) {
    this.response = response;
    this.head = head;
    this.stallMsMax = stallMsMax;
  }

  /** Resolves when the client has taken enough for more, or is gone. */
  async write(chunk: Uint8Array): Promise<void> {
    this.start();
    const out = this.gzip ?? this.response;
    if (chunk.length === 0 || out.write(chunk)) return;
    await this.taken((done) => {
      out.once('drain', done);
      return () => out.off('drain', done);
    });
    this.response.socket?.setTimeout(0);
  }

  async end(): Promise<void> {
    this.start();
    (this.gzip ?? this.response).end();
    if (this.response.writableFinished) return;
    // From then on, Node's own limit for idle connections counts.
    await this.taken((done) => {
      this.response.once('finish', done);
      return () => this.response.off('finish', done);
    });
  }

  /**
   * Reports an error after the first chunk, as ClickHouse 25.11 does, and breaks the connection:
   * a client that does not look for the text must not take the result as whole.
   */
  async fail({ message }: EngineError): Promise<void> {
    const mark = '__exception__';
    const text = `\r\n${mark}\r\n${this.tag}\r\n${message}\n${Buffer.byteLength(message) + 1} ${this.tag}\r\n${mark}\r\n`;
    await this.taken((done) => {
      if (this.gzip === null) this.response.write(text, done);
      else {
        this.gzip.write(text);
        this.gzip.flush(zlib.Z_SYNC_FLUSH, done);
      }
      return () => {};
    });
    this.response.destroy();
  }

  /** Waits for the client. One that takes nothing for too long is disconnected. `wait` begins to wait and returns what ends it. */
  private async taken(wait: (done: () => void) => () => unknown): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    response.socket?.setTimeout(this.stallMsMax);
    await new Promise<void>((resolve) => {
      let stop = (): unknown => undefined;
      const done = (): void => {
        stop();
        response.off('close', done);
        resolve();
      };
      response.once('close', done);
      stop = wait(done);
    });
  }

  private start(): void {
    if (this.started) return;
    this.started = true;
    const { id, format, gzip, summary } = this.head;
    this.response.writeHead(200, {
      'content-type': contentType(format),
      'x-clickhouse-query-id': id,
      'x-clickhouse-format': format,
      'x-clickhouse-timezone': 'UTC',
      'x-clickhouse-exception-tag': this.tag,
      ...(summary === undefined ? {} : { 'x-clickhouse-summary': JSON.stringify(summary) }),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    });
    if (!gzip) return;
    this.gzip = createGzip({ level: GZIP_LEVEL });
    this.gzip.pipe(this.response);
  }
}

export function sendError(response: ServerResponse, error: EngineError, id: string): void {
  const text = `${error.message}\n`;
  response.writeHead(statusOf(error.code), {
    'content-type': 'text/plain; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
    'x-clickhouse-exception-code': error.code,
    'x-clickhouse-query-id': id,
  });
  response.end(text);
}

/** Numbers as ClickHouse reports them with a response. */
export function summaryOf({ rowsRead, bytesRead, elapsedNs }: Outcome, wrote: boolean): Record<string, string> {
  const [rows, bytes] = [String(rowsRead), String(bytesRead)];
  return {
    ...{ read_rows: rows, read_bytes: bytes },
    ...{ written_rows: wrote ? rows : '0', written_bytes: wrote ? bytes : '0' },
    ...{ total_rows_to_read: '0', result_rows: rows, result_bytes: bytes, elapsed_ns: String(elapsedNs) },
  };
}

function contentType(format: string): string {
  if (/^JSON.*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (/^(?:TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=absent';
  return 'application/octet-stream';
}
