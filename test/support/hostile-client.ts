// A hostile client over raw sockets: requests much, reads nothing, or stays silent.
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

/** Connects, from this source address, and sends the bytes. Resolves when connected, or refused at once. */
export function silentClient(port: number, { from = '127.0.0.1', bytes = '' } = {}): Promise<Socket> {
  return new Promise((resolve) => {
    // Our half stays open when the server closes its half.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, localAddress: from });
    socket.on('error', () => resolve(socket));
    socket.once('connect', () => {
      socket.write(bytes);
      socket.pause();
      resolve(socket);
    });
  });
}

/** Pipelined requests of `paths`. */
export function pipelined(paths: readonly string[]): string {
  return paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
}

/** Bytes that the kernel has accepted. It buffers megabytes for a slow client, and then accepts more only after the client reads. */
function takenBytes(socket: Socket): number {
  const { _handle } = socket as unknown as { readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } };
  return _handle.bytesWritten - _handle.writeQueueSize;
}

/** Waits until the kernel accepts more bytes than it has now. */
export async function untilMoreTaken(socket: Socket): Promise<void> {
  const before = takenBytes(socket);
  await until(() => takenBytes(socket) > before, 'more is taken for the slow one');
}
