// TCP server of an output: the same bytes to every client. A client that reads too slowly misses whole pieces, and one that reads nothing is closed.
import { createServer, type Server, type Socket } from 'node:net';
import { type ListenAddress, listenOn } from '../../pipeline/runtime/listening.ts';
import { LogLimiter, type WriteLine } from '../../pipeline/runtime/log-limiter.ts';
import { limits } from '../../schemas/limits.ts';

/** Why bytes were not sent to a client: it was behind, or its connection ended before. */
export type DropReason = 'behind' | 'closed';

/** Why a connection ended. `refused`: all connections were in use. */
export type EndReason = 'left' | 'stalled' | 'sent_too_much' | 'refused';

export interface OutputStats {
  /** Connected now. */
  readonly clients: number;
  /** Bytes given to connections since the start, once per client. */
  readonly bytes: number;
  /** Bytes not sent, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Connections that ended, by reason. */
  readonly ended: Readonly<Record<EndReason, number>>;
}

export interface OutputServerOptions extends ListenAddress {
  /** Name for log lines: `SBS`. */
  readonly name: string;
  readonly log: WriteLine;
  /** Called when the first client connects and when the last one is gone. */
  readonly onClients?: (hasClients: boolean) => void;
  readonly clientsMax?: number;
  readonly queuedBytesMax?: number;
  readonly stallMsMax?: number;
  readonly sweepMs?: number;
}

/** The handle of a socket has the remaining bytes of a write, whose callback comes at its end only. */
interface Internals {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

class Client {
  readonly socket: Socket;
  /** It has not received everything: it is new, or missed a piece. */
  isBehind = true;
  /** Bytes that it sent since the last check. */
  receivedBytes = 0;
  /** Bytes of writes that have not ended; those of failed writes stay. */
  queuedBytes = 0;
  private writtenBytes = 0;
  private progress = 0;
  private progressAtMs: number;

  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.progressAtMs = nowMs;
  }

  write(bytes: Uint8Array): void {
    this.writtenBytes += bytes.length;
    this.queuedBytes += bytes.length;
    this.socket.write(bytes, (error) => {
      if (error === null || error === undefined) this.queuedBytes -= bytes.length;
    });
  }

  /** How long queued bytes have been waiting without progress, ms. */
  stalledMs(nowMs: number): number {
    // Queueing more does not change the difference; only what the client's system takes does.
    const progress = this.writtenBytes - this.queuedBytes - ((this.socket as unknown as Internals)._handle?.writeQueueSize ?? 0);
    if (progress !== this.progress || this.queuedBytes === 0) this.progressAtMs = nowMs;
    this.progress = progress;
    return nowMs - this.progressAtMs;
  }
}

export class OutputServer {
  readonly host: string;
  private readonly options: OutputServerOptions;
  private readonly server: Server;
  private readonly clients = new Set<Client>();
  private readonly lines: LogLimiter;
  private readonly queuedBytesMax: number;
  private readonly sweeping: NodeJS.Timeout;
  private listeningPort = 0;
  private bytes = 0;
  private readonly dropped: Record<DropReason, number> = { behind: 0, closed: 0 };
  private readonly ended: Record<EndReason, number> = { left: 0, stalled: 0, sent_too_much: 0, refused: 0 };

  private constructor(options: OutputServerOptions) {
    this.options = options;
    this.host = options.host;
    this.lines = new LogLimiter(options.log);
    this.queuedBytesMax = options.queuedBytesMax ?? limits.outputQueuedBytesMax;
    // keepAlive detects clients that vanished while nothing is sent to them.
    const socketOptions = { keepAlive: true, keepAliveInitialDelay: limits.outputStallMsMax, noDelay: true };
    this.server = createServer(socketOptions, (socket) => this.accept(socket));
    this.server.maxConnections = options.clientsMax ?? limits.outputClientsMax;
    this.server.on('drop', (refused) => this.refuse(refused?.remoteAddress));
    this.sweeping = setInterval(() => this.sweep(performance.now()), options.sweepMs ?? limits.outputSweepMs);
    this.sweeping.unref();
  }

