// Memory for answers that are put together per request: taken, written, sent, given back. A fresh 100 KB for each would keep the collector busy.
const BYTES_MIN = 16 * 1024;
/** Buffers kept of each size. */
const SPARES_MAX = 16;

export class AnswerBuffers {
  private readonly spares = new Map<number, Buffer[]>();

  /** A buffer of at least so many bytes, with anything in it. */
  take(bytes: number): Buffer {
    const size = sizeFor(bytes);
    return this.spares.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
  }

  /** Gives back what `take` gave, once nobody reads it any more. */
  give(buffer: Buffer): void {
    const spares = this.spares.get(buffer.length) ?? [];
    this.spares.set(buffer.length, spares);
    if (spares.length < SPARES_MAX) spares.push(buffer);
  }
}

/** Powers of two: few different sizes. */
function sizeFor(bytes: number): number {
  return bytes <= BYTES_MIN ? BYTES_MIN : 2 ** Math.ceil(Math.log2(bytes));
}
