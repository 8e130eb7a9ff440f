// The guard of HTTP servers: also limits the memory of responses, and starts pipelined requests one after the other.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionGuard, type GuardOptions } from '../../../pipeline/runtime/net/connection-guard.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../../queries/errors.ts';
import { problem } from '../errors/problems.ts';
import { Connection, connectionOf } from './connection.ts';
import { RequestTurns } from './request-turns.ts';
import { ResponseMemory } from './response-memory.ts';

type EndReason = 'no_progress' | 'memory' | 'pipelined' | 'half_closed';

export class HttpGuard extends ConnectionGuard<Connection, EndReason> {
  readonly memory = new ResponseMemory(this.connections);
  /** Refused connections that wait for their 503. */
  private refusing = 0;
  private readonly turns: RequestTurns[] = [];

  constructor(options: Partial<GuardOptions> = {}) {
    super({
      connectionsMax: limits.httpConnectionsMax,
      ...options,
      noun: 'a client connection',
      reasons: ['no_progress', 'memory', 'pipelined', 'half_closed'],
    });
  }

  /** A request listener for attached servers: starts the requests of a connection one after the other. */
  gate(handle: RequestListener): RequestListener {
    const turns = new RequestTurns(handle, (connection) => this.end(connection, 'pipelined'));
    this.turns.push(turns);
    return (request, response) => {
      const connection = connectionOf(request.socket);
      if (connection === undefined) handle(request, response);
      else if (connection.isRefused) this.respondRefused(response, request.url ?? '/');
      else turns.offer(connection, request, response);
    };
  }

  override sweep(): void {
    super.sweep();
    this.memory.relieve(this.nowMs(), (connection) => this.end(connection, 'memory'));
  }

  protected enter(socket: Socket): Connection {
    return new Connection(socket, this.nowMs());
  }

  protected override get inUse(): number {
    return this.connections.size - this.refusing;
  }

  /** The first requests of a few get a 503. */
  protected override turnAway(socket: Socket): void {
    if (this.refusing < limits.httpConnectionsRefusing) {
      this.refusing += 1;
      this.add(new Connection(socket, this.nowMs(), true));
    } else super.turnAway(socket);
  }

  protected override check(connection: Connection, nowMs: number): void {
    connection.update(nowMs);
    const { endedMs, isHandedOver, isIdle, isRefused, socket } = connection;
    const stillMs = nowMs - connection.progressMs;
    // The push port looks at its connections, too, and is a little sooner.
    const stillMsMax = isHandedOver ? limits.pushBehindMsMax + limits.halfClosedMsMax : limits.responseStallMsMax;
    if (endedMs > 0 && nowMs - endedMs >= limits.halfClosedMsMax) this.end(connection, 'half_closed');
    else if (isRefused && stillMs >= limits.halfClosedMsMax) socket.destroy();
    else if ((isHandedOver || !isIdle) && stillMs >= stillMsMax) this.end(connection, 'no_progress');
  }

  /** From the end of the last response on, as a sweep saw it. */
  protected override idleMs({ isHandedOver, response, waiting, progressMs }: Connection, nowMs: number): number {
    return isHandedOver || response !== null || waiting.length > 0 ? 0 : nowMs - progressMs;
  }

  protected override left(connection: Connection): void {
    if (connection.isRefused) this.refusing -= 1;
    for (const turns of this.turns) turns.drop(connection);
  }

  private respondRefused(response: ServerResponse, url: string): void {
    const error = new QueryError('api.too_many_connections', { limit: this.connectionsMax });
    const { status, headers, body } = problem(error, url.split('?')[0]!, 'unread');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body);
  }
}
