// TCP listener: feeders connect and push Beast or AVR.
import { createServer, type Server, type Socket } from 'node:net';
import { limits } from '../../schemas/limits.ts';
import { type ListenAddress, listenOn } from '../runtime/listening.ts';
import { plainAddress } from '../runtime/plain-address.ts';
import { FeederAdmission } from './feeder-admission.ts';
import type { FeederRegistry } from './feeder-registry.ts';

export interface ListenOptions extends ListenAddress {
  readonly registry: FeederRegistry;
  readonly idleMsMax?: number;
  readonly connectionsMax?: number;
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
  const { registry } = options;
  const admission = new FeederAdmission({
    connectionsMax: options.connectionsMax ?? limits.feederConnectionsMax,
    connectionsPerAddressMax: options.connectionsPerAddressMax ?? null,
  });
  const server = createServer({ keepAlive: true, noDelay: true }, (socket) => accept(socket, options, admission));
  const port = await listenOn(server, options);
  // Later errors are of connections.
  server.on('error', (error) => {
    registry.context.counters.add('accept_failed');
    registry.lines.line('warn', { error: error.message }, 'a feeder connection could not be accepted');
  });
  return {
    host: options.host,
    port,
    close: () => new Promise((resolve) => closeServer(server, resolve)),
  };
}

function accept(socket: Socket, options: ListenOptions, admission: FeederAdmission): void {
  const { registry, idleMsMax } = options;
  const address = plainAddress(socket.remoteAddress ?? 'unknown');
  const feeder = registry.context.ids.ofAddress(address);
  const refusal = admission.refusal(address, registry.connections, performance.now());
  if (refusal !== null) {
    registry.context.counters.add(refusal);
    registry.lines.line('warn', { feeder, reason: refusal }, 'a feeder connection was refused', refusal);
    socket.on('error', () => undefined);
    socket.destroy();
    return;
  }
  const session = registry.open(socket, {
    address,
    feeder,
    onClosed: (closed) => admission.leave(closed),
    ...(idleMsMax === undefined ? {} : { idleMsMax }),
  });
  admission.enter(session);
}

/** Does not wait for `close` to call back: that happens only when all connections have ended, and they stay open here. */
function closeServer(server: Server, done: () => void): void {
  if (!server.listening) {
    done();
    return;
  }
  server.close();
  setImmediate(done);
}
