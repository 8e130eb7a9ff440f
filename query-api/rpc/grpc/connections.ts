// Connections of the gRPC port: limits their number and that of their calls, ends calls that stall, and makes closing independent of clients.
import { EventEmitter } from 'node:events';
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { type ListenAddress, listenOn } from '../../../pipeline/runtime/listening.ts';
import { LogLimiter, type WriteLine } from '../../../pipeline/runtime/log-limiter.ts';
import { plainAddress } from '../../../pipeline/runtime/plain-address.ts';
import { limits } from '../../../schemas/limits.ts';
import { QueryError } from '../../queries/errors.ts';
import { failureOf } from '../failures.ts';
import { markRequest } from './compression.ts';
import { statusHeaders } from './status.ts';

/** Why a connection or a call was refused. */
export const grpcRefusals = ['connections', 'calls', 'accept_failed'] as const;
/** Why the service ended a connection or a call. */
export const grpcEndings = ['no_progress', 'request_timeout', 'slow', 'half_closed', 'resets', 'gave_way', 'shutdown'] as const;
export type GrpcEnding = (typeof grpcEndings)[number];

export interface ConnectionOptions {
  /** Maximum number of connections. */
  readonly connectionsMax?: number;
  /** Maximum number of calls of all connections. */
  readonly callsMax?: number;
  readonly log?: WriteLine;
  /** Called at the end of a call: path, `grpc-status` (null without one: the client cancelled it), duration in ms. */
  readonly onEnd?: (path: string, status: number | null, durationMs: number) => void;
  /** Called with an error of the library. */
  readonly onFault?: (error: unknown) => void;
  /** Ms of a steady clock. */
  readonly nowMs?: () => number;
}

interface Call {
  readonly stream: ServerHttp2Stream;
  readonly startMs: number;
  /** Refused: it has its response, and does not count. */
  readonly isRefused: boolean;
  unsentBytes: number;
  /** The last change of `unsentBytes`. */
  progressMs: number;
  /** When the response was seen to be whole while the request was not; 0 before. */
  respondedMs: number;
}

interface Client {
  readonly session: ServerHttp2Session;
  readonly socket: Socket;
  readonly calls: Set<Call>;
  /** Without calls since then. */
  idleSinceMs: number;
  /** Calls without a status since the last sweep: the client cancelled them. */
  resets: number;
}

const RETRY_AFTER_S = 1;
const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants;

/** From this share of the calls on, the limits of time are short. */
const PRESSED_FROM = 0.75;

export class GrpcConnections {
  /** Emits `session` and `stream` as an HTTP/2 server does, for admitted calls only: a gRPC library listens here. */
  readonly admitted = new EventEmitter();
  readonly connectionsMax: number;
  readonly callsMax: number;
  /** Calls now. */
  calls = 0;
  readonly refused: Record<(typeof grpcRefusals)[number], number> = { connections: 0, calls: 0, accept_failed: 0 };
  readonly ended: Record<GrpcEnding, number> = {
    no_progress: 0,
    request_timeout: 0,
    slow: 0,
    half_closed: 0,
    resets: 0,
    gave_way: 0,
    shutdown: 0,
  };
  private readonly server: Server;
  private readonly http2: Http2Server;
  /** The connection that becomes a session now. */
  private accepting: Socket | null = null;
  private readonly clients = new Map<ServerHttp2Session, Client>();
  /** Idle clients that may be closed, the longest idle last; collected at most once per sweep. */
  private idle: Client[] | null = null;
  private readonly lines: LogLimiter;
  private readonly onEnd: NonNullable<ConnectionOptions['onEnd']>;
  private readonly onFault: (error: unknown) => void;
  private readonly nowMs: () => number;
  private readonly sweeping: NodeJS.Timeout;

