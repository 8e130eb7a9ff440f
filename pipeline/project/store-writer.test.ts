// The sink's writer before a store that accepts connections and never answers: a partition that is taken back ends the wait.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { historyClient } from '../store/client.ts';
import { NativeBlock } from './native-block.ts';
import { storeWriter } from './store-writer.ts';

it('ends with its caller while the tables are being created', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, user: 'a', password: 'b', database: 'c' };
  const client = historyClient(address);
  const writer = storeWriter(client);
  const block = new NativeBlock([{ name: 'a', type: 'UInt8' }]);
  const inserts = [50, 100].map((ms) => writer.insert({ table: 't', token: 'a', block }, AbortSignal.timeout(ms)));
  for (const insert of inserts) await expect(insert).rejects.toMatchObject({ code: 'history.cancelled' });
  await client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});
