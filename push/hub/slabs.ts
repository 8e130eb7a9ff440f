// Memory for frames that are kept for a minute, in large pieces: thousands of small ones of different sizes would leave holes between them, and the
// process would grow for an hour.

const SLAB_BYTES = 1024 * 1024;

export class Slabs {
  private slab = Buffer.alloc(0);
  private end = 0;

  /** A copy. Its memory is freed with that of its neighbours. */
  copy(bytes: Uint8Array): Buffer {
    if (this.end + bytes.length > this.slab.length) {
      this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes.length));
      this.end = 0;
    }
    const copy = this.slab.subarray(this.end, this.end + bytes.length);
    copy.set(bytes);
    this.end += bytes.length;
    return copy;
  }
}
