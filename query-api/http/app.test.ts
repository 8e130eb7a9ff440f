// The API in process: bodies, errors, headers, conditional requests.
import * as zlib from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aircraftObject } from '../../pipeline/aircraft/plain.ts';
import { zstd } from '../../pipeline/runtime/zstd.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestApi } from '../../test/support/live-view.ts';

const api = await createTestApi(50);
const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  api.app.inject({ method: 'GET', url, headers });
const hexOf = (i: number): string => fullState(i).hex;

describe('snapshot responses', () => {
  it('/v2/all has the envelope and every aircraft', async () => {
    const response = await get('/v2/all');
    const body = response.json<{ ac: { hex: string }[] }>();
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
    expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length);
    expect(Object.keys(body)).toEqual(['now', 'messages', 'total', 'ctime', 'ptime', 'ac']);
    expect(body).toMatchObject({ now: NOW_MS / 1000, messages: 4242, total: 50, ptime: NOW_MS / 1000 + 0.3, ctime: NOW_MS / 1000 + 0.3 });
    const byHex = body.ac.toSorted((one, other) => one.hex.localeCompare(other.hex));
    expect(byHex).toEqual(Array.from({ length: 50 }, (_, i) => aircraftObject(fullState(i), NOW_MS, 'native')));
    expect(response.body).toContain(`{"now":${NOW_MS / 1000}.0,`);
  });

  it('/data/aircraft.json has the readsb form, and ignores cache breakers; /v2/stats counts', async () => {
    const response = await get('/data/aircraft.json?_=1700000000');
    expect(response.body).toContain(`{"now":${NOW_MS / 1000}.000,`);
    const body = response.json<{ now: number; messages: number; aircraft: { hex: string }[] }>();
    expect(Object.keys(body)).toEqual(['now', 'messages', 'aircraft']);
    expect(body.aircraft.find(({ hex }) => hex === hexOf(7))).toEqual(aircraftObject(fullState(7), NOW_MS, 'readsb'));
    expect((await get('/v2/stats')).json()).toEqual({ now: NOW_MS / 1000, aircraft_count: 50, messages: 4242 });
  });

  it('says simulated in /v2/stats while it is', async () => {
    let simulated = true;
    const { app } = await createTestApi(3, { info: () => ({ simulated, feederAddress: null }) });
    const first = await app.inject('/v2/stats');
    expect(first.json()).toMatchObject({ simulated: true });
    simulated = false;
    const second = await app.inject({ url: '/v2/stats', headers: { 'if-none-match': String(first.headers['etag']) } });
    expect(second.statusCode).toBe(200);
    expect(second.json()).not.toHaveProperty('simulated');
  });
});

