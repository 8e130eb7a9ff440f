// The clients of the push benchmarks, forked: thousands of connections that read headers of frames only, and note when each delta was complete.
import { connect } from 'node:net';
import { cpuSeconds, monotonicMs } from './clock.ts';
import { FrameReader } from './frame-reader.ts';

export interface Reader {
  readonly path: string;
  readonly protocol?: string;
  /** A text message, sent when the connection is open. */
  readonly first?: string;
}

export type ReadersOrder =
  | { readonly type: 'connect'; readonly port: number; readonly readers: readonly Reader[] }
  /** From now on reports each delta that so many readers have. */
  | { readonly type: 'follow'; readonly frames: number }
  | { readonly type: 'usage' };

export type ReadersReport =
  | { readonly type: 'connected' }
  /** Times by the machine's monotonic clock, ms, sorted. */
  | { readonly type: 'delta'; readonly seq: number; readonly times: readonly number[] }
  | { readonly type: 'usage'; readonly cpuS: number; readonly bytes: number; readonly closed: number };

/** Connections that wait for the response to their upgrade at a time. */
const OPENING_MAX = 128;
const READ_BYTES = 256 * 1024;
const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);
const PONG = Buffer.from([0x8a, 0x80, ...MASK]);

/** One for all connections: what is read is used at once. */
const memory = Buffer.allocUnsafeSlow(READ_BYTES);
const noted = new Map<number, number[]>();
const readers: FrameReader[] = [];
let closed = 0;
let followed = Number.POSITIVE_INFINITY;

function note(seq: number): void {
  if (seq < 0) return;
  let times = noted.get(seq);
  if (times === undefined) {
    times = [];
    noted.set(seq, times);
  }
  times.push(monotonicMs());
  if (times.length < followed) return;
  for (const old of noted.keys()) if (old <= seq) noted.delete(old);
  report({ type: 'delta', seq, times });
}

function report(what: ReadersReport): void {
  process.send!(what);
}

function open(port: number, { path, protocol, first }: Reader): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: memory,
        callback: (length) => {
          reader.read(memory, length);
          return true;
        },
      },
    });
    const reader = new FrameReader({
      opened(status) {
        if (status !== 101) reject(new Error(`${path}: status ${status}`));
        if (first !== undefined) socket.write(textFrame(first));
        resolve();
      },
      message: note,
      ping: () => void socket.write(PONG),
      closed(code, reason) {
        process.stderr.write(`${path}: closed with ${code} ${reason}\n`);
        socket.destroy();
      },
    });
    readers.push(reader);
    socket.setNoDelay(true);
    socket.on('error', (error) => {
      process.stderr.write(`${path}: ${error.message}\n`);
      reject(error);
    });
    socket.on('close', () => {
      closed += 1;
    });
    const fields = [
      'Host: bench',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ];
    socket.write(`GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  });
}

/** A masked text message of less than 126 bytes. */
function textFrame(text: string): Buffer {
  const data = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length]), MASK, data.map((byte, i) => byte ^ MASK[i % 4]!)]);
}

async function openAll(port: number, wanted: readonly Reader[]): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < wanted.length) await open(port, wanted[next++]!);
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, work));
  report({ type: 'connected' });
}

process.on('message', (order: ReadersOrder) => {
  if (order.type === 'connect') void openAll(order.port, order.readers);
  else if (order.type === 'follow') followed = order.frames;
  else report({ type: 'usage', cpuS: cpuSeconds(), bytes: readers.reduce((sum, { bytes }) => sum + bytes, 0), closed });
});
process.on('disconnect', () => process.exit());
