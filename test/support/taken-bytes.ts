// What the system takes of a socket's bytes. The kernel holds megabytes for a slow client, and takes more only when it has read some of them.
import type { Socket } from 'node:net';
import { until } from './until.ts';

function takenBytes(socket: Socket): number {
  const { _handle } = socket as unknown as { readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } };
  return _handle.bytesWritten - _handle.writeQueueSize;
}

/** Waits until more than now is taken. */
export async function untilMoreTaken(socket: Socket): Promise<void> {
  const before = takenBytes(socket);
  await until(() => takenBytes(socket) > before, 'more is taken for the slow one');
}
