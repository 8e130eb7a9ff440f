// The transport on uWebSockets.js, where its native code loads. What it cannot do is in the README and in the contract's `differences`.
import { limits } from '../../schemas/limits/index.ts';
import type { Request } from './request.ts';
import { SocketTable } from './socket-table.ts';
import type { Transport, TransportEvents, TransportOptions } from './transport.ts';
import { UwsListener } from './uws-listener.ts';
import type { LoadedUws, UwsApp, UwsBehavior, UwsRequest, UwsResponse, UwsSocket } from './uws-native.ts';
import { UwsEventsPipe, UwsWebSocketPipe } from './uws-pipes.ts';

/** Backup of our own pings, s. It must be over their interval. */
const IDLE_TIMEOUT_S = 120;
/** Reasons of uWebSockets.js for connections that it ended, and the close codes that belong to them. */
const VIOLATIONS: readonly (readonly [RegExp, number])[] = [
  [/too big message/, 1009],
  [/invalid UTF-8/, 1007],
  [/invalid (WebSocket frame|close payload)/, 1002],
];

interface UserData {
  readonly pipe: UwsWebSocketPipe;
}

export async function openUwsTransport(
  { module, version }: LoadedUws,
  options: TransportOptions,
  events: TransportEvents,
): Promise<Transport> {
  const table = new SocketTable(options, events);
  const app = module.App();
  app.ws('/*', behaviorOf(table)).any('/*', (response, request) => {
    const seen = requestOf(request, response, 'events');
    table.open(seen, new UwsEventsPipe(response, seen.headers));
  });
  let listener: UwsListener;
  try {
    listener = await UwsListener.open(module, app, options, table.limits.pushSweepMs);
  } catch (error) {
    await table.closeSockets();
    throw error;
  }
  return table.transport(`uWebSockets.js ${version}`, listener.port, () => close(app, listener, table));
}

async function close(app: UwsApp, listener: UwsListener, table: SocketTable): Promise<void> {
  listener.close();
  await table.closeSockets();
  // Close frames that were just written are sent before the connections end.
  await new Promise((resolve) => setTimeout(resolve, 0));
  app.close();
}

function behaviorOf(table: SocketTable): UwsBehavior {
  const pipeOf = (socket: UwsSocket): UwsWebSocketPipe => (socket.getUserData() as UserData).pipe;
  return {
    // It ends a longer message without a close frame: those up to here get one by us.
    maxPayloadLength: 2 * limits.pushMessageBytesMax,
    // Our own budget decides.
    maxBackpressure: 0,
    idleTimeout: IDLE_TIMEOUT_S,
    sendPingsAutomatically: false,
    upgrade(response, request, context) {
      const seen = requestOf(request, response, 'websocket');
      table.open(seen, new UwsWebSocketPipe(response, seen.headers, { key: seen.headers['sec-websocket-key'] ?? '', context }));
    },
    open: (socket) => pipeOf(socket).opened(socket),
    message(socket, message, isBinary) {
      const events = pipeOf(socket).table!;
      if (isBinary) events.violated(1003, 'text messages only');
      else if (message.byteLength > limits.pushMessageBytesMax) events.violated(1009, 'message too long');
      else events.received(Buffer.from(message).toString());
    },
    drain: (socket) => pipeOf(socket).drained(),
    ping: (socket) => pipeOf(socket).table!.received(null),
    pong: (socket) => pipeOf(socket).table!.received(null),
    close(socket, code, message) {
      const pipe = pipeOf(socket);
      pipe.closed();
      const reason = Buffer.from(message).toString('latin1');
      const violation = code === 1006 ? VIOLATIONS.find(([pattern]) => pattern.test(reason)) : undefined;
      if (violation !== undefined) pipe.table!.closing(violation[1]);
      pipe.table!.gone(code);
    },
  };
}

/** The request is gone when its handler returns: all of it is read here. */
function requestOf(request: UwsRequest, response: UwsResponse, kind: Request['kind']): Request {
  const headers: Record<string, string> = {};
  request.forEach((name, value) => {
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  });
  const query = request.getQuery();
  const url = query === undefined || query === '' ? request.getUrl() : `${request.getUrl()}?${query}`;
  const address = addressText(new Uint8Array(response.getRemoteAddress()));
  return { kind, method: request.getCaseSensitiveMethod().toUpperCase(), url, headers, address };
}

/** The form of node: dotted IPv4, compressed IPv6. */
function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return 'unknown';
  const isMapped = bytes.subarray(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 0xff));
  if (isMapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
