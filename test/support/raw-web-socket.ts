// Clients over plain TCP: of HTTP, WebSocket and event streams. They can send what a library refuses to, read nothing, stay silent, and leave in any way.
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface RawFrame {
  readonly fin: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface RawRequest {
  readonly host?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a whole request. */
  readonly bytes?: string;
}

export const upgradeHeaders: Readonly<Record<string, string>> = {
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Key': KEY,
  'Sec-WebSocket-Version': '13',
};

export class RawClient {
  readonly socket: Socket;
  isEnded = false;
  isClosed = false;
  #bytes: Buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect({ port, host, allowHalfOpen: true });
    this.socket.on('data', (chunk) => this.#chunks.push(chunk));
    this.socket.on('end', () => {
      this.isEnded = true;
    });
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    this.socket.on('error', () => {});
  }

  get received(): Buffer {
    if (this.#chunks.length > 0) {
      this.#bytes = Buffer.concat([this.#bytes, ...this.#chunks]);
      this.#chunks = [];
    }
    return this.#bytes;
  }

  /** All that it has received, as Latin-1. */
  get latin1(): string {
    return this.received.toString('latin1');
  }

  get isOver(): boolean {
    return this.isEnded || this.isClosed;
  }

  /** The status line and headers of the response, and what follows. */
  get response(): { readonly head: string; readonly body: Buffer } | null {
    const end = this.received.indexOf('\r\n\r\n');
    return end < 0 ? null : { head: this.received.toString('latin1', 0, end), body: this.received.subarray(end + 4) };
  }

  get status(): number {
    return Number(this.response?.head.split(' ')[1] ?? 0);
  }

  /** The complete frames so far. */
  get frames(): RawFrame[] {
    return framesIn(this.response?.body ?? Buffer.alloc(0));
  }

  /** The complete messages so far. */
  get messages(): { readonly isBinary: boolean; readonly payload: Buffer }[] {
    const found: { isBinary: boolean; payload: Buffer }[] = [];
    let parts: Buffer[] = [];
    let isBinary = false;
    for (const { fin, opcode, payload } of this.frames) {
      if (opcode > opcodes.binary) continue;
      if (opcode !== opcodes.continuation) isBinary = opcode === opcodes.binary;
      parts.push(payload);
      if (!fin) continue;
      found.push({ isBinary, payload: Buffer.concat(parts) });
      parts = [];
    }
    return found;
  }

  /** Code and reason of the close frame. */
  get closeFrame(): { readonly code: number; readonly reason: string } | null {
    const frame = this.frames.find(({ opcode }) => opcode === opcodes.close);
    return frame === undefined ? null : { code: frame.payload.readUInt16BE(0), reason: frame.payload.toString('utf8', 2) };
  }

  /** The body of a response, with or without chunks. */
  get content(): Buffer {
    const { head, body } = this.response ?? { head: '', body: Buffer.alloc(0) };
    return /transfer-encoding: chunked/i.test(head) ? unchunked(body) : body;
  }

  /** The body of an event stream; comments are left out. */
  get events(): string {
    return this.content.toString().replaceAll(':\n\n', '');
  }

  request({ method = 'GET', path = '/', headers = {}, bytes }: RawRequest = {}): this {
    const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(bytes ?? `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return this;
  }

  frame(opcode: number, payload: Buffer | string = '', { fin = true, isMasked = true, rsv = 0, length = -1 } = {}): this {
    const data = Buffer.from(payload);
    const shown = length < 0 ? data.length : length;
    const head =
      shown < 126
        ? [shown]
        : shown < 65536
          ? [126, shown >> 8, shown & 0xff]
          : [127, 0, 0, 0, 0, (shown >>> 24) & 0xff, (shown >> 16) & 0xff, (shown >> 8) & 0xff, shown & 0xff];
    head[0]! |= isMasked ? 0x80 : 0;
    const masked = isMasked ? data.map((byte, i) => byte ^ MASK[i % 4]!) : data;
    this.socket.write(Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | rsv | opcode, ...head]), isMasked ? MASK : Buffer.alloc(0), masked]));
    return this;
  }

  text(payload: string): this {
    return this.frame(opcodes.text, payload);
  }

  /** Vanishes: a reset. */
  destroy(): void {
    this.socket.resetAndDestroy();
  }

  async until(what: string, condition: (client: this) => boolean): Promise<this> {
    await until(() => condition(this), what);
    return this;
  }
}

function framesIn(bytes: Buffer): RawFrame[] {
  const frames: RawFrame[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes[at + 1]! & 0x7f;
    const start = at + (short === 127 ? 10 : short === 126 ? 4 : 2);
    if (start > bytes.length) break;
    const length = short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
    if (start + length > bytes.length) break;
    frames.push({ fin: (bytes[at]! & 0x80) !== 0, opcode: bytes[at]! & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return frames;
}

function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const line = body.indexOf('\r\n', at);
    if (line < 0) break;
    const length = Number.parseInt(body.toString('latin1', at, line), 16);
    parts.push(body.subarray(line + 2, line + 2 + length));
    at = line + 4 + length;
  }
  return Buffer.concat(parts);
}

/** Connects, from this source address, and sends the bytes. Resolves when connected, or refused at once. */
export function silentClient(port: number, { from = '127.0.0.1', bytes = '' } = {}): Promise<Socket> {
  return new Promise((resolve) => {
    // Our half stays open when the server closes its half.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, localAddress: from });
    socket.on('error', () => resolve(socket));
    socket.once('connect', () => {
      socket.write(bytes);
      socket.pause();
      resolve(socket);
    });
  });
}

/** Pipelined requests of `paths`. */
export function pipelined(paths: readonly string[]): string {
  return paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
}

/** Bytes that the kernel has accepted. It buffers megabytes for a slow client, and then accepts more only after the client reads. */
function takenBytes(socket: Socket): number {
  const { _handle } = socket as unknown as { readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } };
  return _handle.bytesWritten - _handle.writeQueueSize;
}

/** Waits until the kernel accepts more bytes than it has now. */
export async function untilMoreTaken(socket: Socket): Promise<void> {
  const before = takenBytes(socket);
  await until(() => takenBytes(socket) > before, 'more is taken for the slow one');
}
