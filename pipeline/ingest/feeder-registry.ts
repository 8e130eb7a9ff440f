// All feeder connections of one ingest. Reports which feeders are connected, every 30 s, and which are gone, per feeder and not per connection.
import type { Socket } from 'node:net';
import type { FeederStatus } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { LogLimiter } from '../runtime/log-limiter.ts';
import { type CloseReason, FeederSession, type IngestContext } from './feeder-session.ts';

export interface OpenOptions {
  readonly address: string;
  /** Id of the feeder if it sends no UUID. */
  readonly feeder: string;
  readonly idleMsMax?: number;
  readonly onClosed?: (session: FeederSession, reason: CloseReason) => void;
}

export class FeederRegistry {
  readonly context: IngestContext;
  private readonly sessions = new Set<FeederSession>();
  /** Identified connections by feeder. A feeder may have several, as after a reconnect. */
  private readonly byFeeder = new Map<string, Set<FeederSession>>();
  private readonly timer: NodeJS.Timeout;
  /** Writes the first log lines of a minute one by one and sums the rest. */
  readonly lines: LogLimiter;

  constructor(context: IngestContext, statusMs: number = limits.feederStatusMs) {
    this.context = context;
    this.lines = new LogLimiter((level, fields, message) => context.log[level === 'warn' ? 'warn' : 'info'](fields, message), {
      linesMax: limits.feederLinesMax,
    });
    this.timer = setInterval(() => this.reportStatus(), statusMs);
    this.timer.unref();
  }

  get connections(): number {
    return this.sessions.size;
  }

  /** Closes the connections of banned feeders and addresses. */
  closeBanned(): void {
    for (const session of this.sessions) session.closeIfBanned();
  }

  /** Opens a session on a connected socket. */
  open(socket: Socket, options: OpenOptions): FeederSession {
    const session = new FeederSession(socket, {
      context: this.context,
      lines: this.lines,
      address: options.address,
      feeder: options.feeder,
      idleMsMax: options.idleMsMax ?? limits.feederIdleMsMax,
      onIdentity: (identified) => this.enter(identified),
      onClosed: (closed, reason) => {
        this.sessions.delete(closed);
        this.leave(closed);
        options.onClosed?.(closed, reason);
      },
    });
    this.sessions.add(session);
    return session;
  }

  /** Closes all connections. Resolves when each has reported its close. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const session of this.sessions) session.close('shutdown');
    // Sockets emit 'close' in a later turn of the event loop.
    while (this.sessions.size > 0) await new Promise((resolve) => setImmediate(resolve));
    this.lines.flush();
  }

  private reportStatus(): void {
    for (const [feeder, sessions] of this.byFeeder) this.context.onStatus(feeder, sumOf(sessions));
  }

  private enter(session: FeederSession): void {
    const sessions = this.byFeeder.get(session.feeder);
    if (sessions !== undefined) {
      sessions.add(session);
      return;
    }
    this.byFeeder.set(session.feeder, new Set([session]));
    const status = session.status('connected');
    this.lines.line('info', { feeder: session.feeder, format: status.format }, 'feeder seen');
    this.context.onSeen(session.feeder);
    this.context.onStatus(session.feeder, status);
  }

  private leave(session: FeederSession): void {
    const { feeder } = session;
    const sessions = this.byFeeder.get(feeder);
    if (sessions === undefined || !sessions.delete(session) || sessions.size > 0) return;
    this.byFeeder.delete(feeder);
    this.lines.line('info', { feeder }, 'feeder gone');
    this.context.onStatus(feeder, session.status('gone'));
  }
}

/** The newest connection's address and format; its time is that of the longest one, and what all of them received. */
function sumOf(sessions: ReadonlySet<FeederSession>): FeederStatus {
  return [...sessions]
    .map((session) => session.status('connected'))
    .reduce((sum, status) => ({
      ...status,
      connectedMs: Math.min(sum.connectedMs, status.connectedMs),
      frames: sum.frames + status.frames,
      bytes: sum.bytes + status.bytes,
      garbageBytes: sum.garbageBytes + status.garbageBytes,
    }));
}
