// Writes the numbers and texts of a frame's body, in memory that grows and is used again.

export class Writer {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 64 * 1024) {
    this.bytes = new Uint8Array(capacity);
  }

  clear(): void {
    this.length = 0;
  }

  /** An integer from 0 to 2^53 in groups of 7 bits, lowest first; all but the last have their upper bit set. */
  unsigned(value: number): void {
    this.reserve(8);
    let left = value;
    while (left >= 128) {
      this.bytes[this.length++] = 128 | (left % 128);
      left = Math.floor(left / 128);
    }
    this.bytes[this.length++] = left;
  }

  signed(value: number): void {
    this.unsigned(zigzag(value));
  }

  put(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  text(text: string): void {
    const bytes = Buffer.from(text);
    this.unsigned(bytes.length);
    this.put(bytes);
  }

  /** The bytes written so far, in the writer's memory. */
  written(from = 0): Uint8Array {
    return this.bytes.subarray(from, this.length);
  }

  private reserve(length: number): void {
    if (this.length + length <= this.bytes.length) return;
    const grown = new Uint8Array(2 * (this.length + length));
    grown.set(this.written());
    this.bytes = grown;
  }
}

/** 0, −1, 1, −2 … as 0, 1, 2, 3 … */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
