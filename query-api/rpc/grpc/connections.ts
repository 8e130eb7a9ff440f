// Connections of the gRPC port: limits their number and that of their calls, ends calls that stall, and makes closing independent of clients.
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { type ListenAddress, listenOn } from '../../../pipeline/runtime/listening.ts';
import { LogLimiter, type WriteLine } from '../../../pipeline/runtime/log-limiter.ts';
import { plainAddress } from '../../../pipeline/runtime/plain-address.ts';
import type { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { QueryError } from '../../queries/errors.ts';

/** Why a connection or a call was refused. */
export const grpcRefusals = ['connections', 'calls', 'accept_failed'] as const;
/** Why the service ended a connection or a call. */
export const grpcEndings = ['no_progress', 'request_timeout', 'half_closed', 'resets', 'gave_way', 'shutdown'] as const;
export type GrpcEnding = (typeof grpcEndings)[number];

export interface ConnectionOptions {
  /** Maximum number of connections. */
  readonly connectionsMax?: number | undefined;
  /** Maximum number of calls of all connections. */
  readonly callsMax?: number | undefined;
  readonly log: WriteLine;
  readonly handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  /** Responds with an error and nothing else. */
  readonly refuse: (request: Http2ServerRequest, error: SquitterError) => void;
  /** Ms of a steady clock. */
  readonly nowMs?: (() => number) | undefined;
}

interface Call {
  readonly request: Http2ServerRequest;
  readonly stream: ServerHttp2Stream;
  /** What the client is late with, if this lasts; since when, and bytes not taken then. */
  owes: 'no_progress' | 'request_timeout' | 'half_closed' | null;
  sinceMs: number;
  unsentBytes: number;
}

interface Client {
  readonly session: ServerHttp2Session;
  readonly socket: Socket;
  readonly calls: Set<Call>;
  /** Without calls since then. */
  idleSinceMs: number;
  /** Calls that the client cancelled lately. */
  resets: number;
}

const RETRY_AFTER_S = 1;
/** From this share of the calls on, a stalled response ends sooner. */
const PRESSED_FROM = 0.75;

export class GrpcConnections {
  readonly connectionsMax: number;
  readonly callsMax: number;
  /** Calls now. */
  calls = 0;
  readonly refused: Record<(typeof grpcRefusals)[number], number> = { connections: 0, calls: 0, accept_failed: 0 };
  readonly ended: Record<GrpcEnding, number> = {
    ...{ no_progress: 0, request_timeout: 0, half_closed: 0, resets: 0, gave_way: 0, shutdown: 0 },
  };
  private readonly options: ConnectionOptions;
  private readonly server: Server;
  private readonly http2: Http2Server;
  /** The connection that becomes a session now. */
  private accepting: Socket | null = null;
  private readonly clients = new Map<ServerHttp2Session, Client>();
  private readonly lines: LogLimiter;
  private readonly nowMs: () => number;
  private readonly sweeping: NodeJS.Timeout;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.connectionsMax = options.connectionsMax ?? limits.grpcConnectionsMax;
    this.callsMax = options.callsMax ?? limits.grpcCallsMax;
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.lines = new LogLimiter(options.log);
    this.http2 = createHttp2Server({
      settings: { maxConcurrentStreams: limits.grpcCallsPerConnectionMax, maxHeaderListSize: limits.headerBytesMax, enablePush: false },
    });
    this.http2.on('session', (session) => this.addClient(session));
    this.http2.on('request', (request, response) => this.begin(request, response));
    const keepalive = { keepAlive: true, keepAliveInitialDelay: limits.grpcKeepaliveMs };
    this.server = createServer({ noDelay: true, ...keepalive }, (socket) => this.accept(socket));
    this.sweeping = setInterval(() => this.sweep(), limits.httpSweepMs).unref();
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
    const limitMs = {
      no_progress: this.calls >= this.callsMax * PRESSED_FROM ? limits.responseStallMsPressed : limits.responseStallMsMax,
      request_timeout: limits.httpRequestMsMax,
      half_closed: limits.halfClosedMsMax,
    };
    for (const client of this.clients.values()) {
      client.resets = Math.max(0, client.resets - limits.grpcResetsPerS);
      for (const call of client.calls) {
        look(call, nowMs);
        if (call.owes !== null && nowMs - call.sinceMs >= limitMs[call.owes]) this.endCall(call, call.owes);
      }
    }
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
    this.clients.set(session, { session, socket: this.accepting!, calls: new Set(), idleSinceMs: this.nowMs(), resets: 0 });
    session.once('close', () => this.clients.delete(session));
  }

  private begin(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const stream = request.stream as ServerHttp2Stream;
    const client = this.clients.get(stream.session as ServerHttp2Session);
    if (client === undefined) return;
    const call: Call = { request, stream, owes: 'request_timeout', sinceMs: this.nowMs(), unsentBytes: 0 };
    const isRefused = this.calls >= this.callsMax;
    client.calls.add(call);
    // A refused call has its response, and does not count.
    if (!isRefused) this.calls += 1;
    stream.once('close', () => {
      client.calls.delete(call);
      if (!isRefused) this.calls -= 1;
      if (client.calls.size === 0) client.idleSinceMs = this.nowMs();
      if (stream.aborted) this.countReset(client);
    });
    if (isRefused) this.refuse(request);
    else this.options.handle(request, response);
  }

  private refuse(request: Http2ServerRequest): void {
    this.refused.calls += 1;
    this.lines.line('warn', { calls: this.callsMax }, 'a gRPC call was refused: all are in use');
    this.options.refuse(request, new QueryError('api.too_many_calls', { limit: this.callsMax }, { retryAfterS: RETRY_AFTER_S }));
  }

  /** nghttp2 notices a flood, too, but Node then keeps the connection until a ping has no response. */
  private countReset(client: Client): void {
    client.resets += 1;
    // Later: Node 22 crashes when a session is destroyed while its bytes are parsed and the rest has a new call with data.
    if (client.resets === limits.grpcResetsMax) setImmediate(() => this.endClient(client, 'resets'));
  }

  private endCall({ request, stream }: Call, reason: GrpcEnding): void {
    this.ended[reason] += 1;
    if (reason !== 'half_closed') this.logEnd('a gRPC call was ended', reason, stream.session?.socket?.remoteAddress);
    if (reason === 'request_timeout' && !stream.headersSent) this.options.refuse(request, new QueryError('api.request_timeout'));
    stream.close(reason === 'no_progress' ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
  }

  /** Ends the connection that has been idle longest; false when none is idle long enough. */
  private makeRoom(): boolean {
    let longest: Client | null = null;
    for (const client of this.clients.values())
      if (client.calls.size === 0 && (longest === null || client.idleSinceMs < longest.idleSinceMs)) longest = client;
    if (longest === null || this.nowMs() - longest.idleSinceMs < limits.httpIdleGivesWayMs) return false;
    this.endClient(longest, 'gave_way');
    return true;
  }

  private endClient(client: Client, reason: GrpcEnding): void {
    if (!this.clients.delete(client.session)) return;
    this.ended[reason] += 1;
    if (reason === 'resets') this.logEnd('a gRPC connection was ended', reason, client.socket.remoteAddress);
    // It says so to the client, if the client reads.
    client.session.destroy();
    client.socket.destroy();
  }

  private logEnd(message: string, reason: GrpcEnding, address = 'unknown'): void {
    this.lines.line('warn', { reason, address: plainAddress(address) }, message, reason);
  }
}

/** Notes what the client owes. Only progress with an unfinished response, or another debt, begins a new time. */
function look(call: Call, nowMs: number): void {
  const { stream, unsentBytes } = call;
  call.unsentBytes = stream.bufferSize;
  const owes = owed(stream);
  if (owes === call.owes && (owes !== 'no_progress' || stream.writableEnded || unsentBytes === call.unsentBytes)) return;
  call.owes = owes;
  call.sinceMs = nowMs;
}

function owed(stream: ServerHttp2Stream): Call['owes'] {
  if (!stream.readableEnded && !stream.writableEnded) return 'request_timeout';
  if (stream.bufferSize > 0) return 'no_progress';
  return stream.writableEnded ? 'half_closed' : null;
}
