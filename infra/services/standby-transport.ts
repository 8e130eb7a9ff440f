// A transport whose thread starts with the first connection, because an idle one takes 10 MB. Until then this thread listens. When the thread fails,
// clients get 503, and a little later, longer each time, the next connection starts it again: a failure of the streams ends nothing else.
import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ThreadOptions } from '../../push/transport/message-port/messages.ts';
import { ThreadTransport } from '../../push/transport/message-port/thread-transport.ts';
import { listenError } from '../../push/transport/options.ts';
import type {
  ChannelId,
  Frame,
  FrameForChannel,
  Refusal,
  SocketId,
  Transport,
  TransportEvents,
  TransportStats,
} from '../../push/transport/transport.ts';
import { findUws } from '../../push/transport/uws-native.ts';
import { type HandOver, rawRequests, type Upstream } from '../../query-api/http/connections/hand-over.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';

export interface StandbyOptions {
  /** Entry of the thread. */
  readonly file: URL;
  readonly thread: ThreadOptions & { readonly hop: string };
  /** Takes the connections that come before the thread listens. */
  readonly handOver: HandOver;
  readonly logger: Logger;
}

/** Pause after the first failure; it doubles with each failure up to the maximum. A thread that runs for longer than that begins anew. */
const PAUSE_MS_MIN = 1000;
const PAUSE_MS_MAX = 60_000;
/** Close code of sockets without a close frame. */
const ABNORMAL = 1006;

export class StandbyTransport implements Transport {
  readonly port: number;
  /** Times that the thread failed. */
  failures = 0;
  private readonly options: StandbyOptions;
  private readonly events: TransportEvents;
  /** Sockets of the running thread. */
  private readonly sockets = new Set<SocketId>();
  /** Numbers are not used again. */
  private lastSocket: SocketId = 0;
  /** Listens while the thread does not. */
  private door: Server | null;
  private current: ThreadTransport | null = null;
  private starting: Promise<void> | null = null;
  /** Why the thread may not start yet; null if it may. */
  private failure: Error | null = null;
  private pauseMs = PAUSE_MS_MIN;
  private pausing: NodeJS.Timeout | null = null;
  private startedMs = 0;
  private isClosed = false;
  /** Counts of earlier threads. */
  private before: TransportStats = {
    sockets: 0,
    queuedBytes: 0,
    openings: 0,
    framesSent: 0,
    bytesSent: 0,
    framesSkipped: 0,
    ended: {},
    refused: {},
  };

  /** Errors: `listen.port_in_use`, `listen.failed`. */
  static async open(options: StandbyOptions, events: TransportEvents): Promise<StandbyTransport> {
    return new StandbyTransport(options, events, await openDoor(options, options.thread.port));
  }

  private constructor(options: StandbyOptions, events: TransportEvents, door: Server) {
    this.options = options;
    options.handOver.upstream = this.upstream;
    this.door = door;
    this.port = (door.address() as AddressInfo).port;
    this.events = {
      ...events,
      opening: (opening) => {
        this.lastSocket = Math.max(this.lastSocket, opening.socket);
        this.sockets.add(opening.socket);
        events.opening(opening);
      },
      closed: (socket, code) => {
        this.sockets.delete(socket);
        events.closed(socket, code);
      },
    };
  }

  /** Before the thread runs: the one that will. */
  get name(): string {
    return this.current?.name ?? expected(this.options.thread.prefer).name;
  }

  get reason(): string | null {
    return this.current?.reason ?? expected(this.options.thread.prefer).reason;
  }

  /** Why there are no streams now; null if there are. */
  problem(): string | null {
    return this.failure === null ? null : `there are no streams for the moment: ${this.failure.message.split('\n')[0]}`;
  }

  /** Where connections are handed over to. Starts the thread. Error: the failure of the thread. */
  readonly upstream = async (): Promise<Upstream> => {
    if (this.failure === null && this.current === null) {
      this.starting ??= this.start();
      await this.starting.catch(() => {});
    }
    // Its cause is for the log.
    if (this.current === null) throw new SquitterError('worker.failed', { worker: 'transport', detail: 'it starts again in a moment' });
    const { host, hop } = this.options.thread;
    return { addresses: [{ host: reachable(host), port: this.port }], hop };
  };

  accept(socket: SocketId, protocol: string | null): void {
    this.current?.accept(socket, protocol);
  }

  refuse(socket: SocketId, refusal: Refusal): void {
    this.current?.refuse(socket, refusal);
  }

  respond(socket: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    this.current?.respond(socket, headers, body);
  }

  join(socket: SocketId, channel: ChannelId): void {
    this.current?.join(socket, channel);
  }

  leave(socket: SocketId, channel: ChannelId): void {
    this.current?.leave(socket, channel);
  }

  send(socket: SocketId, frame: Frame): void {
    this.current?.send(socket, frame);
  }

  publish(frames: readonly FrameForChannel[]): void {
    this.current?.publish(frames);
  }

