// Publishing to a crowd: in short turns, and never to a socket that left during a turn.
import { expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import type { Pipe } from './pipe.ts';
import { SocketTable } from './socket-table.ts';

const CROWD = 20;
const none = { opening() {}, message() {}, behind() {}, drained() {}, closed() {} };
const request = { kind: 'events', method: 'GET', url: '/v2/stream', headers: {}, address: '192.0.2.1' } as const;

/** Takes everything, and a while for it. */
function slowPipe(written: () => void): Pipe {
  return {
    ...{ table: null, accept() {}, refuse() {}, ping: () => false, close() {}, destroy() {}, buffered: () => 0 },
    write(outgoing) {
      const startMs = performance.now();
      while (performance.now() - startMs < limits.pushTurnMsMax / 2);
      written();
      return outgoing.bytes.length;
    },
  };
}

test('others of the event loop have their turn while a frame is published, and a socket that left then gets nothing', async () => {
  const table = new SocketTable({ host: '', port: 0, flag: '--push', socketsMax: CROWD, hop: null }, none);
  const writes = new Array<number>(CROWD).fill(0);
  const sockets = writes.map(
    (_, n) =>
      table.open(
        request,
        slowPipe(() => (writes[n]! += 1)),
      )!,
  );
  for (const { id } of sockets) {
    table.accept(id, null);
    table.join(id, 1);
  }
  let turns = 0;
  let isPublished = false;
  const other = (): void => {
    turns += 1;
    if (turns === 1) table.leave(sockets[CROWD - 1]!.id, 1);
    if (turns === 2) sockets[CROWD - 2]!.gone(1006);
    if (!isPublished) setImmediate(other);
  };
  setImmediate(other);
  await table.publish([{ channel: 1, bytes: Buffer.from('frame'), isBinary: false }]);
  isPublished = true;
  expect(writes).toEqual(writes.map((_, n) => (n < CROWD - 2 ? 1 : 0)));
  // Two or three writes fill a turn.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(CROWD / 3));
  for (const socket of sockets) socket.gone(1006);
  await table.close();
});
