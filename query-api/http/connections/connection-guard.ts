// Guards the connections of HTTP servers: limits their number, their memory and their stalls, and makes closing independent of them.
// Takes plain Node servers and knows no routes, so that push and gRPC can use it too.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { LogLimiter, type WriteLine } from '../../../pipeline/runtime/log-limiter.ts';
import { plainAddress } from '../../../pipeline/runtime/plain-address.ts';
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
  /** Maximum number of connections. */
  readonly connectionsMax?: number;
  readonly log?: WriteLine;
  /** Ms of a steady clock. */
  readonly nowMs?: () => number;
}

/** Reasons that are counted but not logged. */
const QUIET: ReadonlySet<EndReason> = new Set(['half_closed', 'shutdown']);

export class ConnectionGuard {
  readonly connectionsMax: number;
  readonly ended: Record<EndReason, number> = { no_progress: 0, memory: 0, gave_way: 0, pipelined: 0, half_closed: 0, shutdown: 0 };
  /** Connections that came while all were in use, and failed accepts. */
  refused = 0;
  acceptFailures = 0;
  readonly memory: ResponseMemory;
  private readonly connections = new Set<Connection>();
  /** Refused connections that wait for their 503. */
  private refusing = 0;
  /** Idle connections that may be closed, the longest idle last; collected at most once per sweep. */
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

  /** A request listener for attached servers: starts the requests of a connection one after the other. */
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
      // A server that cannot listen reports that to its caller. Without a listener any error would end the process.
      if (!server.listening) return;
      this.acceptFailures += 1;
      this.lines.line('error', { error: error.message }, 'a connection could not be accepted');
    });
  }

  /** Gives clients a last moment, then ends all remaining connections. Call when the servers stop listening. */
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

  /** Checks all connections. Runs once a second; tests call it directly. */
  sweep(): void {
    const nowMs = this.nowMs();
    this.idle = null;
    for (const connection of this.connections) {
      connection.look(nowMs);
      // `HandOver` ends it.
      if (connection.isHandedOver) continue;
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

  /** Ends the connection that has been idle longest; false when none is idle long enough. */
  private makeRoom(): boolean {
    if (this.idle === null) {
      const beforeMs = this.nowMs() - limits.httpIdleGivesWayMs;
      this.idle = [...this.connections].filter(
        ({ isHandedOver, response, waiting, progressMs }) =>
          !isHandedOver && response === null && waiting.length === 0 && progressMs <= beforeMs,
      );
      this.idle.sort((a, b) => b.progressMs - a.progressMs);
    }
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (!connection.isIdle || connection.isHandedOver || connection.socket.destroyed) continue;
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
      this.lines.line(
        'warn',
        { reason, address: plainAddress(socket.remoteAddress ?? 'unknown'), bytes: madeBytes },
        'a client connection was ended',
        reason,
      );
    socket.destroy();
    // Its 'close' comes in a later turn of the event loop; until then others may use its room.
    this.connections.delete(connection);
  }

  private refuse(response: ServerResponse, url: string): void {
    const error = new QueryError('api.too_many_connections', { limit: this.connectionsMax });
    const { status, headers, body } = problem(error, url.split('?')[0]!, 'unread');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body);
  }
}