describe('headers', () => {
  it('of the community, of CORS and caching are on successes', async () => {
    const { headers } = await get('/v2/all', { origin: 'https://map.example' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=1',
      vary: 'Accept-Encoding, Authorization, Origin',
      link: expect.stringContaining('</contribute>; rel="contribute", </openapi.json>; rel="service-desc"'),
      'x-service-tier': 'anonymous',
      'x-service-data-age': '0',
      'x-service-contribution': 'optional',
    });
    const service = Object.entries(headers).filter(([name]) => name.startsWith('x-service-'));
    expect(service.length).toBeLessThanOrEqual(6);
    for (const [, value] of service) expect(String(value).length).toBeLessThanOrEqual(64);
  });

  it('of a preflight allow the methods of the path and what the page requests, but not the header of our pages', async () => {
    const allowed = async (requested?: string): Promise<unknown> => {
      const more = requested === undefined ? {} : { 'access-control-request-headers': requested };
      const headers = { origin: 'https://map.example', 'access-control-request-method': 'GET', ...more };
      const response = await api.app.inject({ method: 'OPTIONS', url: '/v2/all', headers });
      expect(response.statusCode).toBe(204);
      expect(response.headers).toMatchObject({ 'access-control-allow-methods': 'GET, HEAD, OPTIONS', 'access-control-max-age': '86400' });
      return response.headers['access-control-allow-headers'];
    };
    for (const requested of [undefined, 'a b', 'x'.repeat(1025), 'a,,b'])
      expect(await allowed(requested)).toBe('Authorization, Cache-Control, Content-Type, If-None-Match, X-Request-Id, X-Requested-With');
    expect(await allowed('content-type,cache-control, x-my-map')).toBe('content-type,cache-control, x-my-map');
    expect(await allowed('x-squitter-page')).not.toMatch(/squitter/i);
    expect(await allowed('Authorization, X-Squitter-PAGE,x-other')).toBe('Authorization, x-other');
    expect((await api.app.inject({ method: 'OPTIONS', url: '/nothing' })).statusCode).toBe(404);
  });

  it('of a 304 are those of the response that the client has; equal tags have equal bytes, and the next tick has another', async () => {
    const { app, view } = await createTestApi(20);
    for (const url of ['/v2/all', '/data/aircraft.json', `/v2/hex/${hexOf(1)}`, '/v2/stats', '/v2/signal']) {
      const first = await app.inject(url);
      const etag = String(first.headers['etag']);
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await app.inject({ url, headers: { 'if-none-match': header } });
        expect([again.statusCode, again.body]).toEqual([304, '']);
        expect(again.headers).toMatchObject({ etag, vary: 'Accept-Encoding, Authorization, Origin', 'x-service-tier': 'anonymous' });
      }
      view.clockMs += 250;
      const same = await app.inject(url);
      expect([same.headers['etag'], same.body]).toEqual([etag, first.body]);
      view.clockMs += 1000;
      view.tick();
      const later = await app.inject({ url, headers: { 'if-none-match': etag } });
      expect([later.statusCode, later.headers['etag'] === etag]).toEqual([200, false]);
    }
  });

  it('responds to HEAD with the headers of GET', async () => {
    for (const url of ['/v2/all', `/v2/hex/${hexOf(1)}`, '/v2/stats', '/']) {
      const [head, { headers }] = [await api.app.inject({ method: 'HEAD', url }), await get(url)];
      expect([head.statusCode, head.body, head.headers['content-length'], head.headers['etag']]).toEqual([
        ...[200, '', headers['content-length'], headers['etag']],
      ]);
    }
  });
});

describe('content encodings', () => {
  const decoders: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: (bytes) => zlib.gunzipSync(bytes),
    br: (bytes) => zlib.brotliDecompressSync(bytes),
    ...(zstd === null ? {} : { zstd: zstd.decompressSync }),
  };
  const zstdOr = (other: string): string => (zstd === null ? other : 'zstd');

  it.each(Object.keys(decoders))('%s decompresses to the same bytes, under its own ETag', async (encoding) => {
    for (const url of ['/v2/all', `/v2/hex/${Array.from({ length: 30 }, (_, i) => hexOf(i)).join(',')}`]) {
      const plain = await get(url, { 'accept-encoding': 'identity' });
      const packed = await get(url, { 'accept-encoding': encoding });
      expect([packed.headers['content-encoding'], Number(packed.headers['content-length'])]).toEqual([encoding, packed.rawPayload.length]);
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
      expect(decoders[encoding]!(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(packed.headers['etag']).not.toBe(plain.headers['etag']);
      const again = await get(url, { 'accept-encoding': encoding, 'if-none-match': String(packed.headers['etag']) });
      expect(again.statusCode).toBe(304);
    }
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, zstd', zstdOr('gzip')],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0, *', zstdOr('gzip')],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['gzip;q=nonsense', undefined],
    ['', undefined],
  ])('Accept-Encoding %j gets %s', async (header, encoding) => {
    expect((await get('/v2/all', { 'accept-encoding': header })).headers['content-encoding']).toBe(encoding);
    expect((await get('/v2/stats', { 'accept-encoding': header })).headers['content-encoding']).toBeUndefined();
  });
});

