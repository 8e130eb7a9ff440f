// A TCP balancer: one address for several servers, like a Service in Kubernetes. Each connection goes to the next ready server.
import { connect, createServer, type Socket } from 'node:net';
import { type Endpoint, endpoint } from '../../../pipeline/runtime/options.ts';
import { SquitterError } from '../../../schemas/errors.ts';

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

  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const failure = { address: String(on) };
      reject(
        code === 'EADDRINUSE'
          ? new SquitterError('listen.port_in_use', { ...failure, flag: '--http' })
          : new SquitterError('listen.failed', { ...failure, detail: message }),
      );
    });
    server.listen(on.port, on.host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    address: String(endpoint(on.host, port)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
