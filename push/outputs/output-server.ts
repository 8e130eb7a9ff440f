// TCP server of an output: the same bytes to every client. A client that reads too slowly misses whole pieces, and one that reads nothing is closed.
import { createServer, type Server, type Socket } from 'node:net';
import { type ListenAddress, listenOn } from '../../pipeline/runtime/listening.ts';
import type { WriteLine } from '../../pipeline/runtime/log-limiter.ts';
import { ConnectionGuard, GuardedConnection } from '../../pipeline/runtime/net/connection-guard.ts';
import { limits } from '../../schemas/limits/index.ts';

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
  readonly queuedBytesMax?: number;
  readonly stallMsMax?: number;
  readonly sweepMs?: number;
}

/** Options of one output. */
export type OutputOptions = Omit<OutputServerOptions, 'name' | 'onClients'>;

class Client extends GuardedConnection {
  /** It has not received everything: it is new, or missed a piece. */
  isBehind = true;
  /** Bytes that it sent since the last check. */
  receivedBytes = 0;
  /** Bytes of writes that have not ended; those of failed writes stay. */
  queuedBytes = 0;

  write(bytes: Uint8Array): void {
    this.queuedBytes += bytes.length;
    this.socket.write(bytes, (error) => {
      if (error === null || error === undefined) this.queuedBytes -= bytes.length;
    });
  }
}

export class OutputServer extends ConnectionGuard<Client, Exclude<EndReason, 'refused'>> {
  port = 0;
  private readonly options: OutputServerOptions;
  private readonly server: Server;
  private bytes = 0;
  private readonly dropped: Record<DropReason, number> = { behind: 0, closed: 0 };

  private constructor(options: OutputServerOptions) {
    const { name, log, sweepMs } = options;
    const reasons = ['left', 'stalled', 'sent_too_much'] as const;
    super({ noun: `${name} output: a client`, reasons, connectionsMax: limits.outputClientsMax, log, sweepMs });
    this.options = options;
    // keepAlive detects clients that vanished while nothing is sent to them.
    this.server = createServer({ keepAlive: true, keepAliveInitialDelay: limits.outputStallMsMax, noDelay: true });
    this.attach(this.server);
  }

  /** Listens. Errors: `listen.port_in_use`, `listen.failed`. */
  static async open(options: OutputServerOptions): Promise<OutputServer> {
    const output = new OutputServer(options);
    output.port = await listenOn(output.server, options);
    return output;
  }

  get hasClients(): boolean {
    return this.open > 0;
  }

  /**
   * Sends a piece to every client that has room for it. The bytes are shared by all: the caller does not change them afterwards.
   * With `all`, pieces are changes: a client that is new or missed a piece gets `all()` instead, as soon as nothing is queued for it.
   */
  send(piece: Uint8Array, all: (() => Uint8Array) | null = null): void {
    const { queuedBytesMax = limits.outputQueuedBytesMax } = this.options;
    let everything: Uint8Array | null = null;
    for (const client of this.connections) {
      const queued = client.queuedBytes;
      const needsAll = all !== null && client.isBehind;
      if (needsAll ? queued > 0 : queued > 0 && queued + piece.length > queuedBytesMax) {
        this.drop(client, piece);
        continue;
      }
      if (needsAll) everything ??= all();
      this.write(client, needsAll ? everything! : piece);
      client.isBehind = false;
    }
  }

  stats(): OutputStats {
    const { left, stalled, sent_too_much } = this.ended;
    const ended = { left, stalled, sent_too_much, refused: this.refused.connections };
    return { clients: this.open, bytes: this.bytes, dropped: { ...this.dropped }, ended };
  }

  /** Stops listening and closes all connections; queued bytes are dropped. */
  override async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const client of this.connections) {
      this.forget(client, null);
      if (client.queuedBytes === 0) client.socket.destroySoon();
      else client.socket.destroy();
    }
    await closed;
    super.close();
  }

  protected enter(socket: Socket): Client {
    const client = new Client(socket, this.nowMs());
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      client.receivedBytes += chunk.length;
      if (client.receivedBytes > limits.outputReceivedBytesMax) this.end(client, 'sent_too_much');
    });
    socket.once('end', () => socket.destroy());
    if (!this.hasClients) this.options.onClients?.(true);
    return client;
  }

  protected override check(client: Client, nowMs: number): void {
    const { stallMsMax = limits.outputStallMsMax } = this.options;
    client.receivedBytes = 0;
    if (client.stalledMs(nowMs) >= stallMsMax) this.end(client, 'stalled');
  }

  protected override left(client: Client, reason: string | null): void {
    if (reason === null) this.ended.left += 1;
    this.dropped.closed += client.queuedBytes;
    if (!this.hasClients) this.options.onClients?.(false);
  }

  private write(client: Client, piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.bytes += piece.length;
    client.write(piece);
  }

  private drop(client: Client, piece: Uint8Array): void {
    this.dropped.behind += piece.length;
    const address = client.socket.remoteAddress;
    if (!client.isBehind) this.lines.line('warn', { address }, `${this.options.name} output: a client reads too slowly: it misses data`);
    client.isBehind = true;
  }
}
