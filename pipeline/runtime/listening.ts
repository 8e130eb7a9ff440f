// Starts a TCP server on an address, with the errors of the catalogue.
import type { Server } from 'node:net';
import { SquitterError } from '../../schemas/errors.ts';
import { endpoint } from './options.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The flag that sets this address, for error messages: `--listen`. */
  readonly flag: string;
}

/** Listens, and returns the port. Errors: `listen.port_in_use`, `listen.failed`. */
export function listenOn(server: Server, address: ListenAddress): Promise<number> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(listenError(error, address));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/** Why a server cannot listen: `listen.port_in_use` or `listen.failed`. */
export function listenError(error: NodeJS.ErrnoException, { host, port, flag }: ListenAddress): SquitterError {
  const address = String(endpoint(host, port));
  return error.code === 'EADDRINUSE'
    ? new SquitterError('listen.port_in_use', { address, flag }, error)
    : new SquitterError('listen.failed', { address, detail: error.message }, error);
}
