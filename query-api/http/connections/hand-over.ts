// Hands connections over to the push port as raw bytes: the request with the client's address in front of its headers, and then whatever comes.
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { ADDRESS_HEADER, EVENTS_PATH, HOP_HEADER, SNAPSHOT_PATH, socketPaths } from '../../../schemas/push.ts';
import { QueryError } from '../../queries/errors.ts';
import { connectionOf } from './connection.ts';
import { endWithProblem } from './socket-errors.ts';

/** Where connections go. */
export interface Upstream {
  /** If the first does not respond, the next is tried. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** Secret that they share with this process. */
  readonly hop: string;
}

/** How the response to an upgrade begins that is granted. */
const SWITCHED = 'HTTP/1.1 101';
/** Time to the first byte of the response: the push port gives up before. */
const RESPONSE_MS = limits.pushHandshakeMsMax + limits.pushOpeningMsMax;

export class HandOver {
  /** Connections handed over at a time. */
  readonly connectionsMax: number;
  /** Called for each connection. An error is the reason of a 503. */
  upstream: () => Promise<Upstream>;
  /** Connections that are handed over now. */
  open = 0;
  total = 0;
  /** Requests that ended without a stream. */
  readonly refused = { limit: 0, unavailable: 0, pipelined: 0 };

  constructor(connectionsMax: number, upstream = async (): Promise<Upstream> => ({ addresses: [], hop: '' })) {
    this.connectionsMax = connectionsMax;
    this.upstream = upstream;
  }

  /** Takes a connection that a server has let go of, with the request and the bytes behind it: a listener of `upgrade`. */
  readonly receive = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    socket.on('error', ignore);
    // A stream may be silent. The guard ends it if its client takes none of the queued bytes.
    socket.setTimeout(0);
    const connection = connectionOf(socket);
    if (connection?.isIdle === false) {
      // Earlier requests wait for their responses. No real client pipelines a stream behind them.
      this.refused.pipelined += 1;
      socket.destroy();
    } else if (connection?.isRefused === true || this.open >= this.connectionsMax) {
      this.refused.limit += 1;
      endWithProblem(new QueryError('api.too_many_connections', { limit: this.connectionsMax }), socket);
    } else {
      this.open += 1;
      this.total += 1;
      if (connection !== undefined) connection.isHandedOver = true;
      socket.once('close', () => {
        this.open -= 1;
      });
      void this.bridge(socket, request, head);
    }
  };

  private async bridge(socket: Socket, request: IncomingMessage, head: Buffer): Promise<void> {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const address = socket.remoteAddress ?? '';
    const late = setTimeout(() => this.fail(socket, 'no response in time'), RESPONSE_MS);
    socket.once('close', () => clearTimeout(late));
    let upstream: Socket;
    try {
      const { addresses, hop } = await this.upstream();
      upstream = await connectToAny(addresses);
      upstream.on('error', ignore);
      upstream.write(requestHead(request, hop, address, isWebSocket), 'latin1');
    } catch (error) {
      clearTimeout(late);
      this.fail(socket, (error as Error).message);
      return;
    }
    if (socket.destroyed || socket.writableEnded) {
      upstream.destroy();
      return;
    }
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      if (upstream.bytesRead === 0) this.fail(socket, 'the push port ended the connection');
      // Otherwise the client may take its time for the last bytes.
      else if (!socket.writableEnded) socket.destroy();
    });
    upstream.once('data', (first: Buffer) => {
      clearTimeout(late);
      socket.write(first);
      upstream.pipe(socket);
      if (isWebSocket && first.toString('latin1', 0, SWITCHED.length) === SWITCHED) {
        if (head.length > 0) upstream.write(head);
        socket.pipe(upstream);
      } else ignoreRest(socket, upstream, head.length);
    });
  }

  private fail(socket: Socket, detail: string): void {
    if (socket.destroyed || socket.writableEnded) return;
    this.refused.unavailable += 1;
    endWithProblem(new QueryError('push.unavailable', { detail }), socket);
  }
}

const streamPaths: ReadonlySet<string> = new Set([...socketPaths, EVENTS_PATH, SNAPSHOT_PATH]);

/** A request that the HTTP port hands over. */
export function isForStreams(method: string, url: string): boolean {
  if (method !== 'GET' || !(url.startsWith('/v2/s') || url.startsWith('/v2/ws') || url.startsWith('/ws'))) return false;
  const end = url.indexOf('?');
  return streamPaths.has(end < 0 ? url : url.slice(0, end));
}

/**
 * Requests of a server, as its option `IncomingMessage`: for those that `takes` wants, the server stops parsing behind the headers and emits `upgrade` with the
 * raw connection, whether the client asks for an upgrade or not. All others are ordinary, also if the client asks for HTTP/2, as curl and Java do.
 */
export function rawRequests(takes: (method: string, url: string) => boolean): typeof IncomingMessage {
  return class extends IncomingMessage {
    /** Node's parser sets it, and decides by it when the headers are complete. */
    get upgrade(): boolean {
      return this.method === 'CONNECT' || takes(this.method ?? '', this.url ?? '');
    }

    set upgrade(_: boolean | null) {}
  };
}

/** The received head, without the client's own copies of the two headers that the push port trusts. The connection carries one request: it ends with its response. */
function requestHead(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  hop: string,
  address: string,
  isWebSocket: boolean,
): string {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n${HOP_HEADER}: ${hop}\r\n${ADDRESS_HEADER}: ${address}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (name === HOP_HEADER || name === ADDRESS_HEADER || (name === 'connection' && !isWebSocket)) continue;
    text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  }
  return `${text}${isWebSocket ? '' : 'Connection: close\r\n'}\r\n`;
}

/** Drops the bytes that a client sends behind a request without an upgrade: for the push port they would be a request of this process. */
function ignoreRest(socket: Socket, upstream: Socket, headBytes: number): void {
  let ignoredBytes = headBytes;
  socket.on('data', ({ length }: Buffer) => {
    ignoredBytes += length;
    if (ignoredBytes > limits.pushMessageBytesMax) socket.destroy();
  });
  socket.once('end', () => upstream.destroy());
}

async function connectToAny(addresses: Upstream['addresses']): Promise<Socket> {
  let failure: unknown = new Error('they start');
  for (const { host, port } of addresses) {
    const socket = connect({ host, port, noDelay: true });
    const late = setTimeout(() => socket.destroy(new Error('no response')), limits.handOverConnectMsMax);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (cause) {
      failure = new SquitterError('connect.failed', { address: `${host}:${port}`, detail: (cause as Error).message }, cause);
    } finally {
      clearTimeout(late);
    }
  }
  throw failure;
}

function ignore(): void {}
