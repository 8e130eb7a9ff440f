// Further protocols on the HTTP port: the same hooks, limits, metrics and closing as for other routes.
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { createTestApi } from '../../test/support/live-view.ts';
import { RawClient } from '../../test/support/raw-web-socket.ts';
import { until } from '../../test/support/until.ts';
import { plainCaller } from '../access/caller.ts';
import type { Exchange, Protocol } from '../protocol.ts';
import type { QueryApiOptions } from './app.ts';

let registry: Registry;

/** A protocol that responds with what it got, and its address. */
async function serve(more: Partial<Protocol> = {}, options: Partial<QueryApiOptions> = {}): Promise<string> {
  const protocol: Protocol = {
    routes: [
      { path: '/echo.Service/Call', methods: ['GET', 'POST'], cost: 'turn' },
      { path: '/echo', methods: ['POST'], cost: 'turn' },
    ],
    bodyBytesMax: 1000,
    exposedHeaders: ['Echo-Status'],
    handle({ request, response, path, body, caller, id }) {
      const found = JSON.stringify({ method: request.method, path, body: body.toString(), caller, id });
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(found), 'echo-status': '7' }).end(found);
    },
    ...more,
  };
  registry = new Registry();
  const api = await createTestApi(3, { registry, protocols: [protocol], ...options });
  onTestFinished(() => api.app.close());
  return api.app.listen({ host: '127.0.0.1', port: 0 });
}

/** Sends bytes and reads until the server closes. */
async function exchange(url: string, ...pieces: readonly string[]): Promise<string> {
  const client = new RawClient(Number(new URL(url).port));
  for (const piece of pieces) {
    client.socket.write(piece);
    await sleep(20);
  }
  await until(() => client.isOver);
  client.socket.destroy();
  return client.latin1;
}

describe('requests of a protocol', () => {
  it('come with path, body, caller and id', async () => {
    const url = await serve();
    const posted = await fetch(`${url}/echo?x=1`, { method: 'POST', body: 'hello', headers: { 'x-request-id': 'mine' } });
    const expected = { method: 'POST', path: '/echo', body: 'hello', caller: plainCaller('127.0.0.1'), id: 'mine' };
    const text = await posted.text();
    expect(JSON.parse(text)).toEqual(expected);
    const got = await (await fetch(`${url}/echo.Service/Call?x=1`)).json();
    expect(got).toMatchObject({ method: 'GET', path: '/echo.Service/Call', body: '' });
    const head = await fetch(`${url}/echo.Service/Call`, { method: 'HEAD' });
    expect([head.status, head.headers.get('echo-status')]).toEqual([200, '7']);
    // They are counted by route, with the bytes of their bodies.
    await expect.poll(() => registry.metrics()).toContain('squitter_http_requests_total{route="/echo",status="200"} 1');
    expect(await registry.metrics()).toContain(`squitter_http_response_bytes_total{route="/echo"} ${text.length}`);
  });

  it('may arrive in pieces of any content type, and one behind the other', async () => {
    const url = await serve();
    const request = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: some/thing\r\nContent-Length: 6\r\n';
    const text = await exchange(url, request, '\r\nabc', `def${request}Connection: close\r\n\r\nsecond`);
    expect(text.match(/"body":"\w+"/g)).toEqual(['"body":"abcdef"', '"body":"second"']);
  });

  it('have CORS, preflight included, and a 405 with the methods of the path', async () => {
    const url = await serve();
    const { headers } = await fetch(`${url}/echo`, { method: 'POST' });
    expect(headers.get('access-control-expose-headers')).toMatch(/^Link, .*, ETag, .*, Echo-Status$/);
    const wanted = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'connect-protocol-version,x-grpc-web' };
    const preflight = await fetch(`${url}/echo.Service/Call`, { method: 'OPTIONS', headers: { origin: 'https://map.example', ...wanted } });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'connect-protocol-version,x-grpc-web']);
    const refused = await fetch(`${url}/echo`);
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect((await fetch(`${url}/echo.Service`, { method: 'POST' })).status).toBe(404);
  });
});

describe('refused requests of a protocol', () => {
  const refuse = ({ code }: SquitterError, { response }: Pick<Exchange, 'response'>): void => {
    response.writeHead(499, { 'content-length': code.length }).end(code);
  };

  it('end the connection when the body is very long', async () => {
    const url = await serve();
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\n';
    const declared = await exchange(url, `${head}Content-Length: ${limits.bodyDiscardedBytesMax + 1}\r\n\r\n`);
    expect(declared.toLowerCase()).toContain('connection: close');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const chunks = Array.from({ length: 1 + limits.bodyDiscardedBytesMax / 0x10000 }, () => chunk);
    expect(await exchange(url, `${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunks)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('leave the connection usable, whenever the body comes', async () => {
    const url = await serve({ refuse, bodyBytesMax: 4 });
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\n';
    const text = await exchange(
      url,
      `${head}Content-Length: 10\r\n\r\n`,
      'x'.repeat(10),
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nxxxxx\r\n`,
      '5\r\nyyyyy\r\n0\r\n\r\n',
      `${head}Content-Length: 5\r\n\r\n${'x'.repeat(5)}`,
      `${head}Content-Length: 5\r\nConnection: close\r\n\r\n${'x'.repeat(5)}`,
    );
    expect(text.match(/HTTP\/1\.1 499 /g)).toHaveLength(4);
  });

  it('are internal errors if the protocol fails, and ended ones if its response has begun', async () => {
    const url = await serve({
      handle({ path, response }) {
        if (path === '/echo') return Promise.reject(new Error('secret'));
        response.writeHead(200).write('a');
        throw new Error('secret');
      },
    });
    const response = await fetch(`${url}/echo`, { method: 'POST' });
    const body = await response.text();
    expect(response.status).toBe(500);
    expect(body).toContain('"code":"internal"');
    expect(body).not.toContain('secret');
    await expect(fetch(`${url}/echo.Service/Call`).then((begun) => begun.text())).rejects.toThrow();
  });
});
