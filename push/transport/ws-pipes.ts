// Connections of node:http as pipes: WebSocket by `ws`, event streams as plain bytes until the connection ends.
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import * as wsModule from 'ws';
import { limits } from '../../schemas/limits/index.ts';
import type { BodyHead, Outgoing, Pipe, PipeEvents } from './pipe.ts';
import { eventStreamHeaders, responseHeaders } from './request.ts';
import type { Refusal } from './transport.ts';

/** Exported by the package, missing in its types. */
const { Sender } = wsModule as unknown as {
  readonly Sender: {
    frame(data: Buffer, options: { fin: boolean; opcode: number; rsv1: boolean; mask: boolean; readOnly: boolean }): Buffer[];
  };
};
const TEXT = 1;
const BINARY = 2;
const ABNORMAL = 1006;
const COMMENT = Buffer.from(':\n\n');
/** Close codes of errors that `ws` finds in what a client sends; 1002 for all others. */
const ERROR_CODES: Readonly<Record<string, number>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
  WS_ERR_INVALID_UTF8: 1007,
};

/** Common part of both kinds of stream: writes of whole frames, one at a time, and the response that refuses. */
abstract class SocketPipe implements Pipe {
  readonly net: NetSocket;
  table: PipeEvents | null = null;
  #inFlightBytes = 0;
  #writes = 0;

  constructor(net: NetSocket) {
    this.net = net;
  }

  abstract accept(protocol: string | null, body: BodyHead | null): void;
  abstract ping(): boolean;
  abstract close(code: number, reason: string): void;
  protected abstract wireOf(outgoing: Outgoing): readonly Uint8Array[];
  protected abstract isWritable(): boolean;

  refuse({ status, headers, body }: Refusal): void {
    const fields = responseHeaders({ headers });
    const length = Buffer.byteLength(body);
    this.net.end(`${responseHead(status, [...fields, ['Content-Length', String(length)]])}${body}`);
    // Also if the client never closes its half.
    this.net.once('finish', () => this.net.destroy());
  }

