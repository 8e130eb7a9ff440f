// TCP listener: feeders connect and push Beast or AVR. One limit holds for all connections, another one for those of an address. When connections are
// nearly used up, a new connection replaces the one that has sent no frame for the longest time.
import { createServer, type Socket } from 'node:net';
import { limits } from '../../schemas/limits/index.ts';
import { type ListenAddress, listenOn } from '../runtime/listening.ts';
import { ConnectionGuard } from '../runtime/net/connection-guard.ts';
import { plainAddress, principalAddress } from '../runtime/plain-address.ts';
import type { FeederRegistry } from './feeder-registry.ts';
import type { FeederSession } from './feeder-session.ts';

export interface ListenOptions extends ListenAddress {
  readonly registry: FeederRegistry;
  readonly idleMsMax?: number;
  /** Connections at a time, including those that this service opened. */
  readonly connectionsMax?: number;
  /** Connections of one address, or of one IPv6 /64 network. Null: the limit, or its share where connections are few. */
  readonly connectionsPerAddressMax?: number | null;
}

export interface TcpListener {
  readonly host: string;
  readonly port: number;
  /** Stops listening. Connections stay open: the registry owns them and must be closed too. */
  close(): Promise<void>;
}

/** Listens for feeders. Errors: `listen.port_in_use`, `listen.failed`. */
export async function listenForFeeders(options: ListenOptions): Promise<TcpListener> {
  const server = createServer({ keepAlive: true, noDelay: true });
  new FeederGuard(options).attach(server);
  const port = await listenOn(server, options);
  return {
    host: options.host,
    port,
    async close() {
      server.close();
    },
  };
}

export class FeederGuard extends ConnectionGuard<FeederSession> {
  private readonly options: ListenOptions;
  private readonly perAddressMax: number;

  constructor(options: ListenOptions) {
    const { connectionsMax = limits.feederConnectionsMax, connectionsPerAddressMax } = options;
    const giveWayFrom = connectionsMax * limits.feederConnectionsScarceRatio;
    super({ noun: 'a feeder connection', reasons: [], connectionsMax, giveWayFrom, idleMsMin: limits.feederSilentMsMax });
    const share = Math.ceil(connectionsMax * limits.feederConnectionsPerAddressRatio);
    this.options = options;
    this.perAddressMax = connectionsPerAddressMax ?? Math.min(limits.feederConnectionsPerAddressMax, share);
  }

  protected override accept(socket: Socket): void {
    const network = principalAddress(socket.remoteAddress ?? 'unknown');
    let ofNetwork = 0;
    for (const session of this.connections) if (session.network === network) ofNetwork += 1;
    if (ofNetwork < this.perAddressMax) super.accept(socket);
    else this.refuse(socket, 'address_limit');
  }

  protected enter(socket: Socket): FeederSession {
    const { registry, idleMsMax } = this.options;
    const address = plainAddress(socket.remoteAddress ?? 'unknown');
    const feeder = registry.context.ids.ofAddress(address);
    return registry.open(socket, { address, feeder, ...(idleMsMax === undefined ? {} : { idleMsMax }) });
  }

  protected override get inUse(): number {
    return this.options.registry.connections;
  }

  protected override idleMs(session: FeederSession, nowMs: number): number {
    return session.silentMs(nowMs);
  }

  protected override end(session: FeederSession): void {
    session.close('silent');
  }

  /** An address is never written. */
  protected override refuse(socket: Socket, reason: 'connection_limit' | 'address_limit' = 'connection_limit'): void {
    const { context, lines } = this.options.registry;
    context.counters.add(reason);
    const feeder = context.ids.ofAddress(socket.remoteAddress ?? 'unknown');
    lines.line('warn', { feeder, reason }, 'a feeder connection was refused', reason);
    socket.on('error', () => undefined);
    socket.destroy();
  }

  protected override failed({ message }: Error): void {
    const { context, lines } = this.options.registry;
    context.counters.add('accept_failed');
    lines.line('warn', { error: message }, 'a feeder connection could not be accepted');
  }
}
