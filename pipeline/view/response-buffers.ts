// Memory for responses that are put together per request: taken, written, sent, given back. A fresh 100 KB for each would keep the collector busy.
import { limits } from '../../schemas/limits.ts';

const BYTES_MIN = 16 * 1024;
/** Buffers kept of each size. */
const SPARES_MAX = 16;
/** Smaller buffers that are not kept are left to the collector. */
const FREED_BYTES_MIN = 1024 * 1024;

export class ResponseBuffers {
  private readonly spares = new Map<number, Buffer[]>();
  private spareBytes = 0;

  /** A buffer of at least so many bytes, with anything in it. */
  take(bytes: number): Buffer {
    const size = sizeFor(bytes);
    const spare = this.spares.get(size)?.pop();
    if (spare === undefined) return Buffer.allocUnsafeSlow(size);
    this.spareBytes -= size;
    return spare;
  }

  /** Gives back what `take` gave, once nobody reads it any more. */
  give(buffer: Buffer): void {
    const spares = this.spares.get(buffer.length) ?? [];
    this.spares.set(buffer.length, spares);
    if (spares.length >= SPARES_MAX || this.spareBytes + buffer.length > limits.responseBuffersSpareBytesMax) {
      if (buffer.length >= FREED_BYTES_MIN) free(buffer);
      return;
    }
    this.spareBytes += buffer.length;
    spares.push(buffer);
  }
}

/** Whom nobody hears: what is handed over to it is freed at once, while the collector would let it lie for minutes. */
const { port1: nobody, port2 } = new MessageChannel();
port2.close();

function free(buffer: Buffer): void {
  nobody.postMessage(null, [buffer.buffer as ArrayBuffer]);
}

/** Powers of two: few different sizes. */
function sizeFor(bytes: number): number {
  return bytes <= BYTES_MIN ? BYTES_MIN : 2 ** Math.ceil(Math.log2(bytes));
}
