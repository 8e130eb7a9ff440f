// Connections of uWebSockets.js as pipes. It copies what the kernel does not take at once, so it gets one fragment at a time and holds at most one per socket.
import { STATUS_CODES } from 'node:http';
import { limits } from '../../schemas/limits/index.ts';
import type { BodyHead, Outgoing, Pipe, PipeEvents } from './pipe.ts';
import { eventStreamHeaders, type Request, responseHeaders } from './request.ts';
import type { Refusal } from './transport.ts';
import type { UwsResponse, UwsSocket } from './uws-native.ts';

const ABNORMAL = 1006;
const COMMENT = ':\n\n';
/** Clients close the connection after a body or the end of events; uWebSockets.js does it after 12 s. */
const CLOSES = ['Connection', 'close'] as const;
/** While the kernel takes less than it gets, an event stream is tried with pieces that are smaller than what a writable socket takes. */
const PROBE_BYTES = 4096;

/** Common part of both kinds of stream: an HTTP response that waits, which is gone once it is answered or aborted. */
abstract class UwsPipe implements Pipe {
  table: PipeEvents | null = null;
  /** Null when there is none any more: uWebSockets.js throws at any use. */
  protected response: UwsResponse | null;
  /** The client closes after the response, and said so. */
  readonly #isLast: boolean;

  constructor(response: UwsResponse, headers: Request['headers']) {
    this.response = response;
    this.#isLast = headers['connection']?.toLowerCase() === 'close';
    response.onAborted(() => {
      this.response = null;
      this.table?.gone(ABNORMAL);
    });
  }

  abstract accept(protocol: string | null, body: BodyHead | null): void;
  abstract write(outgoing: Outgoing, offset: number): number;
  abstract buffered(): number;
  abstract ping(): boolean;
  abstract close(code: number, reason: string): void;

  refuse({ status, headers, body }: Refusal): void {
    const { response } = this;
    this.response = null;
    // uWebSockets.js writes `Connection: close` only for a client that did not send it. The HTTP port sends it, and the response needs it, too.
    response?.cork(() => {
      writeHead(response, status, [...responseHeaders({ headers }), ...(this.#isLast ? [CLOSES] : [])]);
      response.end(body, true);
    });
    // The caller may be in the middle of its own work with this socket.
    setImmediate(() => this.table?.gone(ABNORMAL));
  }

  destroy(): void {
    this.response?.close();
  }
}

/** Data to upgrade a request later, when the request itself is gone. */
export interface Upgrade {
  readonly key: string;
  readonly context: object;
}

export class UwsWebSocketPipe extends UwsPipe {
  readonly #upgrade: Upgrade;
  #socket: UwsSocket | null = null;
  #isEnded = false;
  #isDraining = false;

  constructor(response: UwsResponse, headers: Request['headers'], upgrade: Upgrade) {
    super(response, headers);
    this.#upgrade = upgrade;
  }

  accept(protocol: string | null): void {
    const { response } = this;
    this.response = null;
    // Calls `opened`.
    response?.cork(() => response.upgrade({ pipe: this }, this.#upgrade.key, protocol ?? '', '', this.#upgrade.context));
  }

  opened(socket: UwsSocket): void {
    this.#socket = socket;
  }

  closed(): void {
    this.#socket = null;
  }

  /** A turn later: uWebSockets.js stops waiting for the rest of bytes written in the event itself. */
  drained(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    setImmediate(() => {
      this.#isDraining = false;
      this.table?.writable();
    });
  }

  write({ bytes, isBinary }: Outgoing, offset: number): number {
    const socket = this.#socket;
    if (socket === null) return bytes.length;
    if (socket.getBufferedAmount() > 0) return -1;
    const next = Math.min(bytes.length, offset + limits.pushFragmentBytes);
    if (offset === 0 && next === bytes.length) socket.send(bytes, isBinary);
    else if (offset === 0) socket.sendFirstFragment(bytes.subarray(0, next), isBinary);
    else if (next < bytes.length) socket.sendFragment(bytes.subarray(offset, next));
    else socket.sendLastFragment(bytes.subarray(offset));
    return next;
  }

  buffered(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  ping(): boolean {
    this.#socket?.ping();
    return true;
  }

  close(code: number, reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // Calls `close` of the behavior at once; the caller may be in the middle of its own work with this socket.
    setImmediate(() => this.#socket?.end(code, reason));
  }

  override destroy(): void {
    super.destroy();
    this.#socket?.close();
  }
}

export class UwsEventsPipe extends UwsPipe {
  /** Size of the last piece if it did not fit into the kernel. */
  #bufferedBytes = 0;
  #pieceBytes: number = limits.pushFragmentBytes;
  /** Length of a body; null for events. */
  #bodyBytes: number | null = null;
  /** The kernel did not take all that was left of a body. */
  #isFull = false;

  accept(_protocol: null, body: BodyHead | null): void {
    const { response } = this;
    this.#bodyBytes = body?.length ?? null;
    response?.cork(() => {
      writeHead(response, 200, [...(body === null ? Object.entries(eventStreamHeaders) : responseHeaders(body)), CLOSES]);
      // The first write sends the headers.
      if (body === null) response.write(COMMENT);
    });
    // Called before the kernel gets what is buffered here: whether it took that is known after the next piece.
    response?.onWritable(() => {
      setImmediate(() => {
        this.#bufferedBytes = 0;
        this.#isFull = false;
        this.table?.writable();
      });
      return true;
    });
  }

  write({ bytes }: Outgoing, offset: number): number {
    const { response } = this;
    if (response === null) return bytes.length;
    if (this.#bodyBytes !== null) return this.#writeBody(response, bytes, offset);
    if (this.#bufferedBytes > 0) return -1;
    const next = Math.min(bytes.length, offset + this.#pieceBytes);
    if (next === offset) return next;
    let fits = true;
    response.cork(() => {
      fits = response.write(bytes.subarray(offset, next));
    });
    this.#bufferedBytes = fits ? 0 : next - offset;
    this.#pieceBytes = fits ? limits.pushFragmentBytes : PROBE_BYTES;
    return next;
  }

  /** With its length in the head: the end of a body in chunks has the text `Connection: close` in front of its last chunk, which browsers refuse. */
  #writeBody(response: UwsResponse, bytes: Uint8Array, offset: number): number {
    if (this.#isFull) return -1;
    let isDone = false;
    response.cork(() => {
      const [fits, done] = response.tryEnd(bytes.subarray(offset), this.#bodyBytes!);
      this.#isFull = !fits;
      isDone = done;
    });
    if (!isDone) return response.getWriteOffset();
    this.response = null;
    return bytes.length;
  }

  buffered(): number {
    return this.#bufferedBytes;
  }

  ping(): boolean {
    const { response } = this;
    if (this.#bufferedBytes === 0) response?.cork(() => response.write(COMMENT));
    return false;
  }

  close(): void {
    const { response } = this;
    this.response = null;
    // `closesConnection` is not used: it writes a header into the body. The client closes, as the header says; one that does not is ended when it is idle.
    response?.cork(() => response.endWithoutBody(undefined, false));
    setImmediate(() => this.table?.gone(ABNORMAL));
  }
}

function writeHead(response: UwsResponse, status: number, fields: readonly (readonly [string, string])[]): void {
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Unknown'}`);
  for (const [name, value] of fields) response.writeHeader(name, value);
}
