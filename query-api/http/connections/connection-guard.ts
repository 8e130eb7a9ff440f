// Guards the connections of HTTP servers: how many there are, what they hold, how long they may stand still, and that closing never waits for them.
// Takes plain servers of Node and knows no routes, so that push and gRPC can stand behind it too.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { LogLimiter, type WriteLine } from '../../../pipeline/runtime/log-limiter.ts';
import { limits } from '../../../schemas/limits.ts';
import { QueryError } from '../../queries/errors.ts';
import { problem } from '../problems.ts';
import { Connection, connectionOf } from './connection.ts';
import { RequestTurns } from './request-turns.ts';
import { ResponseMemory } from './response-memory.ts';

/** Why the guard ended a connection. */
export const endReasons = ['no_progress', 'memory', 'gave_way', 'pipelined', 'half_closed', 'shutdown'] as const;
export type EndReason = (typeof endReasons)[number];

export interface GuardOptions {
  /** Connections at a time. */
  readonly connectionsMax?: number;
  readonly log?: WriteLine;
  /** Ms of a clock that never goes back. */
  readonly nowMs?: () => number;
}

/** Clients that are refused may ask again after this. */
const RETRY_AFTER_S = 1;

/** One of these ended each is as good as told; of the others a summed line tells. */
const QUIET: ReadonlySet<EndReason> = new Set(['half_closed', 'shutdown']);

export class ConnectionGuard {
  readonly connectionsMax: number;
  readonly ended: Record<EndReason, number> = { no_progress: 0, memory: 0, gave_way: 0, pipelined: 0, half_closed: 0, shutdown: 0 };
  /** Connections that came while all were in use, and servers' failures to accept one. */
  refused = 0;
  acceptFailures = 0;
  readonly memory: ResponseMemory;
  private readonly connections = new Set<Connection>();
  /** Those of them that are refused and wait for their 503. */
  private refusing = 0;
  /** Idle connections that may give way, the longest idle last; found anew at most once a sweep. */
  private idle: Connection[] | null = null;
  private readonly turns: RequestTurns[] = [];
  private readonly lines: LogLimiter;
  private readonly nowMs: () => number;
  private sweeping: NodeJS.Timeout | null = null;
  private stopping: NodeJS.Timeout | null = null;

  constructor({ connectionsMax = limits.httpConnectionsMax, log = () => {}, nowMs = () => performance.now() }: GuardOptions = {}) {
    this.connectionsMax = connectionsMax;
    this.memory = new ResponseMemory(this.connections);
    this.lines = new LogLimiter(log);
    this.nowMs = nowMs;
  }

  get open(): number {
    return this.connections.size;
  }

  /** A request listener for servers that are attached: it takes requests of a connection up one after the other. */
  gate(handle: RequestListener): RequestListener {
    const turns = new RequestTurns(handle, (connection) => this.end(connection, 'pipelined'));
    this.turns.push(turns);
    return (request, response) => {
      const connection = connectionOf(request.socket);
      if (connection === undefined) handle(request, response);
      else if (connection.isRefused) this.refuse(response, request.url ?? '/');
      else turns.offer(connection, request, response);
    };
  }

  /** Watches a server's connections from now on. */
  attach(server: Server): void {
    server.on('connection', (socket) => this.accept(socket));
    server.on('error', (error) => {
      // One that cannot listen says so to whoever started it. Without a listener any error would end the process.
      if (!server.listening) return;
      this.acceptFailures += 1;
      this.lines.line('error', { error: error.message }, 'a connection could not be accepted');
    });
  }

  /** Gives clients a last moment, then ends all connections that are left. Call when the servers stop listening. */
  stop(waitMs: number = limits.clientsStopMsMax): void {
    this.stopping ??= setTimeout(() => {
      for (const connection of this.connections) this.end(connection, 'shutdown');
    }, waitMs);
  }

  /** The servers are closed. */
  close(): void {
    if (this.stopping !== null) clearTimeout(this.stopping);
    this.lines.flush();
  }

  /** Looks at all connections. Once a second by itself; tests call it. */
  sweep(): void {
    const nowMs = this.nowMs();
    this.idle = null;
    for (const connection of this.connections) {
      connection.look(nowMs);
      const { endedMs, progressMs, isIdle, isRefused } = connection;
      if (endedMs > 0 && nowMs - endedMs >= limits.halfClosedMsMax) this.end(connection, 'half_closed');
      else if (isRefused && nowMs - progressMs >= limits.halfClosedMsMax) connection.socket.destroy();
      else if (!isIdle && nowMs - progressMs >= limits.responseStallMsMax) this.end(connection, 'no_progress');
    }
    this.memory.relieve(nowMs, (connection) => this.end(connection, 'memory'));
    if (this.connections.size > 0 || this.sweeping === null) return;
    clearInterval(this.sweeping);
    this.sweeping = null;
  }

  private accept(socket: Socket): void {
    const isRefused = this.connections.size - this.refusing >= this.connectionsMax && !this.makeRoom();
    if (isRefused) {
      this.refused += 1;
      this.lines.line('warn', { connections: this.connectionsMax }, 'a connection was refused: all are in use');
      if (this.refusing >= limits.httpConnectionsRefusing) {
        socket.destroy();
        return;
      }
      this.refusing += 1;
    }
    const connection = new Connection(socket, this.nowMs(), isRefused);
    this.connections.add(connection);
    this.sweeping ??= setInterval(() => this.sweep(), limits.httpSweepMs).unref();
    socket.once('close', () => {
      this.connections.delete(connection);
      if (isRefused) this.refusing -= 1;
      for (const turns of this.turns) turns.drop(connection);
    });
  }

  /** Ends the connection that has been idle for longest; false where none has been for a moment. */
  private makeRoom(): boolean {
    if (this.idle === null) {
      const beforeMs = this.nowMs() - limits.httpIdleGivesWayMs;
      this.idle = [...this.connections].filter(
        ({ response, waiting, progressMs }) => response === null && waiting.length === 0 && progressMs <= beforeMs,
      );
      this.idle.sort((a, b) => b.progressMs - a.progressMs);
    }
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (!connection.isIdle || connection.socket.destroyed) continue;
      this.end(connection, 'gave_way');
      return true;
    }
    return false;
  }

  private end(connection: Connection, reason: EndReason): void {
    const { socket, madeBytes } = connection;
    if (socket.destroyed) return;
    this.ended[reason] += 1;
    if (!QUIET.has(reason))
      this.lines.line('warn', { reason, address: socket.remoteAddress, bytes: madeBytes }, 'a client connection was ended', reason);
    socket.destroy();
    // Its 'close' comes in a later turn of the event loop; until then others may take its room.
    this.connections.delete(connection);
  }

  private refuse(response: ServerResponse, url: string): void {
    const error = new QueryError('api.too_many_connections', { limit: this.connectionsMax }, { retryAfterS: RETRY_AFTER_S });
    const { status, headers, body } = problem(error, url.split('?')[0]!, 'unread');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body);
  }
}
