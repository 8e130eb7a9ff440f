// Results on their way to slow clients, and to clients that never read.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ResultWriter } from './response.ts';

const CHUNK = Buffer.alloc(256 * 1024, 'x');
const STALL_MS = 200;

let close = (): void => {};
afterEach(() => close());

/** The response to a client that has sent a request, and the client. */
async function opened(): Promise<{ response: ServerResponse; client: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  close = () => {
    client.destroy();
    server.close();
  };
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { response, client };
}

it('ends for a client that never reads, and arrives whole at a slow one', async () => {
  const deaf = await opened();
  deaf.client.pause();
  const unread = new ResultWriter(deaf.response, STALL_MS);
  while (!deaf.response.destroyed) await unread.write(CHUNK);
  await unread.end();
  await unread.fail({ message: 'too late' } as never);
  close();

  const { response, client } = await opened();
  client.on('data', () => {
    client.pause();
    setTimeout(() => client.resume(), 2);
  });
  const out = new ResultWriter(response, STALL_MS);
  for (let i = 0; i < 40; i += 1) await out.write(CHUNK);
  await out.end();
  expect(response.writableFinished).toBe(true);
});
