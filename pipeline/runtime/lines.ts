// Bytes to lines, in order. Synchronous within a piece of bytes, because it reads millions of lines.

export interface LineSink {
  /** A line without its terminator. Numbers start at 1. */
  line(text: string, number: number): void;
  /** A line over the limit, which is skipped. */
  tooLong(number: number): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export class LineReader {
  private readonly sink: LineSink;
  private readonly bytesMax: number;
  private unfinished: Buffer = Buffer.alloc(0);
  /** True inside a line that is too long. */
  private skipping = false;
  private number = 1;

  constructor(sink: LineSink, bytesMax: number) {
    this.sink = sink;
    this.bytesMax = bytesMax;
  }

  push(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, at)) {
      this.endLine(this.unfinished.length === 0 ? piece.subarray(at, end) : Buffer.concat([this.unfinished, piece.subarray(at, end)]));
      if (this.unfinished.length > 0) this.unfinished = Buffer.alloc(0);
      at = end + 1;
    }
    this.append(piece.subarray(at));
  }

  end(): void {
    if (this.unfinished.length > 0 || this.skipping) this.endLine(this.unfinished);
    this.unfinished = Buffer.alloc(0);
  }

  private append(bytes: Buffer): void {
    if (this.skipping || bytes.length === 0) return;
    if (this.unfinished.length + bytes.length <= this.bytesMax) {
      this.unfinished = Buffer.concat([this.unfinished, bytes]);
      return;
    }
    this.unfinished = Buffer.alloc(0);
    this.skipping = true;
  }

  private endLine(line: Buffer): void {
    const number = this.number;
    this.number += 1;
    if (this.skipping || line.length > this.bytesMax) this.sink.tooLong(number);
    else this.sink.line(textOf(line, number), number);
    this.skipping = false;
  }
}

/** The line as text, without the byte order mark of the first line and without a final carriage return. */
function textOf(line: Buffer, number: number): string {
  const end = line.at(-1) === RETURN ? line.length - 1 : line.length;
  const start = number === 1 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  return line.toString('utf8', start, end);
}