  constructor(options: ConnectionOptions = {}) {
    this.connectionsMax = options.connectionsMax ?? limits.grpcConnectionsMax;
    this.callsMax = options.callsMax ?? limits.grpcCallsMax;
    this.lines = new LogLimiter(options.log ?? (() => {}));
    this.onEnd = options.onEnd ?? (() => {});
    this.onFault = options.onFault ?? (() => {});
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.http2 = createHttp2Server({
      settings: { maxConcurrentStreams: limits.grpcCallsPerConnectionMax, maxHeaderListSize: limits.headerBytesMax, enablePush: false },
    });
    this.http2.on('session', (session) => this.addClient(session));
    this.http2.on('stream', (stream, headers, flags) => this.begin(stream, headers, flags));
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
    this.sweeping = setInterval(() => this.sweep(), limits.httpSweepMs);
    this.sweeping.unref();
  }

  /** Listens, and returns the port. Errors: `listen.port_in_use`, `listen.failed`. */
  async listen(address: ListenAddress): Promise<number> {
    const port = await listenOn(this.server, address);
    this.server.on('error', (error) => {
      this.refused.accept_failed += 1;
      this.lines.line('error', { error: error.message }, 'a gRPC connection could not be accepted');
    });
    return port;
  }

  get open(): number {
    return this.clients.size;
  }

  /** Bytes of responses that clients have not taken. */
  queuedBytes(): number {
    let bytes = 0;
    for (const { calls } of this.clients.values()) for (const { stream } of calls) bytes += stream.bufferSize;
    return bytes;
  }

  /** Bytes sent on the connections that are open. */
  bytesWritten(): number {
    let bytes = 0;
    for (const { socket } of this.clients.values()) bytes += socket.bytesWritten;
    return bytes;
  }