  write(outgoing: Outgoing): number {
    if (this.#inFlightBytes > 0) return -1;
    const { length } = outgoing.bytes;
    if (!this.isWritable()) return length;
    const wire = this.wireOf(outgoing);
    this.#writes++;
    if (wire.length === 1) this.net.write(wire[0]!, this.#written);
    else {
      this.net.cork();
      for (const part of wire.slice(0, -1)) this.net.write(part);
      this.net.write(wire.at(-1)!, this.#written);
      this.net.uncork();
    }
    // The kernel took all of it, or node keeps a reference to the rest.
    if (this.net.writableLength > 0) this.#inFlightBytes = length;
    return length;
  }

  buffered(): number {
    if (this.#inFlightBytes === 0) return 0;
    // `writableLength` changes only after a whole write.
    const { _handle } = this.net as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
    return Math.min(this.#inFlightBytes, _handle?.writeQueueSize ?? this.#inFlightBytes);
  }

  destroy(): void {
    this.net.destroy();
  }

  readonly #written = (): void => {
    if (--this.#writes > 0 || this.#inFlightBytes === 0) return;
    this.#inFlightBytes = 0;
    this.table?.writable();
  };
}

/** A connection before its upgrade and then a WebSocket. */
export class WebSocketPipe extends SocketPipe {
  readonly #request: IncomingMessage;
  readonly #server: wsModule.WebSocketServer;
  /** Bytes that the client sent before it had its response. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #socket: wsModule.WebSocket | null = null;

  constructor(request: IncomingMessage, net: NetSocket, head: Buffer, server: wsModule.WebSocketServer) {
    super(net);
    this.#request = request;
    this.#server = server;
    // Reading is how one learns that a client has left.
    net.on('data', this.#onEarly);
    net.on('end', this.#onEarlyEnd);
    net.on('close', this.#onEarlyClose);
    net.on('error', ignore);
    if (head.length > 0) this.#onEarly(head);
  }

  accept(protocol: string | null): void {
    this.net.off('data', this.#onEarly).off('end', this.#onEarlyEnd).off('close', this.#onEarlyClose);
    const head = Buffer.concat(this.#early);
    this.#early = [];
    if (protocol === null) delete this.#request.headers['sec-websocket-protocol'];
    else this.#request.headers['sec-websocket-protocol'] = protocol;
    let isOpen = false;
    // `ws` calls back at once; without, the client has left meanwhile.
    this.#server.handleUpgrade(this.#request, this.net, head, (socket) => {
      isOpen = true;
      this.#open(socket);
    });
    if (!isOpen) {
      this.net.destroy();
      setImmediate(this.#onEarlyClose);
    }
  }

  ping(): boolean {
    if (this.isWritable()) this.#socket!.ping(ignore);
    return true;
  }

  close(code: number, reason: string): void {
    this.#socket?.close(code, reason);
  }

  protected isWritable(): boolean {
    return this.#socket?.readyState === wsModule.WebSocket.OPEN;
  }

  protected wireOf(outgoing: Outgoing): readonly Uint8Array[] {
    outgoing.wire ??= framed(outgoing);
    return outgoing.wire;
  }

  #open(socket: wsModule.WebSocket): void {
    const table = this.table!;
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) table.violated(1003, 'text messages only');
      else table.received(data.toString());
    });
    socket.on('ping', (data: Buffer) => {
      table.received(null);
      // A client that pings and never reads collects nothing here.
      if (this.isWritable() && this.net.writableLength < limits.pushMessageBytesMax) socket.pong(data, false, ignore);
    });
    socket.on('pong', () => table.received(null));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('WS_ERR_')) table.closing(ERROR_CODES[error.code] ?? 1002);
    });
    socket.on('close', (code: number) => table.gone(code));
    // A client that closes its half without a close frame reads nothing any more, either.
    this.net.once('end', () => {
      if (this.isWritable()) this.net.destroy();
    });
  }

  readonly #onEarly = (bytes: Buffer): void => {
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > limits.pushMessageBytesMax) this.net.destroy();
    else this.#early.push(bytes);
  };

  readonly #onEarlyEnd = (): void => {
    this.net.destroy();
  };

  readonly #onEarlyClose = (): void => {
    this.table?.gone(ABNORMAL);
  };
}

/** An event stream. Its body ends with the connection, so that frames need no further framing. */
export class EventsPipe extends SocketPipe {
  constructor(net: NetSocket) {
    super(net);
    net.on('end', () => net.destroy());
    net.on('close', () => this.table?.gone(ABNORMAL));
    net.on('error', ignore);
  }

  accept(_protocol: null, body: BodyHead | null): void {
    this.net.setNoDelay(true);
    const fields =
      body === null ? Object.entries(eventStreamHeaders) : [...responseHeaders(body), ['Content-Length', `${body.length}`] as const];
    this.net.write(responseHead(200, fields));
  }

  ping(): boolean {
    if (this.net.writable && this.net.writableLength === 0) this.net.write(COMMENT);
    return false;
  }

  close(): void {
    this.net.end();
  }

  protected isWritable(): boolean {
    return this.net.writable;
  }

  protected wireOf({ bytes }: Outgoing): readonly Uint8Array[] {
    return [bytes];
  }
}

export function responseHead(status: number, fields: readonly (readonly [string, string])[]): string {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nConnection: close\r\nDate: ${new Date().toUTCString()}\r\n${lines.join('')}\r\n`;
}

/** Header and payload: of a small frame in one piece, made once; a large one is not copied. */
function framed({ bytes, isBinary }: Outgoing): readonly Uint8Array[] {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts = Sender.frame(data, { fin: true, opcode: isBinary ? BINARY : TEXT, rsv1: false, mask: false, readOnly: true });
  return data.length <= limits.pushFragmentBytes ? [Buffer.concat(parts)] : parts;
}

function ignore(): void {}
