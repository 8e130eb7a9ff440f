// A TCP balancer: one address for several servers, like a Service in Kubernetes. Each connection goes to the next ready server.
import { connect, createServer, type Socket } from 'node:net';
import { listenOn } from '../../pipeline/runtime/listening.ts';
import { type Endpoint, endpoint } from '../../pipeline/runtime/options.ts';

export interface Backend {
  readonly address: Endpoint;
  ready: boolean;
}

export interface Balancer {
  readonly address: string;
  close(): Promise<void>;
}

/** Errors: `listen.port_in_use`, `listen.failed`. */
export async function startBalancer(on: Endpoint, backends: readonly Backend[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    keep(client);
    turn += 1;
    const ready = backends.filter((backend) => backend.ready);
    // If none is ready, any server may report that itself.
    const candidates = ready.length > 0 ? ready : backends;
    join(
      client,
      candidates.map((_, i) => candidates[(turn + i) % candidates.length]!.address),
    );
  });

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };

  /** Connects the client to the first of these servers that accepts. */
  const join = (client: Socket, [first, ...others]: readonly Endpoint[]): void => {
    if (first === undefined || client.destroyed) {
      client.destroy();
      return;
    }
    const upstream = connect({ host: first.host, port: first.port });
    keep(upstream);
    const next = (): void => join(client, others);
    upstream.once('error', next);
    upstream.once('connect', () => {
      upstream.off('error', next);
      upstream.once('error', () => client.destroy());
      client.once('close', () => upstream.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
    });
  };

  // A connection that could not be accepted is its client's problem.
  server.on('error', () => {});
  const port = await listenOn(server, { host: on.host, port: on.port, flag: '--http' });
  return {
    address: String(endpoint(on.host, port)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
