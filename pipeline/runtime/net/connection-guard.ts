// The guard of every way in. At most so many connections at a time: when all are in use, the longest idle one gives way, otherwise the new one is
// refused. Those that stand still are ended, and closing does not depend on clients. It knows sockets and no protocol: ports extend it.
import type { Server, Socket } from 'node:net';
import { limits } from '../../../schemas/limits/index.ts';
import { LogLimiter, type WriteLine } from '../log-limiter.ts';
import { plainAddress } from '../plain-address.ts';

export interface GuardOptions {
  /** Maximum number of connections. */
  readonly connectionsMax: number;
  readonly log?: WriteLine | undefined;
  /** Ms of a steady clock. */
  readonly nowMs?: (() => number) | undefined;
}

interface GuardRules<Reason extends string> extends GuardOptions {
  /** One connection in log lines: `a gRPC connection`. */
  readonly noun: string;
  /** Why the port ends connections, or what they carry, besides `gave_way` and `shutdown`. */
  readonly reasons: readonly Reason[];
  /** Number of connections from which on idle ones give way, and how long these must be idle. */
  readonly giveWayFrom?: number;
  readonly idleMsMin?: number;
  readonly sweepMs?: number | undefined;
}

type Ending<Reason extends string> = Reason | 'gave_way' | 'shutdown';

/** Reasons that are counted but not logged. */
const QUIET: ReadonlySet<string> = new Set(['half_closed', 'shutdown']);

export abstract class ConnectionGuard<Connection extends { readonly socket: Socket }, Reason extends string = never> {
  readonly connectionsMax: number;
  readonly ended: Record<Ending<Reason>, number>;
  /** Connections that came while all were in use, and failed accepts. */
  readonly refused = { connections: 0, accept_failed: 0 };
  protected readonly connections = new Set<Connection>();
  protected readonly lines: LogLimiter;
  protected readonly nowMs: () => number;
  private readonly rules: GuardRules<Reason>;
  /** Idle connections that may give way, the longest idle last; collected at most once per sweep. */
  private idle: Connection[] | null = null;
  private sweeping: NodeJS.Timeout | null = null;
  private stopping: NodeJS.Timeout | null = null;

  constructor(rules: GuardRules<Reason>) {
    const { connectionsMax, reasons, log = () => {}, nowMs = () => performance.now() } = rules;
    this.rules = rules;
    this.connectionsMax = connectionsMax;
    this.ended = Object.fromEntries([...reasons, 'gave_way', 'shutdown'].map((reason) => [reason, 0])) as typeof this.ended;
    this.lines = new LogLimiter(log);
    this.nowMs = nowMs;
  }

  get open(): number {
    return this.connections.size;
  }

  /** Watches a server's connections from now on. */
  attach(server: Server): void {
    server.on('connection', (socket) => this.accept(socket));
    // A server that cannot listen reports that to its caller. Without a listener any error would end the process.
    server.on('error', (error) => {
      if (server.listening) this.failed(error);
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
    for (const timer of [this.stopping, this.sweeping]) clearTimeout(timer ?? undefined);
    this.lines.flush();
  }

  /** Checks all connections. Runs once a second; tests call it directly. */
  sweep(): void {
    const nowMs = this.nowMs();
    this.idle = null;
    for (const connection of this.connections) this.check(connection, nowMs);
    if (this.connections.size > 0 || this.sweeping === null) return;
    clearInterval(this.sweeping);
    this.sweeping = null;
  }

  /** Begins the port's work with a connection. */
  protected abstract enter(socket: Socket): Connection;

  /** Looks at a connection, once a sweep, and may end it. */
  protected check(_connection: Connection, _nowMs: number): void {}

  /** How long a connection has been idle, ms; 0 while it is in use. */
  protected idleMs(_connection: Connection, _nowMs: number): number {
    return 0;
  }

  /** The connection is gone. `reason` is null if its client left. */
  protected left(_connection: Connection, _reason: string | null): void {}

  /** Connections that count. */
  protected get inUse(): number {
    return this.connections.size;
  }

  protected accept(socket: Socket): void {
    const { giveWayFrom = this.connectionsMax } = this.rules;
    if (this.inUse < giveWayFrom || this.makeRoom() || this.inUse < this.connectionsMax) this.add(this.enter(socket));
    else this.refuse(socket);
  }

  protected add(connection: Connection): void {
    this.connections.add(connection);
    this.sweeping ??= setInterval(() => this.sweep(), this.rules.sweepMs ?? limits.connectionSweepMs).unref();
    connection.socket.once('close', () => this.forget(connection, null));
  }

  protected refuse(socket: Socket): void {
    this.refused.connections += 1;
    const fields = { address: addressOf(socket), connections: this.connectionsMax };
    this.lines.line('warn', fields, `${this.rules.noun} was refused: all are in use`);
    this.turnAway(socket);
  }

  protected turnAway(socket: Socket): void {
    socket.destroy();
  }

  protected failed({ message }: Error): void {
    this.refused.accept_failed += 1;
    this.lines.line('error', { error: message }, `${this.rules.noun} could not be accepted`);
  }

  protected end(connection: Connection, reason: Ending<Reason>): void {
    const { socket } = connection;
    if (socket.destroyed || !this.connections.has(connection)) return;
    this.countEnd(reason, this.rules.noun, socket);
    this.forget(connection, reason);
    socket.destroy();
  }

  protected countEnd(reason: Ending<Reason>, noun: string, socket: Socket | undefined): void {
    this.ended[reason] += 1;
    const fields = { reason, address: addressOf(socket), bytes: socket?.writableLength };
    if (!QUIET.has(reason)) this.lines.line('warn', fields, `${noun} was ended`, reason);
  }

  /** Others may use its room before its socket is closed. */
  protected forget(connection: Connection, reason: Ending<Reason> | null): void {
    if (this.connections.delete(connection)) this.left(connection, reason);
  }

  /** Ends the connection that has been idle longest; false when none is idle long enough. */
  private makeRoom(): boolean {
    const { idleMsMin = limits.idleGivesWayMs } = this.rules;
    const nowMs = this.nowMs();
    const isIdle = (one: Connection): boolean => !one.socket.destroyed && this.idleMs(one, nowMs) >= idleMsMin;
    this.idle ??= [...this.connections].filter(isIdle).sort((a, b) => this.idleMs(a, nowMs) - this.idleMs(b, nowMs));
    let longest = this.idle.pop();
    while (longest !== undefined && !isIdle(longest)) longest = this.idle.pop();
    if (longest !== undefined) this.end(longest, 'gave_way');
    return longest !== undefined;
  }
}

/** A connection, and whether its client takes what is queued for it. */
export class GuardedConnection {
  readonly socket: Socket;
  /** When nothing was queued, or the client took some of it; by the guard's clock, ms. */
  progressMs: number;
  private takenBytes = 0;

  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.progressMs = nowMs;
  }

  /** Ms without progress with what is queued. Queueing more is none; `bytesWritten` alone changes only after a whole write. */
  stalledMs(nowMs: number): number {
    const { _handle, writableLength } = this.socket as Socket & Handle;
    const takenBytes = _handle ? _handle.bytesWritten - _handle.writeQueueSize : this.takenBytes;
    if (writableLength === 0 || takenBytes !== this.takenBytes) this.progressMs = nowMs;
    this.takenBytes = takenBytes;
    return nowMs - this.progressMs;
  }
}

/** Node's types lack it: bytes given to the system, and those of them that it has not taken yet. */
interface Handle {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

function addressOf(socket: Socket | undefined): string {
  return plainAddress(socket?.remoteAddress ?? 'unknown');
}
