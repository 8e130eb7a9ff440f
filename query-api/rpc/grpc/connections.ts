// Connections of the gRPC port: limits their number and that of their calls, ends calls that stall, and makes closing independent of clients.
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { type ListenAddress, listenOn } from '../../../pipeline/runtime/listening.ts';
import { ConnectionGuard, type GuardOptions } from '../../../pipeline/runtime/net/connection-guard.ts';
import type { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../../queries/errors.ts';

export interface ConnectionOptions extends Omit<GuardOptions, 'connectionsMax'> {
  /** Maximum number of connections. */
  readonly connectionsMax?: number | undefined;
  /** Maximum number of calls of all connections. */
  readonly callsMax?: number | undefined;
  readonly handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  /** Responds with an error and nothing else. */
  readonly refuse: (request: Http2ServerRequest, error: SquitterError) => void;
}

/** Parts of a call that its client may be late with. */
type Debt = 'no_progress' | 'request_timeout' | 'half_closed';

interface Call {
  readonly request: Http2ServerRequest;
  readonly stream: ServerHttp2Stream;
  owes: Debt | null;
  /** Since when, and bytes not taken then. */
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

export class GrpcConnections extends ConnectionGuard<Client, Debt | 'resets'> {
  readonly callsMax: number;
  /** Calls now. */
  calls = 0;
  /** Calls that came while all were in use. */
  callsRefused = 0;
  private readonly options: ConnectionOptions;
  private readonly server: Http2Server;
  /** The newest one: its connection is reported next. */
  private session: ServerHttp2Session | null = null;
  private readonly clients = new WeakMap<object, Client>();

  constructor(options: ConnectionOptions) {
    const { connectionsMax = limits.grpcConnectionsMax, callsMax = limits.grpcCallsMax, log, nowMs } = options;
    const reasons = ['no_progress', 'request_timeout', 'half_closed', 'resets'] as const;
    super({ connectionsMax, log, nowMs, noun: 'a gRPC connection', reasons });
    this.options = options;
    this.callsMax = callsMax;
    this.server = createServer({
      settings: { maxConcurrentStreams: limits.grpcCallsPerConnectionMax, maxHeaderListSize: limits.headerBytesMax, enablePush: false },
      ...{ noDelay: true, keepAlive: true, keepAliveInitialDelay: limits.grpcKeepaliveMs },
    });
    this.server.on('session', (session) => {
      this.session = session;
    });
    this.server.on('request', (request, response) => this.begin(request, response));
    this.attach(this.server);
  }

  /** Listens, and returns the port. Errors: `listen.port_in_use`, `listen.failed`. */
  listen(address: ListenAddress): Promise<number> {
    return listenOn(this.server, address);
  }

  /** Bytes of responses that clients have not taken. */
  queuedBytes(): number {
    let bytes = 0;
    for (const { calls } of this.connections) for (const { stream } of calls) bytes += stream.bufferSize;
    return bytes;
  }

  /** Stops listening, lets calls finish for a moment, then ends what is left. */
  override async close(waitMs: number = limits.clientsStopMsMax): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const client of this.connections) {
      // Idle clients need not agree.
      if (client.calls.size === 0) this.end(client, 'shutdown');
      else client.session.close();
    }
    this.stop(waitMs);
    await closed;
    super.close();
  }

  protected enter(socket: Socket): Client {
    const client = { session: this.session!, socket, calls: new Set<Call>(), idleSinceMs: this.nowMs(), resets: 0 };
    this.clients.set(client.session, client);
    return client;
  }

  protected override idleMs({ calls, idleSinceMs }: Client, nowMs: number): number {
    return calls.size > 0 ? 0 : nowMs - idleSinceMs;
  }

  protected override check(client: Client, nowMs: number): void {
    const limitMs = {
      no_progress: this.calls >= this.callsMax * PRESSED_FROM ? limits.responseStallMsPressed : limits.responseStallMsMax,
      request_timeout: limits.httpRequestMsMax,
      half_closed: limits.halfClosedMsMax,
    };
    client.resets = Math.max(0, client.resets - limits.grpcResetsPerS);
    for (const call of client.calls) {
      noteDebt(call, nowMs);
      if (call.owes !== null && nowMs - call.sinceMs >= limitMs[call.owes]) this.endCall(call, call.owes);
    }
  }

  /** It says so to the client, if the client reads. */
  protected override left({ session }: Client): void {
    session.destroy();
  }

  private begin(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const stream = request.stream as ServerHttp2Stream;
    const client = this.clients.get(stream.session!);
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
    if (isRefused) this.refuseCall(request);
    else this.options.handle(request, response);
  }

  private refuseCall(request: Http2ServerRequest): void {
    this.callsRefused += 1;
    this.lines.line('warn', { calls: this.callsMax }, 'a gRPC call was refused: all are in use');
    this.options.refuse(request, new QueryError('api.too_many_calls', { limit: this.callsMax }, { retryAfterS: RETRY_AFTER_S }));
  }

  /** nghttp2 notices a flood, too, but Node then keeps the connection until a ping has no response. */
  private countReset(client: Client): void {
    client.resets += 1;
    // Later: Node 22 crashes when a session is destroyed while its bytes are parsed and the rest has a new call with data.
    if (client.resets === limits.grpcResetsMax) setImmediate(() => this.end(client, 'resets'));
  }

  private endCall({ request, stream }: Call, reason: Debt): void {
    this.countEnd(reason, 'a gRPC call', stream.session?.socket);
    if (reason === 'request_timeout' && !stream.headersSent) this.options.refuse(request, new QueryError('api.request_timeout'));
    stream.close(reason === 'no_progress' ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
  }
}

/** Notes what the client owes. Only progress with an unfinished response, or another debt, begins a new time. */
function noteDebt(call: Call, nowMs: number): void {
  const { stream, unsentBytes } = call;
  call.unsentBytes = stream.bufferSize;
  const owes = owed(stream);
  if (owes === call.owes && (owes !== 'no_progress' || stream.writableEnded || unsentBytes === call.unsentBytes)) return;
  call.owes = owes;
  call.sinceMs = nowMs;
}

function owed(stream: ServerHttp2Stream): Debt | null {
  if (!stream.readableEnded && !stream.writableEnded) return 'request_timeout';
  if (stream.bufferSize > 0) return 'no_progress';
  return stream.writableEnded ? 'half_closed' : null;
}
