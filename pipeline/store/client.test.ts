// The client and the sink's writer before a store that accepts connections and never answers: frozen, or behind a network that is gone.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HistoryClient, historyClient } from './client.ts';

const WAIT = { waitMsMax: 100 } as const;
const NO_RESPONSE = { code: 'history.unreachable', message: 'the history store does not answer: no response within 0.1 s' };

describe('a client of a store that never answers', () => {
  let server: Server;
  let sockets: Socket[];
  let client: HistoryClient;

  /** `head`: what it answers before it falls silent. */
  const listen = async (head = ''): Promise<void> => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.once('data', () => socket.write(head));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = historyClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, user: 'a', password: 'b', database: 'c' });
  };
  beforeEach(() => listen());
  afterEach(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const drained = async (rows: AsyncGenerator<unknown>): Promise<void> => {
    for await (const _ of rows);
  };

  it('gives up, whatever it asked, and ends with its caller before', async () => {
    const rows = { table: 't', columns: ['a'], format: 'RowBinary', body: Buffer.alloc(4), token: null } as const;
    const calls = [
      client.rows('SELECT 1', undefined, WAIT),
      client.command('SELECT 1', undefined, WAIT),
      client.insert(rows, WAIT),
      drained(client.stream('SELECT 1', undefined, WAIT)),
      drained(client.bytes('SELECT 1', undefined, WAIT)),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject(NO_RESPONSE);
    // The second one's caller has ended before.
    const signal = AbortSignal.timeout(50);
    for (let i = 0; i < 2; i += 1)
      await expect(client.rows('SELECT 1', undefined, { signal })).rejects.toMatchObject({ code: 'history.cancelled' });
  });

  it('gives up in the middle of a response', async () => {
    await client.close();
    server.close();
    await listen('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n{"a":1}\n');
    await expect(client.rows('SELECT 1', undefined, WAIT)).rejects.toMatchObject(NO_RESPONSE);
    await expect(drained(client.bytes('SELECT 1', undefined, WAIT))).rejects.toMatchObject(NO_RESPONSE);
  });
});
