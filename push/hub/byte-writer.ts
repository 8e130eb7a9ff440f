// Bytes that grow as they are written.
import { SLACK_BYTES } from '../../pipeline/view/digits.ts';

const FIRST_BYTES = 64 * 1024;

/** A part of the bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export class ByteWriter {
  bytes: Buffer;
  view: DataView;
  /** Offset after the last byte that is written. */
  end = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.view = viewOf(this.bytes);
  }

  /** Makes room for more bytes. */
  reserve(bytes: number): void {
    const needed = this.end + bytes + SLACK_BYTES;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
    this.view = viewOf(grown);
  }

  /** Writes ASCII text. */
  putText(text: string): void {
    this.reserve(text.length);
    this.end += this.bytes.write(text, this.end, 'latin1');
  }

  putByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.end] = byte;
    this.end += 1;
  }

  putBytes(from: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    from.copy(this.bytes, this.end, start, end);
    this.end += end - start;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
