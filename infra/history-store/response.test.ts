// Results on their way to slow clients, and to clients that never read.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ResultWriter } from './response.ts';

const CHUNK = Buffer.alloc(256 * 1024, 'x');
const HEAD = { id: 'a', format: 'CSV' } as const;
const STALL_MS = 200;

let close = (): void => {};
afterEach(() => close());

/** The response to a client that has asked, and the client. */
async function asked(): Promise<{ response: ServerResponse; client: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  close = () => {
    client.destroy();
    server.close();
  };
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { response, client };
}

describe('a result', () => {
  it('has no more listeners after many chunks than after one', async () => {
    const { response, client } = await asked();
    client.resume();
    const out = new ResultWriter(response, HEAD);
    for (let i = 0; i < 200; i += 1) await out.write(CHUNK);
    expect(response.listenerCount('close')).toBeLessThan(10);
    await out.end();
    expect(response.writableFinished).toBe(true);
  });

  it('of a client that never reads ends after a while, and the connection with it', async () => {
    const { response, client } = await asked();
    client.pause();
    const out = new ResultWriter(response, HEAD, STALL_MS);
    while (!response.destroyed) await out.write(CHUNK);
    await out.end();
    await out.fail({ message: 'too late' } as never);
  });

  it('of a slow client that keeps reading arrives whole', async () => {
    const { response, client } = await asked();
    let bytes = 0;
    client.on('data', (chunk) => {
      bytes += chunk.length;
      client.pause();
      setTimeout(() => client.resume(), 2);
    });
    const out = new ResultWriter(response, HEAD, STALL_MS);
    for (let i = 0; i < 40; i += 1) await out.write(CHUNK);
    await out.end();
    expect(response.writableFinished).toBe(true);
    expect(bytes).toBeGreaterThan(0);
  });
});
