// Memory for frames that are kept for a minute, in large pieces: many small ones of different sizes would leave holes between them.

const SLAB_BYTES = 4 * 1024 * 1024;

export class Slabs {
  private slab = Buffer.alloc(0);
  private end = 0;

  /** Memory with any content. It is freed with that of its neighbours. */
  allocate(bytes: number): Buffer {
    if (this.end + bytes > this.slab.length) {
      this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
      this.end = 0;
    }
    this.end += bytes;
    return this.slab.subarray(this.end - bytes, this.end);
  }
}
