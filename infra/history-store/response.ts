// Responses of ClickHouse's HTTP interface: headers, chunks, errors before and within a result.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { limits } from '../../schemas/limits/index.ts';
import { type EngineError, statusOf } from './engine-error.ts';

/** The body of a successful response. The head is sent with the first chunk, so that an error before it has a status. */
export class ResultWriter {
  private readonly response: ServerResponse;
  private readonly tag = randomBytes(8).toString('hex');
  private readonly stallMsMax: number;
  started = false;

  constructor(response: ServerResponse, stallMsMax: number = limits.storeStallMsMax) {
    this.response = response;
    this.stallMsMax = stallMsMax;
  }

  /** Resolves when the client has taken enough for more, or is gone. */
  async write(chunk: Uint8Array): Promise<void> {
    this.start();
    const { response } = this;
    if (chunk.length === 0 || response.write(chunk)) return;
    await this.waitForClient((done) => {
      response.once('drain', done);
      return () => response.off('drain', done);
    });
    response.socket?.setTimeout(0);
  }

  async end(): Promise<void> {
    this.start();
    this.response.end();
    if (this.response.writableFinished) return;
    // From then on, Node's own limit for idle connections counts.
    await this.waitForClient((done) => {
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
    await this.waitForClient((done) => {
      this.response.write(text, done);
      return () => {};
    });
    this.response.destroy();
  }

  /** Waits for the client. One that takes nothing for too long is disconnected. `wait` begins to wait and returns what ends it. */
  private async waitForClient(wait: (done: () => void) => () => unknown): Promise<void> {
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
    this.response.writeHead(200, { 'x-clickhouse-exception-tag': this.tag });
  }
}

export function sendError(response: ServerResponse, { code, message }: EngineError): void {
  response.writeHead(statusOf(code), { 'content-type': 'text/plain; charset=UTF-8', 'x-clickhouse-exception-code': code });
  response.end(`${message}\n`);
}
