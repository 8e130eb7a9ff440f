// Frees the memory of large buffers at once.

/** A port without a listener: a buffer transferred to it is freed at once; the garbage collector might keep it for minutes. */
const { port1: freeing, port2 } = new MessageChannel();
port2.close();

/** Frees a buffer that has its memory for itself. Its length is 0 then. */
export function freeBuffer(buffer: Buffer): void {
  freeing.postMessage(null, [buffer.buffer as ArrayBuffer]);
}
