// The reference for the whole service: a process that reads Beast from a socket, folds it with the plain fold and builds its states each second.
import { createServer } from 'node:net';
import { createPlainWorld, foldPlain } from './plain-fold.ts';

const ESCAPE = 0x1a;
const BODY_BYTES = { 50: 14, 51: 21 } as Record<number, number>;

const world = createPlainWorld();
let frames = 0;
let json = 0;
const onTick = (states: readonly object[]): void => {
  json += JSON.stringify(states).length;
};

/** Handles all complete messages; returns the remaining bytes. */
function parse(bytes: Buffer): Buffer {
  let at = 0;
  for (;;) {
    const start = bytes.indexOf(ESCAPE, at);
    if (start < 0) return Buffer.alloc(0);
    const length = BODY_BYTES[bytes[start + 1]!];
    if (length === undefined) {
      if (start + 1 >= bytes.length) return bytes.subarray(start);
      at = start + 2;
      continue;
    }
    const body: number[] = [];
    let end = start + 2;
    while (body.length < length && end < bytes.length) {
      if (bytes[end] === ESCAPE) end += 1;
      if (end < bytes.length) body.push(bytes[end]!);
      end += 1;
    }
    if (body.length < length) return bytes.subarray(start);
    foldPlain(world, Uint8Array.from(body.slice(7)), Date.now() / 1000, body[6]!, onTick);
    frames += 1;
    at = end;
  }
}

const server = createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = parse(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
  });
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as { port: number }).port));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ frames: json >= 0 ? frames : 0, cpuS: (user + system) / 1e6 });
});
process.on('SIGTERM', () => process.exit());
