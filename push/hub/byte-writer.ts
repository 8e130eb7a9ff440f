// Bytes that grow as they are written.
import { SLACK_BYTES } from '../../pipeline/view/digits.ts';
import { viewOf } from '../../schemas/packed-frame.ts';

const FIRST_BYTES = 64 * 1024;

/** A part of the bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export class ByteWriter {
  bytes: Buffer;
  view: DataView;
  /** Offset behind the last byte. */
  end = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.view = viewOf(this.bytes);
  }

  /** Makes room for more bytes. */
  reserve(bytes: number): void {
    const needed = this.end + bytes + SLACK_BYTES;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length, FIRST_BYTES));
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

  /** The same for a short part of another writer's bytes, in words: a call of `copy` takes longer. */
  putPart(from: ByteWriter, start: number, end: number): void {
    this.reserve(end - start);
    const { view } = this;
    const source = from.view;
    let at = this.end;
    this.end += end - start;
    let next = start;
    for (; next + 4 <= end; next += 4, at += 4) view.setInt32(at, source.getInt32(next));
    for (; next < end; next += 1, at += 1) view.setInt8(at, source.getInt8(next));
  }
}