  /** Stops listening, lets calls finish for a moment, then ends what is left. */
  async close(waitMs: number = limits.clientsStopMsMax): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const client of this.clients.values()) {
      // Idle clients need not agree.
      if (client.calls.size === 0) this.endClient(client, 'shutdown');
      else client.session.close();
    }
    const late = setTimeout(() => {
      for (const client of this.clients.values()) this.endClient(client, 'shutdown');
    }, waitMs);
    await closed;
    clearTimeout(late);
    clearInterval(this.sweeping);
    this.lines.flush();
  }

  /** Checks all calls. Runs once a second; tests call it directly. */
  sweep(): void {
    const nowMs = this.nowMs();
    const isPressed = this.calls >= this.callsMax * PRESSED_FROM;
    this.idle = null;
    for (const client of this.clients.values()) {
      client.resets = 0;
      for (const call of client.calls) this.check(call, nowMs, isPressed);
    }
  }

  private check(call: Call, nowMs: number, isPressed: boolean): void {
    const { stream } = call;
    const unsentBytes = stream.bufferSize;
    if (unsentBytes === 0 || unsentBytes !== call.unsentBytes) call.progressMs = nowMs;
    call.unsentBytes = unsentBytes;
    const isReceived = stream.readableEnded;
    if (stream.writableEnded && !isReceived && call.respondedMs === 0) call.respondedMs = nowMs;
    if (nowMs - call.progressMs >= (isPressed ? limits.responseStallMsPressed : limits.responseStallMsMax))
      this.endCall(call, 'no_progress');
    else if (call.respondedMs > 0 && nowMs - call.respondedMs >= limits.halfClosedMsMax) this.endCall(call, 'half_closed');
    else if (!isReceived && nowMs - call.startMs >= limits.httpRequestMsMax) this.endCall(call, 'request_timeout');
    else if (isPressed && stream.writableEnded && nowMs - call.startMs >= limits.responseMsPressed) this.endCall(call, 'slow');
  }

  private accept(socket: Socket): void {
    if (this.clients.size < this.connectionsMax || this.makeRoom()) {
      // Emits `session` at once.
      this.accepting = socket;
      this.http2.emit('connection', socket);
      this.accepting = null;
      return;
    }
    this.refused.connections += 1;
    this.lines.line('warn', { connections: this.connectionsMax }, 'a gRPC connection was refused: all are in use');
    socket.destroy();
  }

  private addClient(session: ServerHttp2Session): void {
    const client: Client = { session, socket: this.accepting!, calls: new Set(), idleSinceMs: this.nowMs(), resets: 0 };
    this.clients.set(session, client);
    session.once('close', () => this.clients.delete(session));
    this.admitted.emit('session', session);
  }

  private begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number): void {
    const client = stream.session === undefined ? undefined : this.clients.get(stream.session as ServerHttp2Session);
    if (client === undefined) return;
    const isRefused = this.calls >= this.callsMax;
    const startMs = this.nowMs();
    const call: Call = { stream, startMs, isRefused, unsentBytes: 0, progressMs: startMs, respondedMs: 0 };
    client.calls.add(call);
    if (!isRefused) this.calls += 1;
    stream.once('close', () => this.finish(client, call, headers[':path'] ?? ''));
    if (isRefused) {
      this.refuse(stream);
      return;
    }
    markRequest(headers);
    try {
      this.admitted.emit('stream', stream, headers, flags);
    } catch (error) {
      this.onFault(error);
      stream.close(NGHTTP2_INTERNAL_ERROR);
    }
  }

  private finish(client: Client, call: Call, path: string): void {
    const { stream, startMs, isRefused } = call;
    const nowMs = this.nowMs();
    client.calls.delete(call);
    if (!isRefused) this.calls -= 1;
    if (client.calls.size === 0) client.idleSinceMs = nowMs;
    const status = sentStatus(stream);
    this.onEnd(path, status, nowMs - startMs);
    if (status !== null) return;
    client.resets += 1;
    // nghttp2 notices a flood, too, but Node then keeps the connection until a ping has no response.
    // Later: Node 22 crashes when a session is destroyed while its bytes are parsed and the rest has a new call with data.
    if (client.resets === limits.grpcResetsMax) setImmediate(() => this.endClient(client, 'resets'));
  }

  private refuse(stream: ServerHttp2Stream): void {
    this.refused.calls += 1;
    this.lines.line('warn', { calls: this.callsMax }, 'a gRPC call was refused: all are in use');
    stream.on('error', ignore);
    respond(stream, new QueryError('api.too_many_calls', { limit: this.callsMax }, { retryAfterS: RETRY_AFTER_S }));
  }

  private endCall({ stream }: Call, reason: GrpcEnding): void {
    this.ended[reason] += 1;
    if (reason !== 'half_closed')
      this.lines.line(
        'warn',
        { reason, address: plainAddress(stream.session?.socket?.remoteAddress ?? 'unknown') },
        'a gRPC call was ended',
        reason,
      );
    if (reason === 'request_timeout' && !stream.headersSent) respond(stream, new QueryError('api.request_timeout'));
    stream.close(stream.writableEnded && reason !== 'no_progress' ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
  }

  /** Ends the connection that has been idle longest; false when none is idle long enough. */
  private makeRoom(): boolean {
    if (this.idle === null) {
      const beforeMs = this.nowMs() - limits.httpIdleGivesWayMs;
      this.idle = [...this.clients.values()].filter(({ calls, idleSinceMs }) => calls.size === 0 && idleSinceMs <= beforeMs);
      this.idle.sort((a, b) => b.idleSinceMs - a.idleSinceMs);
    }
    for (let client = this.idle.pop(); client !== undefined; client = this.idle.pop()) {
      if (client.calls.size > 0 || client.socket.destroyed) continue;
      this.endClient(client, 'gave_way');
      return true;
    }
    return false;
  }

  private endClient({ session, socket }: Client, reason: GrpcEnding): void {
    if (!this.clients.has(session)) return;
    this.ended[reason] += 1;
    if (reason === 'resets')
      this.lines.line('warn', { reason, address: plainAddress(socket.remoteAddress ?? 'unknown') }, 'a gRPC connection was ended', reason);
    this.clients.delete(session);
    // It says so to the client, if the client reads.
    session.destroy();
    socket.destroy();
  }
}

/** A response without a message. */
function respond(stream: ServerHttp2Stream, error: QueryError): void {
  const headers: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc+proto', ...statusHeaders(failureOf(error)) };
  stream.respond(headers, { endStream: true });
}

/** `grpc-status` of the response: in its trailers, or in its headers if it has no message. */
function sentStatus({ sentTrailers, sentHeaders }: ServerHttp2Stream): number | null {
  const status = (sentTrailers as OutgoingHttpHeaders | undefined)?.['grpc-status'] ?? sentHeaders?.['grpc-status'];
  return status === undefined ? null : Number(status);
}

function ignore(): void {}