  end(socket: SocketId, code: number, reason: string): void {
    this.current?.end(socket, code, reason);
  }

  drain(socket: SocketId): void {
    this.current?.drain(socket);
  }

  waitingBytes(): number {
    return this.current?.waitingBytes() ?? 0;
  }

  stats(): TransportStats {
    return this.current === null ? this.before : sumOf(this.before, this.current.stats());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.pausing !== null) clearTimeout(this.pausing);
    await this.starting?.catch(() => {});
    await this.closeDoor();
    await this.current?.close();
  }

  private async start(): Promise<void> {
    const { file, thread, logger } = this.options;
    try {
      const options = { ...thread, port: this.port, socketsBefore: this.lastSocket };
      const current = await ThreadTransport.open(file, options, this.events, () => this.closeDoor());
      this.current = current;
      this.startedMs = performance.now();
      const { name, reason } = current;
      logger.info({ transport: name, ...(reason === null ? {} : { reason }) }, 'the first subscriber: the thread of the streams runs');
      current.failed.catch((error: Error) => this.fail(error));
    } catch (error) {
      await this.fail(error as Error);
      throw error;
    } finally {
      this.starting = null;
    }
  }

  private async fail(error: Error): Promise<void> {
    if (this.isClosed) return;
    const { current } = this;
    this.failure = error;
    this.failures += 1;
    if (current !== null && performance.now() - this.startedMs > PAUSE_MS_MAX) this.pauseMs = PAUSE_MS_MIN;
    const { pauseMs } = this;
    this.pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
    this.options.logger.error(
      { error: error.message, pauseMs },
      'the thread of the streams failed; the next connection after a pause starts it again',
    );
    this.before = { ...this.stats(), sockets: 0, queuedBytes: 0 };
    this.current = null;
    for (const socket of [...this.sockets]) this.events.closed(socket, ABNORMAL);
    await current?.close();
    await this.openDoor();
    if (!this.isClosed) this.pausing = setTimeout(() => void this.recover(), pauseMs).unref();
  }

  /** Allows the next start, once it listens. */
  private async recover(): Promise<void> {
    if (await this.openDoor()) this.failure = null;
    else if (!this.isClosed) this.pausing = setTimeout(() => void this.recover(), this.pauseMs).unref();
  }

  private async openDoor(): Promise<boolean> {
    if (this.isClosed || this.door !== null) return !this.isClosed;
    try {
      const door = await openDoor(this.options, this.port);
      if (this.isClosed) door.close();
      else this.door = door;
    } catch (error) {
      this.failure = error as Error;
      this.options.logger.warn({ error: this.failure.message }, 'the port of the streams is not free yet');
    }
    return this.door !== null;
  }

  /** Stops listening. Connections that it has stay: they are handed over. */
  private async closeDoor(): Promise<void> {
    // The backlog first: what is in it would be lost.
    for (let turns = 0; turns < 2; turns += 1) await turn();
    const { door } = this;
    this.door = null;
    if (door === null) return;
    door.once('close', () => door.close());
    NetServer.prototype.close.call(door);
  }
}

/** The adapter that will run, as far as one can tell without its code. */
function expected(prefer: ThreadOptions['prefer']): { readonly name: string; readonly reason: string | null } {
  const uws = prefer === 'uws' ? findUws() : null;
  if (uws !== null && 'path' in uws) return { name: `uWebSockets.js ${uws.version}`, reason: null };
  return { name: 'ws', reason: uws?.reason ?? null };
}

function openDoor({ handOver, thread }: StandbyOptions, port: number): Promise<Server> {
  const { host, flag, socketsMax } = thread;
  const server = createServer({
    IncomingMessage: rawRequests(() => true),
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.pushHandshakeMsMax,
    requestTimeout: limits.pushHandshakeMsMax,
    connectionsCheckingInterval: limits.pushSweepMs,
  });
  server.maxConnections = socketsMax + limits.httpConnectionsRefusing;
  server.on('upgrade', handOver.take as (...event: unknown[]) => void);
  return new Promise((resolve, reject) => {
    // Later ones are of connections that could not be accepted.
    server.on('error', (error) => reject(listenError(error, host, port, flag)));
    server.listen(port, host, () => resolve(server));
  });
}

/** An address that this host can connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function sumOf(before: TransportStats, now: TransportStats): TransportStats {
  const sums = (a: Readonly<Record<number, number>>, b: Readonly<Record<number, number>>): Record<number, number> => {
    const sum = { ...a };
    for (const [code, count] of Object.entries(b)) sum[Number(code)] = (sum[Number(code)] ?? 0) + count;
    return sum;
  };
  return {
    ...now,
    framesSent: before.framesSent + now.framesSent,
    bytesSent: before.bytesSent + now.bytesSent,
    framesSkipped: before.framesSkipped + now.framesSkipped,
    ended: sums(before.ended, now.ended),
    refused: sums(before.refused, now.refused),
  };
}
