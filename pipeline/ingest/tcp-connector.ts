// TCP connector: connects to a receiver, reads its Beast or AVR output, and reconnects with increasing delays when the connection ends.
import { connect, type Socket } from 'node:net';
import { limits } from '../../schemas/limits/index.ts';
import { plainAddress } from '../runtime/plain-address.ts';
import type { FeederRegistry } from './feeder-registry.ts';
import type { CloseReason } from './feeder-session.ts';

interface ConnectOptions {
  readonly host: string;
  readonly port: number;
  /** Its number in log lines, from 1: an address of a feeder is never written. */
  readonly number: number;
  readonly registry: FeederRegistry;
  /** 0 to 1, the jitter of the delay: many connectors must not reconnect at the same moment. */
  readonly random?: () => number;
  readonly delayMsMin?: number;
  readonly delayMsMax?: number;
  readonly idleMsMax?: number;
}

/** Why a connection was closed here, in words. */
const PROBLEMS: Readonly<Partial<Record<CloseReason, string>>> = {
  idle: 'no data for too long',
  garbage_limit: 'the feed contains no frames',
  banned: 'the feeder is banned',
};

/** Delay before attempt `attempt` (from 0): doubles each time up to `maxMs`; `random` subtracts up to half. */
export function reconnectDelayMs(attempt: number, random: number, minMs: number, maxMs: number): number {
  const fullMs = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 30));
  return fullMs - (fullMs / 2) * random;
}

/** Connects to an address. Never fails: retries until the address accepts the connection. */
export class TcpConnector {
  connected = false;
  private readonly options: ConnectOptions;
  /** Its id if it sends no UUID. */
  private readonly feeder: string;
  private socket: Socket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempt = 0;
  private stopped = false;
  /** The problem logged last; each problem is logged once, not at every attempt. */
  private problem = '';

  constructor(options: ConnectOptions) {
    this.options = options;
    this.feeder = options.registry.context.ids.ofFeed(`${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`);
    this.open();
  }

  /** Stops for good and closes the connection. */
  async close(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const { socket } = this;
    if (socket === null || socket.destroyed) return;
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.destroy();
    });
  }

  private open(): void {
    const { host, port } = this.options;
    const socket = connect({ host, port, noDelay: true, keepAlive: true });
    this.socket = socket;
    let problem = 'the connection ended';
    // The message has the address.
    const failed = (error: NodeJS.ErrnoException): void => {
      problem = error.code ?? error.message;
    };
    const timedOut = (): void => {
      socket.destroy(new Error('connection timed out'));
    };
    socket.setTimeout(limits.feedConnectMsMax);
    socket.once('timeout', timedOut);
    socket.on('error', failed);
    const ended = (): void => this.again(problem);
    socket.once('close', ended);
    socket.once('connect', () => {
      socket.off('timeout', timedOut);
      socket.off('close', ended);
      this.established(socket);
    });
  }

  private established(socket: Socket): void {
    const { registry, idleMsMax } = this.options;
    this.connected = true;
    registry.open(socket, {
      address: plainAddress(socket.remoteAddress ?? 'unknown'),
      feeder: this.feeder,
      ...(idleMsMax === undefined ? {} : { idleMsMax }),
      onClosed: (session, reason) => {
        this.connected = false;
        if (session.frames > 0) {
          this.attempt = 0;
          this.problem = '';
        }
        this.again(PROBLEMS[reason] ?? 'the connection ended');
      },
    });
  }

  private again(problem: string): void {
    if (this.stopped) return;
    const {
      registry,
      random = Math.random,
      delayMsMin = limits.reconnectDelayMsMin,
      delayMsMax = limits.reconnectDelayMsMax,
    } = this.options;
    registry.context.counters.add('reconnects');
    if (problem !== this.problem)
      registry.context.log.warn({ feed: this.options.number, feeder: this.feeder, problem }, 'no connection to the feed; retrying');
    this.problem = problem;
    const delayMs = reconnectDelayMs(this.attempt, random(), delayMsMin, delayMsMax);
    this.attempt += 1;
    this.timer = setTimeout(() => this.open(), delayMs);
  }
}
