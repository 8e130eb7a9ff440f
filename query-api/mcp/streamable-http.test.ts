// The tool server as HTTP: who may call it, what it refuses, and with which codes. No request leaves anything for the next.
import { afterAll, describe, expect, it, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { RawClient } from '../../test/support/raw-web-socket.ts';
import { createToolApi } from '../../test/support/tool-api.ts';
import { until } from '../../test/support/until.ts';
import { type CallerAccess, unlimitedAccess } from '../access/access.ts';
import { plainCaller } from '../access/caller.ts';

const guarded: CallerAccess = {
  ...unlimitedAccess,
  identify(address, headers) {
    if (headers['authorization'] !== undefined) throw new SquitterError('access.wrong_key');
    return plainCaller(address);
  },
};
/** Two servers for all tests: one that admits programs on this machine only, and one with an open trial. */
const api = await createToolApi(3);
const open = await createToolApi(3, { isTrialOpen: true, access: guarded });
afterAll(async () => {
  await api.close();
  await open.close();
});

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const stats = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'network_stats', arguments: {} } });

describe('a caller', () => {
  const proxied = { 'x-forwarded-for': '192.0.2.1' };

  it('on this machine needs no key; behind a proxy it needs one, unless the trial is open; a wrong key is refused', async () => {
    const response = await api.post(ping);
    expect([response.status, await response.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
    const names = ['content-type', 'cache-control', 'mcp-session-id'];
    expect(names.map((name) => response.headers.get(name))).toEqual(['application/json', 'no-store', null]);
    const refused = await api.post(ping, proxied);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="squitter"']);
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
    expect(await refused.json()).toMatchObject({ status: 401, code: 'no-key' });
    expect((await open.post(ping, proxied)).status).toBe(200);
    const wrong = await open.post(ping, { authorization: 'Bearer sqt_x' });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="squitter", error="invalid_token"']);
  });

  it('that is a page of another origin is refused before its body is read, and one of this machine is not', async () => {
    for (const origin of [
      ...['https://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'],
      ...['http://planes.example', 'file://'],
    ]) {
      const response = await open.post(ping, { origin });
      expect([origin, response.status, await response.json()]).toEqual([origin, 403, expect.objectContaining({ code: 'wrong-origin' })]);
    }
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:3000', 'http://[::1]', 'https://planes.example'])
      expect([origin, (await open.post(ping, { origin })).status]).toEqual([origin, 200]);
    const head =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nConnection: close\r\nContent-Length: 9000\r\n\r\n';
    expect(await raw(open.url, head)).toMatch(/^HTTP\/1.1 403 /);
  });
});

test('discovery costs nothing; a call costs a turn, and the bytes of its result', async () => {
  const costs: (string | number)[] = [];
  const access: CallerAccess = {
    ...unlimitedAccess,
    admit(caller, cost) {
      if (cost !== 'none') costs.push(cost);
      return unlimitedAccess.admit(caller, cost);
    },
    spend(_, bytes) {
      costs.push(bytes);
      return null;
    },
  };
  const counting = await createToolApi(3, { isTrialOpen: true, access });
  costs.length = 0;
  await (await counting.post(ping)).text();
  await (await counting.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text();
  expect(costs).toEqual([]);
  const text = await (await counting.post(stats(1))).text();
  expect(costs).toEqual(['turn', Buffer.byteLength(text)]);
  await counting.close();
});

describe('a request', () => {
  it.each(['GET', 'DELETE', 'PUT'])('of method %s gets 405: there are no streams and no sessions', async (method) => {
    const response = await fetch(`${api.url}/mcp`, { method, headers: { accept: 'text/event-stream' } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it.each([
    [415, 'content-type', ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'text/plain; a=application/json', '']],
    [406, 'accept', ['text/event-stream', 'text/html']],
    [200, 'accept', ['application/json', '*/*', 'application/*;q=0.5', 'application/json, text/event-stream']],
    [400, 'mcp-protocol-version', ['1999-01-01']],
    [200, 'mcp-protocol-version', ['2025-06-18']],
    // The session of another server has no meaning here.
    [200, 'mcp-session-id', ['abc']],
  ])('gets %i for the header %s: %j', async (status, name, values) => {
    for (const value of values) expect([value, (await api.post(ping, { [name]: value })).status]).toEqual([value, status]);
  });

  it.each([
    ...['', '{', '\u0000', 'null', '1', '"x"', '{}', '{"jsonrpc":"2.0"}'],
    ...['{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
  ])('with the body %j gets 400 and an error of JSON-RPC without an id', async (body) => {
    const response = await api.post(body);
    const error = { code: -32700, message: expect.any(String) };
    expect([response.status, await response.json()]).toEqual([400, { jsonrpc: '2.0', id: null, error }]);
  });

  it('that is too large gets 413, by its length and by its bytes', async () => {
    const padded = (bytes: number): string => JSON.stringify({ ...ping, params: { x: 'x'.repeat(bytes) } });
    expect((await api.post(padded(limits.toolBodyBytesMax - 100))).status).toBe(200);
    expect((await api.post(padded(limits.toolBodyBytesMax))).status).toBe(413);
    const pieces = `${'1000\r\n'}${'x'.repeat(4096)}\r\n`.repeat(20);
    const head =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await raw(api.url, head + pieces)).toMatch(/^HTTP\/1.1 413 /);
  });

  const note = (method: string) => ({ jsonrpc: '2.0', method: `notifications/${method}`, params: { requestId: 1 } });
  it.each<[body: object, status: number, error?: object]>([
    [{ jsonrpc: '2.0', id: 'a', method: 'sampling/createMessage' }, 200, { code: -32601, message: 'Method not found' }],
    [note('initialized'), 202],
    [note('cancelled'), 202],
    [{ jsonrpc: '2.0', id: 1, result: {} }, 202],
    [[note('cancelled')], 202],
  ])('%j gets %i: an error for an unknown method, nothing where there is nothing to respond to', async (body, status, error) => {
    const response = await api.post(body);
    const expected = error === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: 'a', error });
    expect([response.status, await response.text()]).toEqual([status, expected]);
  });
});

describe('a batch', () => {
  it('gets the responses of its requests', async () => {
    const response = await api.post([stats(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, { ...ping, id: 'b' }, stats(3)]);
    expect(((await response.json()) as { id: unknown }[]).map(({ id }) => id)).toEqual([1, 'b', 3]);
  });

  it('of no or too many messages gets 400', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => stats(i));
    expect((await api.post(many(limits.toolBatchMax))).status).toBe(200);
    for (const count of [0, limits.toolBatchMax + 1]) {
      const response = await api.post(many(count));
      expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([400, -32600]);
    }
  });

  it('is not held up by a cancellation in it, nor by requests with the same id', async () => {
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await api.post([stats(1), cancel])).status).toBe(200);
    expect((await api.post([cancel, stats(1), stats(1)])).status).toBe(200);
  });
});

/** Sends bytes and reads until the server closes. */
async function raw(url: string, text: string): Promise<string> {
  const client = new RawClient(Number(new URL(url).port)).request({ bytes: text });
  await until(() => client.isOver);
  return client.latin1;
}
