// The transport on node:http and `ws`: runs on every platform and version of Node.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket as NetSocket } from 'node:net';
import { WebSocketServer } from 'ws';
import { listenOn } from '../../pipeline/runtime/listening.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Request } from './request.ts';
import { SocketTable } from './socket-table.ts';
import type { Transport, TransportEvents, TransportLimits, TransportOptions } from './transport.ts';
import { EventsPipe, responseHead, WebSocketPipe } from './ws-pipes.ts';

/** Node's errors of a request that is not HTTP, or takes too long, and their responses; 400 for all others. */
const ERROR_STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

export async function openWsTransport(options: TransportOptions, events: TransportEvents): Promise<Transport> {
  const table = new SocketTable(options, events);
  const server = httpServer(table, options.socketsMax);
  const port = await listenOn(server, options).catch(async (error) => {
    await table.closeSockets();
    throw error;
  });
  return table.transport(`ws ${version()}`, port, () => close(server, table));
}

async function close(server: Server, table: SocketTable): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  await table.closeSockets();
  server.closeAllConnections();
  await closed;
}

function httpServer(table: SocketTable, socketsMax: number): Server {
  const server = createServer({ maxHeaderSize: limits.headerBytesMax, ...timeLimits(table.limits) });
  // Also connections that send nothing, or wait for a refusal.
  server.maxConnections = socketsMax + limits.httpConnectionsRefusing;
  for (const event of ['drop', 'error']) server.on(event, () => table.countRefused(0));
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.pushMessageBytesMax,
    autoPong: false,
    ...{ closeTimeout: table.limits.halfClosedMsMax },
  });
  const streaming = new WeakSet<NetSocket>();
  server.on('upgrade', (message: IncomingMessage, net: NetSocket, head: Buffer) => {
    if (message.headers.upgrade?.toLowerCase() === 'websocket') {
      table.open(requestOf(message, 'websocket'), new WebSocketPipe(message, net, head, sockets));
      return;
    }
    // HTTP/2 that a client offers, for example. The parser has let go of the connection.
    net.resume();
    openEvents(message, net);
  });
  server.on('request', (message: IncomingMessage) => {
    // Bytes that a client sends behind its request are ignored.
    if (streaming.has(message.socket)) message.socket.destroy();
    else openEvents(message, message.socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const net = socket as NetSocket;
    if (!net.writable || streaming.has(net)) {
      net.destroy();
      return;
    }
    const status = ERROR_STATUS[error.code ?? ''] ?? 400;
    table.countRefused(status);
    net.end(responseHead(status, []));
    net.once('finish', () => net.destroy());
  });
  function openEvents(message: IncomingMessage, net: NetSocket): void {
    streaming.add(net);
    message.resume();
    table.open(requestOf(message, 'events'), new EventsPipe(net));
  }
  return server;
}

function timeLimits({ pushHandshakeMsMax }: TransportLimits) {
  return {
    headersTimeout: pushHandshakeMsMax,
    requestTimeout: pushHandshakeMsMax,
    connectionsCheckingInterval: Math.ceil(pushHandshakeMsMax / 4),
    keepAliveTimeout: pushHandshakeMsMax,
    noDelay: true,
  };
}

function requestOf(message: IncomingMessage, kind: Request['kind']): Request {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  return { kind, method: message.method ?? '', url: message.url ?? '', headers, address: message.socket.remoteAddress ?? '' };
}

function version(): string {
  const file = createRequire(import.meta.url).resolve('ws/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
