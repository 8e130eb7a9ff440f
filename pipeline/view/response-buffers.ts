// Memory for responses built per request: taken, written, sent, returned. Allocating 100 KB for each would keep the garbage collector busy.
import { limits } from '../../schemas/limits/index.ts';
import { freeBuffer } from '../runtime/free-buffer.ts';

const BYTES_MIN = 16 * 1024;
/** Spare buffers of each size. */
const SPARES_MAX = 16;
/** Smaller buffers beyond the spares are left to the garbage collector. */
const FREED_BYTES_MIN = 1024 * 1024;

export class ResponseBuffers {
  private readonly spares = new Map<number, Buffer[]>();
  private spareBytes = 0;

  /** A buffer of at least `bytes`, with undefined content. */
  take(bytes: number): Buffer {
    const size = sizeFor(bytes);
    const spare = this.spares.get(size)?.pop();
    if (spare === undefined) return Buffer.allocUnsafeSlow(size);
    this.spareBytes -= size;
    return spare;
  }

  /** Returns a buffer of `take` that is no longer read. */
  give(buffer: Buffer): void {
    const spares = this.spares.get(buffer.length) ?? [];
    this.spares.set(buffer.length, spares);
    if (spares.length >= SPARES_MAX || this.spareBytes + buffer.length > limits.responseBuffersSpareBytesMax) {
      if (buffer.length >= FREED_BYTES_MIN) freeBuffer(buffer);
      return;
    }
    this.spareBytes += buffer.length;
    spares.push(buffer);
  }
}

/** Powers of two: few different sizes. */
function sizeFor(bytes: number): number {
  return bytes <= BYTES_MIN ? BYTES_MIN : 2 ** Math.ceil(Math.log2(bytes));
}