  /** Listens. Errors: `listen.port_in_use`, `listen.failed`. */
  static async open(options: OutputServerOptions): Promise<OutputServer> {
    const output = new OutputServer(options);
    try {
      output.listeningPort = await listenOn(output.server, options);
    } catch (error) {
      clearInterval(output.sweeping);
      throw error;
    }
    output.server.on('error', (error) => output.line('a connection could not be accepted', { error: error.message }));
    return output;
  }

  get port(): number {
    return this.listeningPort;
  }

  get hasClients(): boolean {
    return this.clients.size > 0;
  }

  /**
   * Sends a piece to every client that has room for it. The bytes are shared by all: the caller does not change them afterwards.
   * With `all`, pieces are changes: a client that is new or missed a piece gets `all()` instead, as soon as nothing is queued for it.
   */
  send(piece: Uint8Array, all: (() => Uint8Array) | null = null): void {
    let everything: Uint8Array | null = null;
    for (const client of this.clients) {
      const queued = client.queuedBytes;
      const needsAll = all !== null && client.isBehind;
      if (needsAll ? queued > 0 : queued > 0 && queued + piece.length > this.queuedBytesMax) {
        this.drop(client, piece);
        continue;
      }
      if (needsAll) everything ??= all();
      this.write(client, needsAll ? everything! : piece);
      client.isBehind = false;
    }
  }

  stats(): OutputStats {
    return { clients: this.clients.size, bytes: this.bytes, dropped: { ...this.dropped }, ended: { ...this.ended } };
  }

  /** Stops listening and closes all connections; queued bytes are dropped. */
  async close(): Promise<void> {
    clearInterval(this.sweeping);
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const client of this.clients) {
      this.forget(client, 'left');
      if (client.queuedBytes === 0) client.socket.destroySoon();
      else client.socket.destroy();
    }
    await closed;
    this.lines.flush();
  }

  private accept(socket: Socket): void {
    const client = new Client(socket, performance.now());
    this.clients.add(client);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      client.receivedBytes += chunk.length;
      if (client.receivedBytes > limits.outputReceivedBytesMax) this.end(client, 'sent_too_much');
    });
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      if (this.clients.has(client)) this.forget(client, 'left');
    });
    if (this.clients.size === 1) this.options.onClients?.(true);
  }

  private refuse(address: string | undefined): void {
    this.ended.refused += 1;
    this.line('a client was refused: all connections are in use', { address, clients: this.clients.size });
  }

  private write(client: Client, piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.bytes += piece.length;
    client.write(piece);
  }

  private drop(client: Client, piece: Uint8Array): void {
    this.dropped.behind += piece.length;
    if (!client.isBehind) this.line('a client reads too slowly: it misses data', { address: client.socket.remoteAddress });
    client.isBehind = true;
  }

  private sweep(nowMs: number): void {
    const { stallMsMax = limits.outputStallMsMax } = this.options;
    for (const client of this.clients) {
      client.receivedBytes = 0;
      if (client.stalledMs(nowMs) >= stallMsMax) this.end(client, 'stalled');
    }
  }

  private end(client: Client, reason: EndReason): void {
    if (!this.clients.has(client)) return;
    this.line('a client was disconnected', { address: client.socket.remoteAddress, reason });
    this.forget(client, reason);
    client.socket.destroy();
  }

  private forget(client: Client, reason: EndReason): void {
    this.clients.delete(client);
    this.ended[reason] += 1;
    this.dropped.closed += client.queuedBytes;
    if (this.clients.size === 0) this.options.onClients?.(false);
  }

  private line(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.lines.line('warn', fields, `${this.options.name} output: ${message}`);
  }
}
