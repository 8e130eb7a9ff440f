// Memory for responses built per request: taken, written, sent, returned. Allocating 100 KB for each would keep the garbage collector busy.
import { limits } from '../../schemas/limits/index.ts';
import { freeBuffer } from '../runtime/free-buffer.ts';

export class ResponseBuffers {
  private readonly spares = new Map<number, Buffer[]>();
  private spareBytes = 0;

  /** A buffer of at least `bytes`, with undefined content. */
  lend(bytes: number): Buffer {
    const size = sizeFor(bytes);
    const spare = this.spares.get(size)?.pop();
    if (spare === undefined) return Buffer.allocUnsafeSlow(size);
    this.spareBytes -= size;
    return spare;
  }

  /** Returns a buffer of `take` that is no longer read. */
  giveBack(buffer: Buffer): void {
    const spares = this.spares.get(buffer.length) ?? [];
    this.spares.set(buffer.length, spares);
    if (spares.length >= limits.responseBufferSparesMax || this.spareBytes + buffer.length > limits.responseBuffersSpareBytesMax) {
      if (buffer.length >= limits.responseBufferFreedBytesMin) freeBuffer(buffer);
      return;
    }
    this.spareBytes += buffer.length;
    spares.push(buffer);
  }
}

/** Powers of two: few different sizes. */
function sizeFor(bytes: number): number {
  return bytes <= limits.responseBufferBytesMin ? limits.responseBufferBytesMin : 2 ** Math.ceil(Math.log2(bytes));
}
