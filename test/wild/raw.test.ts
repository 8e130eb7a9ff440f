// Bytes over a socket that a URL library would normalise: dots, tabs, high bytes, half a request. The response is always a problem, never
// HTML, never missing.
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Contract } from '../support/contract.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';

const RESPONSE_MS_MAX = 5000;

const ADDRESSES = [
  '/v2/hex/../all',
  '/v2/./all',
  '//v2//all',
  '/v2/all/../../../etc/passwd',
  '/v2/hex/%2e%2e%2f%2e%2e%2fetc',
  '/v2/all?',
  '/v2/all??',
  '/v2/all?&&&=',
  '/v2/all#fragment',
  '/v2/all;jsessionid=1',
  '/V2/ALL',
  '/v2/hex/\t',
  'http://elsewhere.example/v2/all',
  'v2/all',
  '*',
  '',
  `/v2/hex/${'a'.repeat(9000)}`,
  `/v2/all?${'a=1&'.repeat(1500)}`,
  `/v2/all?${'limit=1&'.repeat(900)}`,
];

let api: TestApi;
let contract: Contract;
let port = 0;
beforeAll(async () => {
  api = await createTestApi(20);
  contract = api.contract;
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.server.address() as AddressInfo).port;
});
afterAll(() => api.app.close());

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The response to a request line, with `Connection: close`. */
function ask(line: Buffer | string, headers = ''): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.concat([Buffer.from(line as string), Buffer.from(`\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`)]));
    });
    const chunks: Buffer[] = [];
    socket.setTimeout(RESPONSE_MS_MAX, () => socket.destroy(new Error('no response')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(Buffer.concat(chunks))));
  });
}

function parse(bytes: Buffer): Raw {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1]), headers, body: bytes.subarray(end + 4) };
}

/** Checks the response for an unknown path: an error is a problem document, a success is not a page. */
function expectGood({ status, headers, body }: Raw, method = 'GET'): void {
  expect(status, body.toString().slice(0, 200)).toBeGreaterThanOrEqual(200);
  expect(status, body.toString().slice(0, 200)).toBeLessThan(500);
  if (status >= 400) expect(contract.faults({ method, url: '/unknown', status, headers, body })).toEqual([]);
}

const LINES: readonly (readonly [line: string, method?: string])[] = [
  ...ADDRESSES.map((path) => [`GET ${path} HTTP/1.1`] as const),
  ...['TRACE', 'CONNECT', 'PROPFIND', 'get', 'GÉT', 'FOO'].map((method) => [`${method} /v2/all HTTP/1.1`, method] as const),
  ...['HTTP/9.9', 'HTTP/1.1 more', 'ICAP/1.0', ''].map((version) => [`GET /v2/all ${version}`] as const),
];

test.each(LINES.map(([line, method]) => [line.slice(0, 60), line, method] as const))('%s', async (_, line, method) => {
  expectGood(await ask(line), method);
});

test.each(['nonsense', 'A: b\r\n c', ': x', 'If-None-Match: \u0001', 'Content-Length: x', 'Transfer-Encoding: nothing'])(
  '%j',
  async (header) => {
    expectGood(await ask('GET /v2/stats HTTP/1.1', `${header}\r\n`));
  },
);

test('any bytes in a URL', async () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array.filter((byte) => byte !== 0x0a && byte !== 0x0d)));
  const paths = ['/', '/v2/', '/v2/hex/', '/v2/all?', '/v2/bbox?min_lat=', '/re-api/?circle=', '/compat/v2/point/'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bytes, async (path, noise) => {
      expectGood(await ask(Buffer.concat([Buffer.from(`GET ${path}`), noise, Buffer.from(' HTTP/1.1')])));
    }),
    { numRuns: 150, seed: 11 },
  );
});
