// A service that accepts Beast over TCP: connect, send with back-pressure, end after everything is delivered.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { Endpoint } from '../../runtime/options.ts';

export interface BeastTarget {
  send(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

function failed(to: Endpoint, error: Error): SquitterError {
  return new SquitterError('connect.failed', { address: String(to), detail: error.message }, error);
}

/** Errors: `connect.failed`. */
export async function connectSocket(to: Endpoint): Promise<Socket> {
  const socket = connect({ host: to.host, port: to.port, timeout: limits.toolConnectMsMax });
  socket.once('timeout', () => socket.destroy(new Error(`no response within ${limits.toolConnectMsMax} ms`)));
  await once(socket, 'connect').catch((error: Error) => {
    throw failed(to, error);
  });
  socket.setTimeout(0);
  return socket;
}

/** Errors: `connect.failed`. */
export async function connectTo(to: Endpoint): Promise<BeastTarget> {
  const socket = await connectSocket(to);
  let broken: SquitterError | null = null;
  socket.on('error', (error) => {
    broken = failed(to, error);
  });
  // The service sends nothing to a feeder. Reading detects that it closes the connection.
  socket.resume();
  return {
    async send(bytes) {
      if (broken !== null) throw broken;
      if (bytes.length === 0 || socket.write(bytes)) return;
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
      if (socket.destroyed)
        throw broken ?? new SquitterError('connect.failed', { address: String(to), detail: 'the service closed the connection' });
    },
    async end() {
      if (socket.destroyed) return;
      socket.end();
      await once(socket, 'close');
    },
  };
}
