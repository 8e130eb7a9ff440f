// The API over real sockets: HTTP/1.0, parser errors, keep-alive, slow clients that read while ticks go on.

import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestApi, type TestApi } from '../../test/support/live-view.ts';

let api: TestApi;
let port = 0;

beforeAll(async () => {
  api = await createTestApi(3000);
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.server.address() as AddressInfo).port;
});
afterAll(() => api.app.close());

/** Sends bytes and reads until the server closes. */
function exchange(request: string): Promise<{ head: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(splitResponse(Buffer.concat(chunks))));
  });
}

function splitResponse(bytes: Buffer): { head: string; body: Buffer } {
  const end = bytes.indexOf('\r\n\r\n');
  return { head: bytes.toString('latin1', 0, end).toLowerCase(), body: bytes.subarray(end + 4) };
}

const hex = fullState(1).hex;

describe('plain old clients', () => {
  it('responds to HTTP/1.0 with a length and closes', async () => {
    for (const path of ['/v2/all', `/v2/hex/${hex}`, '/data/aircraft.json']) {
      const { head, body } = await exchange(`GET ${path} HTTP/1.0\r\n\r\n`);
      expect(head).toMatch(/^http\/1\.1 200 ok/);
      expect(head).not.toContain('transfer-encoding');
      expect(head).toContain(`content-length: ${body.length}`);
      expect(() => JSON.parse(body.toString())).not.toThrow();
    }
  });

  it('sends no body with HEAD and 304, so that the connection stays usable', async () => {
    const etag = String((await api.app.inject('/v2/all')).headers['etag']);
    const requests = [
      'HEAD /v2/all HTTP/1.1\r\nHost: x\r\n\r\n',
      `GET /v2/all HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\n\r\n`,
      'GET /v2/stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ];
    const { head, body } = await exchange(requests.join(''));
    expect(head).toContain('http/1.1 200 ok');
    const rest = body.toString('latin1');
    expect(rest).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
    expect(rest.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 304', 'HTTP/1.1 200']);
    expect(rest).toMatch(/\{"now":1700000000\.0,"aircraft_count":3000,"messages":4242\}\n$/);
  });
});

describe('requests that cannot be read', () => {
  const expectProblem = ({ head, body }: { head: string; body: Buffer }, status: number, code: string): void => {
    expect(head).toMatch(new RegExp(`^http/1\\.1 ${status} `));
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain('access-control-allow-origin: *');
    expect(head).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(body.toString())).toMatchObject({ status, code, detail: expect.any(String), msg: expect.any(String) });
  };

  const rest = ' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  it.each([
    ['hello there\r\n', 400, 'bad-request'],
    ['GET /v2/all HTTP/1.1\r\nConnection: close\r\n', 400, 'bad-request'],
    ['FROB /v2/all HTTP/1.1\r\nHost: x\r\n', 400, 'bad-request'],
    [`PROPFIND /v2/all${rest}`, 405, 'method-not-allowed'],
    [`POST /v2/all${rest}Content-Length: 3\r\n\r\n{{{`, 405, 'method-not-allowed'],
    [`GET /../package.json${rest}`, 404, 'not-found'],
    [`GET /v2/hex/${'a'.repeat(9000)}${rest}`, 414, 'url-too-long'],
    [`GET /v2/hex/${'a'.repeat(20_000)}${rest}`, 414, 'url-too-long'],
    [`GET /v2/all${rest}X-Big: ${'a'.repeat(20_000)}\r\n`, 431, 'headers-too-large'],
  ])('%.40j is %i %s', async (request, status, code) => {
    expectProblem(await exchange(`${request}\r\n`), status, code);
  });
});

describe('slow clients', () => {
  it('get every byte of one tick while later ticks are rendered, and give the memory back', { timeout: 60_000 }, async () => {
    const { app, view } = await createTestApi(12_000);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port: slowPort } = app.server.address() as AddressInfo;
    const expected = view.current()!.body('native').toString();
    const sockets = Array.from({ length: 3 }, () => connect(slowPort, '127.0.0.1'));
    const received = sockets.map((socket) => readSlowly(socket));
    const started = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
    for (const socket of sockets) socket.write('GET /v2/all HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await started;
    for (let tick = 1; tick <= 12; tick += 1) {
      for (let i = 0; i < 12_000; i += 1) view.table.applyState(fullState(i + tick, NOW_MS + tick * 1000));
      view.tick(NOW_MS + tick * 1000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const bytes of await Promise.all(received)) {
      const { head, body } = splitResponse(bytes);
      expect(head).toContain(`content-length: ${expected.length}`);
      expect(body.toString() === expected).toBe(true);
    }
    // A client that goes away in the middle gives its lease back too.
    const gone = connect(slowPort, '127.0.0.1', () => gone.write('GET /v2/all HTTP/1.1\r\nHost: x\r\n\r\n'));
    await new Promise((resolve) => gone.once('data', resolve));
    gone.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { allocated } = view.builder.pool;
    for (let tick = 13; tick <= 20; tick += 1) view.tick(NOW_MS + tick * 1000);
    expect(view.builder.pool.allocated).toBe(allocated);
    expect(allocated).toBeLessThanOrEqual(4);
    await app.close();
  });

  /** Reads a little, waits, reads a little. */
  function readSlowly(socket: Socket): Promise<Buffer> {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      socket.pause();
      setTimeout(() => socket.resume(), 2);
    });
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks)));
    });
  }
});