describe('errors', () => {
  const expectProblem = (response: LightMyRequestResponse, status: number, code: string): Record<string, unknown> => {
    const body = response.json<Record<string, unknown>>();
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(body).toMatchObject({ status, code, request_id: response.headers['x-request-id'] });
    for (const name of ['type', 'title', 'detail', 'instance']) expect(body[name]).toEqual(expect.any(String));
    expect(body['msg']).toBe(body['detail']);
    expect(response.headers).not.toHaveProperty('link');
    expect(response.headers).not.toHaveProperty('etag');
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' });
    return body;
  };

  it('names an unknown query parameter', async () => {
    const body = expectProblem(await get('/v2/all?limt=5&feilds=hex'), 400, 'unknown-parameter');
    expect(body['detail']).toContain('limt');
    expect(body['errors']).toMatchObject([
      { param: 'limt', detail: 'did you mean limit?' },
      { param: 'feilds', detail: 'did you mean fields?' },
    ]);
    expect(body['instance']).toBe('/v2/all');
  });

  it('responds to unknown paths with a problem, never with HTML', async () => {
    for (const url of ['/nothing', '/v2', '/v2/hex', '/v2/all/more', '/data/', '/%zz', '/v2/hex/%zz'])
      expectProblem(await get(url), url.includes('%zz') ? 400 : 404, url.includes('%zz') ? 'bad-request' : 'not-found');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'] as const)('refuses %s with Allow', async (method) => {
    const response = await api.app.inject({ method, url: '/v2/all', payload: '<a/>', headers: { 'content-type': 'application/xml' } });
    expectProblem(response, 405, 'method-not-allowed');
    expect(response.headers['allow']).toBe('GET, HEAD, OPTIONS');
    expectProblem(await api.app.inject({ method, url: '/nothing' }), 404, 'not-found');
  });

  it('takes a short request id from the caller, and no other; shows only the id of an internal error', async () => {
    expect((await get('/nothing', { 'x-request-id': 'client-7' })).json()).toMatchObject({ request_id: 'client-7' });
    expect((await get('/nothing', { 'x-request-id': 'a b<script>' })).headers['x-request-id']).toMatch(/^[0-9a-f]{8}-\w+$/);
    const info = (): never => {
      throw new Error('secret path');
    };
    const { app } = await createTestApi(1, { info });
    const response = await app.inject('/v2/stats');
    expectProblem(response, 500, 'internal');
    expect(response.body).not.toContain('secret');
  });
});

describe('the page and the metrics', () => {
  it.each(['/', '/feeders'])('serves %s with a strict policy and nothing from elsewhere', async (path) => {
    const page = await get(path);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const files = [...page.body.matchAll(/(?:src|href)="([^"#]+)"/g)].map((match) => match[1]!);
    expect(files.filter((file) => /^(?:https?:)?\/\//.test(file))).toEqual([]);
    expect(page.body).not.toMatch(/<style|\son\w+=|style=/);
    for (const file of files.filter((name) => !/^(data:|v2\/)/.test(name))) {
      const response = await get(`/${file.replace(/^\.\//, '')}`);
      expect(response.statusCode, file).toBe(200);
    }
    const again = await get(path, { 'if-none-match': String(page.headers['etag']) });
    expect(again.statusCode).toBe(304);
  });

  it('counts requests by route pattern, not by path', async () => {
    const { app } = await createTestApi(2);
    for (const url of [`/v2/hex/${hexOf(0)}`, '/v2/hex/ffffff', '/v2/hex/wrong', '/made/up/1', '/made/up/2']) await app.inject(url);
    const { body, headers } = await app.inject('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    for (const line of [
      'requests_total{route="/v2/hex/:hex",status="200"} 2',
      'requests_total{route="/v2/hex/:hex",status="400"} 1',
      'requests_total{route="unknown",status="404"} 2',
      'request_duration_seconds_bucket{route="/v2/hex/:hex",le="+Inf"} 3',
    ])
      expect(body).toContain(`squitter_http_${line}`);
    expect(body).toMatch(/squitter_http_response_bytes_total\{route="\/v2\/hex\/:hex"\} [1-9]/);
  });
});
