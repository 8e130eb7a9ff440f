// A hostile client over raw sockets: requests much, reads nothing, never closes its half, or stays silent.
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

/** The bytes that a client has received, as Latin-1, and true if the server ended the connection. */
export interface TextClient {
  readonly socket: Socket;
  text: string;
  isOver: boolean;
}

/** Sends a request, reads everything, and never ends its half by itself. */
export function textClient(port: number, request: string): TextClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(request));
  const client: TextClient = { socket, text: '', isOver: false };
  socket.on('data', (bytes) => {
    client.text += bytes.toString('latin1');
  });
  const over = (): void => {
    client.isOver = true;
  };
  socket.on('end', over).on('close', over);
  socket.on('error', () => {});
  return client;
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
