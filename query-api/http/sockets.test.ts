// The API over real sockets: HTTP/1.0, parser errors, keep-alive, slow readers over several ticks.

import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestApi } from '../../test/support/live-view.ts';

const AIRCRAFT = 12_000;
const api = await createTestApi(AIRCRAFT);
const port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port);
afterAll(() => api.app.close());

/** Sends bytes and reads until the server closes; slowly with a pause after each chunk. `onData` is called at the first. */
function exchange(request: string, pauseMs = 0, onData = (): void => {}): Promise<{ head: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (pauseMs === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    });
    socket.once('data', onData).on('error', reject);
    socket.on('close', () => {
      const bytes = Buffer.concat(chunks);
      const end = bytes.indexOf('\r\n\r\n');
      resolve({ head: bytes.toString('latin1', 0, end).toLowerCase(), body: bytes.subarray(end + 4) });
    });
  });
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
    const others = body.toString('latin1');
    expect(others).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
    expect(others.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 304', 'HTTP/1.1 200']);
    expect(others).toMatch(/\{"now":1700000000\.0,"aircraft_count":12000,"messages":4242\}\n$/);
  });
});

describe('requests that cannot be read', () => {
  const end = ' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  it.each([
    ['hello there\r\n', 400, 'bad-request'],
    ['GET /v2/all HTTP/1.1\r\nConnection: close\r\n', 400, 'bad-request'],
    ['FROB /v2/all HTTP/1.1\r\nHost: x\r\n', 400, 'bad-request'],
    [`PROPFIND /v2/all${end}`, 405, 'method-not-allowed'],
    [`POST /v2/all${end}Content-Length: 3\r\n\r\n{{{`, 405, 'method-not-allowed'],
    [`GET /../package.json${end}`, 404, 'not-found'],
    [`GET /v2/hex/${'a'.repeat(9000)}${end}`, 414, 'url-too-long'],
    [`GET /v2/hex/${'a'.repeat(20_000)}${end}`, 414, 'url-too-long'],
    [`GET /v2/all${end}X-Big: ${'a'.repeat(20_000)}\r\n`, 431, 'headers-too-large'],
  ])('%.40j is %i %s', async (request, status, code) => {
    const { head, body } = await exchange(`${request}\r\n`);
    expect(head).toMatch(new RegExp(`^http/1\\.1 ${status} `));
    for (const name of ['content-type: application/problem+json', 'access-control-allow-origin: *', 'x-content-type-options: nosniff'])
      expect(head).toContain(name);
    expect(JSON.parse(body.toString())).toMatchObject({ status, code, detail: expect.any(String), msg: expect.any(String) });
  });
});

it('slow clients get every byte of one tick while later ticks are rendered, and give the memory back', { timeout: 60_000 }, async () => {
  const { view } = api;
  const expected = view.current()!.body('native').toString();
  const all = 'GET /v2/all HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const slow: ReturnType<typeof exchange>[] = [];
  for (let n = 0; n < 3; n += 1) await new Promise<void>((resolve) => slow.push(exchange(all, 2, resolve)));
  for (let tick = 1; tick <= 12; tick += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let i = 0; i < AIRCRAFT; i += 1) view.table.applyState(fullState(i + tick, NOW_MS + tick * 1000));
    view.tick(NOW_MS + tick * 1000);
  }
  for (const { body } of await Promise.all(slow)) expect(body.toString() === expected).toBe(true);
  // A client that goes away in the middle gives its lease back too.
  const gone = connect(port, '127.0.0.1', () => gone.write(all));
  await new Promise((resolve) => gone.once('data', resolve));
  gone.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { allocated } = view.builder.pool;
  for (let tick = 13; tick <= 20; tick += 1) view.tick(NOW_MS + tick * 1000);
  expect(view.builder.pool.allocated).toBe(allocated);
  expect(allocated).toBeLessThanOrEqual(4);
});
