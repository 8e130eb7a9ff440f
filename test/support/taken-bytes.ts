// Counts the bytes of a socket that the kernel has accepted. The kernel buffers megabytes for a slow client. When these buffers are full, it accepts more
// only after the client reads.
import type { Socket } from 'node:net';
import { until } from './until.ts';

function takenBytes(socket: Socket): number {
  const { _handle } = socket as unknown as { readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } };
  return _handle.bytesWritten - _handle.writeQueueSize;
}

/** Waits until the kernel accepts more bytes than it has now. */
export async function untilMoreTaken(socket: Socket): Promise<void> {
  const before = takenBytes(socket);
  await until(() => takenBytes(socket) > before, 'more is taken for the slow one');
}
