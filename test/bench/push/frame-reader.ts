// Reads WebSocket frames of a server as cheaply as possible: their headers, and the first bytes of each message. Payloads are only counted.
const HEADER_BYTES_MAX = 10;
const PEEK_BYTES = 192;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const SEQ = /"seq":(\d+)/;

export interface FrameEvents {
  /** The response to the upgrade has arrived. */
  opened(status: number): void;
  /** A whole message. `seq` is that of a delta, else −1. */
  message(seq: number): void;
  ping(): void;
  closed(code: number, reason: string): void;
}

export class FrameReader {
  bytes = 0;
  private readonly events: FrameEvents;
  private readonly header = Buffer.alloc(HEADER_BYTES_MAX);
  private readonly peek = Buffer.alloc(PEEK_BYTES);
  private head: Buffer | null = Buffer.alloc(0);
  private headerBytes = 0;
  private peeked = 0;
  private opcode = 0;
  private isLast = false;
  private isBinary = false;
  /** False for a ping between fragments. */
  private peeks = true;
  /** Bytes of the payload that are missing; −1 in a header. */
  private missing = -1;

  constructor(events: FrameEvents) {
    this.events = events;
  }

  read(chunk: Buffer, length: number): void {
    this.bytes += length;
    let at = this.head === null ? 0 : this.skipHead(chunk.subarray(0, length));
    while (at < length) {
      if (this.missing < 0) {
        this.header[this.headerBytes++] = chunk[at++]!;
        if (!this.readHeader()) continue;
      } else {
        const count = Math.min(this.missing, length - at);
        if (this.peeks && this.peeked < PEEK_BYTES)
          this.peeked += chunk.copy(this.peek, this.peeked, at, Math.min(at + count, at + PEEK_BYTES - this.peeked));
        this.missing -= count;
        at += count;
      }
      if (this.missing === 0) this.endFrame();
    }
  }

  /** Returns the offset behind the response's head. */
  private skipHead(chunk: Buffer): number {
    const before = this.head!.length;
    this.head = Buffer.concat([this.head!, chunk]);
    const end = this.head.indexOf(END_OF_HEAD);
    if (end < 0) return chunk.length;
    const status = Number(this.head.toString('latin1', 9, 12));
    this.head = null;
    this.events.opened(status);
    return end + END_OF_HEAD.length - before;
  }

  private readHeader(): boolean {
    const { header, headerBytes } = this;
    if (headerBytes < 2) return false;
    const short = header[1]! & 0x7f;
    const needed = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (headerBytes < needed) return false;
    this.missing = short === 127 ? Number(header.readBigUInt64BE(2)) : short === 126 ? header.readUInt16BE(2) : short;
    this.isLast = (header[0]! & 0x80) !== 0;
    this.opcode = header[0]! & 0x0f;
    this.headerBytes = 0;
    this.peeks = this.opcode <= BINARY || this.opcode === CLOSE;
    if (this.peeks && this.opcode > 0) this.peeked = 0;
    if (this.opcode === TEXT || this.opcode === BINARY) this.isBinary = this.opcode === BINARY;
    return true;
  }

  private endFrame(): void {
    this.missing = -1;
    if (this.opcode === PING) this.events.ping();
    else if (this.opcode === CLOSE) this.events.closed(this.peek.readUInt16BE(0), this.peek.toString('utf8', 2, this.peeked));
    else if (this.opcode <= BINARY && this.isLast) this.events.message(this.seq());
  }

  private seq(): number {
    const { peek, peeked } = this;
    if (this.isBinary) return peek[2] === 1 ? peek.readUInt32LE(4) : -1;
    const text = peek.toString('latin1', 0, peeked);
    return text.includes('"delta"') ? Number(SEQ.exec(text)?.[1] ?? -1) : -1;
  }
}
