// Tests of the downloads: pages, addresses, ranges, conditional requests, limits, and what is not published.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byteRange } from '../../exporters/catalog/byte-range.ts';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { createTestApi, type TestApi } from '../../test/support/live-view.ts';
import { publishDay } from '../../test/support/published-day.ts';

let dir: string;
let api: TestApi;
const content = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));
const sha256 = createHash('sha256').update(content).digest('hex');

const publish = (day: string, own: Partial<DailyManifest> = {}): void => publishDay(dir, day, content, own);

const get = (url: string, headers: Record<string, string> = {}, method: InjectOptions['method'] = 'GET') =>
  api.app.inject({ method, url, headers });
const FILE = '/bulk/positions-2026-01-31.parquet';

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'squitter-bulk-'));
  api = await createTestApi(1, { catalog: new Catalog(join(dir)), baseUrl: 'https://example.org' });
});
afterAll(async () => {
  await api.app.close();
  rmSync(dir, { recursive: true });
});

describe('the downloads', () => {
  it('are an empty list before the first day', async () => {
    expect((await get('/bulk/index.json')).json()).toMatchObject({ latest: null, days: [] });
    expect((await get('/bulk/')).body).toContain('No day is published yet');
    expect((await get('/bulk/positions-latest.parquet')).statusCode).toBe(404);
  });

  it('list every published day, the newest first, with addresses and checksums', async () => {
    publish('2026-01-30');
    publish('2026-01-31');
    const index = (await get('/bulk/index.json')).json();
    expect(index).toMatchObject({ licence: 'ODbL-1.0', latest: '2026-01-31', days: [{ day: '2026-01-31' }, { day: '2026-01-30' }] });
    expect(index.days[0].files[0]).toEqual({
      ...{ kind: 'positions', name: 'positions-2026-01-31.parquet', url: `https://example.org${FILE}`, rows: 10, bytes: 1000, sha256 },
    });
    const page = await get('/bulk');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('A &amp; B &lt;i>');
    expect(page.body).toContain(`href=".${FILE}"`);
    // From its other address, and below any prefix of a proxy.
    expect((await get('/bulk/')).body).toContain(`href="..${FILE}"`);
    expect((await get('/bulk/SHA256SUMS')).body).toContain(`${sha256}  positions-2026-01-31.parquet\n`);
    expect((await get('/bulk/schema')).body).toContain('<td><code>vertical_rate</code></td><td>FLOAT</td><td>ft/min</td>');
  });

  it('give a file with its length, type, tag and checksum; latest is the newest day', async () => {
    const response = await get(FILE);
    expect(response.rawPayload.equals(content)).toBe(true);
    expect(response.headers).toMatchObject({
      ...{
        'content-type': 'application/vnd.apache.parquet',
        'content-length': '1000',
        'accept-ranges': 'bytes',
        etag: `"${sha256.slice(0, 32)}"`,
      },
      ...{ 'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`, 'access-control-allow-origin': '*' },
    });
    expect(response.headers['link']).toContain('rel="license"');
    const latest = await get('/bulk/positions-latest.parquet');
    expect(latest.headers).toMatchObject({
      'content-location': `https://example.org${FILE}`,
      'cache-control': 'no-cache',
      etag: response.headers.etag,
    });
    expect((await get('/bulk/manifest-latest.json')).json()).toMatchObject({ day: '2026-01-31' });
    expect((await get('/bulk/preview-2026-01-30.svg')).headers['content-type']).toBe('image/svg+xml');
  });

  it('give parts of a file, and the whole to a client that has another one', async () => {
    const { etag } = (await get(FILE)).headers;
    for (const [range, first, last] of [
      ['bytes=0-9', 0, 9],
      ['bytes=990-', 990, 999],
      ['bytes=-5', 995, 999],
      ['bytes=100-5000', 100, 999],
    ] as const) {
      const part = await get(FILE, { range, 'if-range': String(etag) });
      expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes ${first}-${last}/1000`]);
      expect(part.rawPayload.equals(content.subarray(first, last + 1))).toBe(true);
    }
    expect((await get(FILE, { range: 'bytes=0-9', 'if-range': '"other"' })).statusCode).toBe(200);
    expect((await get(FILE, { range: 'bytes=0-1,5-6' })).statusCode).toBe(200);
    const beyond = await get(FILE, { range: 'bytes=1000-' });
    expect([beyond.statusCode, beyond.headers['content-range'], beyond.json().code]).toEqual([
      416,
      'bytes */1000',
      'range-not-satisfiable',
    ]);
    // The headers of the file are not those of the problem.
    expect([beyond.headers['repr-digest'], beyond.headers['last-modified']]).toEqual([undefined, undefined]);
    expect((await get(FILE, { 'if-none-match': String(etag) })).statusCode).toBe(304);
  });

  it('respond to conditions in their order, and to a range only of GET', async () => {
    const { etag, 'last-modified': modified } = (await get(FILE)).headers as Record<string, string>;
    const status = async (headers: Record<string, string>, url = FILE): Promise<number> => (await get(url, headers)).statusCode;
    const old = new Date(Date.parse(modified!) - 1000).toUTCString();
    expect(await status({ 'if-none-match': `W/"x", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"x"' })).toBe(200);
    expect(await status({ 'if-modified-since': modified! })).toBe(304);
    expect(await status({ 'if-modified-since': old })).toBe(200);
    expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200);
    // The tag decides alone, and before a range.
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': modified! })).toBe(200);
    expect(await status({ 'if-none-match': etag!, range: 'bytes=5000-' })).toBe(304);
    // If-Range compares strongly, and a date is no strong one here.
    expect(await status({ range: 'bytes=0-1', 'if-range': `W/${etag}` })).toBe(200);
    expect(await status({ range: 'bytes=0-1', 'if-range': modified! })).toBe(200);
    expect(await status({ range: 'bytes=5000-', 'if-range': '"x"' })).toBe(200);
    const unchanged = await get(FILE, { 'if-none-match': etag! });
    expect([unchanged.headers.etag, unchanged.headers['cache-control'], unchanged.body]).toEqual([
      etag,
      expect.stringContaining('max-age'),
      '',
    ]);
    for (const range of ['bytes=0-1', 'bytes=5000-']) {
      const head = await get(FILE, { range }, 'HEAD');
      expect([head.statusCode, head.headers['content-length'], head.headers['content-range']]).toEqual([200, '1000', undefined]);
    }
    const head = await get(FILE, { 'if-none-match': etag! }, 'HEAD');
    expect([head.statusCode, head.body]).toEqual([304, '']);
    for (const url of ['/bulk/', '/bulk/schema', '/bulk/index.json', '/bulk/SHA256SUMS']) {
      const tag = String((await get(url)).headers.etag);
      expect([url, await status({ 'if-none-match': tag }, url), await status({ 'if-none-match': '"x"' }, url)]).toEqual([url, 304, 200]);
    }
  });

  it('refuse a request whose condition is not met, before all other conditions', async () => {
    const { etag, 'last-modified': modified } = (await get(FILE)).headers as Record<string, string>;
    const status = async (headers: Record<string, string>, url = FILE): Promise<number> => (await get(url, headers)).statusCode;
    const old = new Date(Date.parse(modified!) - 1000).toUTCString();
    expect(await status({ 'if-match': etag! })).toBe(200);
    expect(await status({ 'if-match': `"x", ${etag}` })).toBe(200);
    expect(await status({ 'if-match': '*' })).toBe(200);
    // Strong comparison.
    expect(await status({ 'if-match': `W/${etag}` })).toBe(412);
    expect(await status({ 'if-unmodified-since': modified! })).toBe(200);
    expect(await status({ 'if-unmodified-since': old })).toBe(412);
    expect(await status({ 'if-unmodified-since': 'yesterday' })).toBe(200);
    // The tag decides alone.
    expect(await status({ 'if-match': etag!, 'if-unmodified-since': old })).toBe(200);
    expect(await status({ 'if-match': '"x"', 'if-unmodified-since': modified! })).toBe(412);
    // Before 304, 206 and 416; a condition that is met leaves the others.
    expect(await status({ 'if-match': '"x"', 'if-none-match': etag! })).toBe(412);
    expect(await status({ 'if-unmodified-since': old, 'if-none-match': etag! })).toBe(412);
    expect(await status({ 'if-match': '"x"', range: 'bytes=0-1' })).toBe(412);
    expect(await status({ 'if-match': '"x"', range: 'bytes=5000-' })).toBe(412);
    expect(await status({ 'if-match': etag!, 'if-none-match': etag! })).toBe(304);
    expect(await status({ 'if-match': etag!, 'if-modified-since': modified! })).toBe(304);
    expect(await status({ 'if-match': etag!, range: 'bytes=0-1' })).toBe(206);
    expect(await status({ 'if-unmodified-since': modified!, range: 'bytes=5000-' })).toBe(416);
    // What does not exist has no condition.
    expect(await status({ 'if-match': '*' }, '/bulk/positions-1999-01-01.parquet')).toBe(404);
    const refused = await get(FILE, { 'if-match': '"x"' });
    expect(refused.json()).toMatchObject({
      status: 412,
      code: 'precondition-failed',
      detail: expect.stringContaining(`If-Match is not met: the entity tag here is ${etag}`),
    });
    expect([refused.headers['last-modified'], refused.headers['repr-digest'], refused.headers['accept-ranges']]).toEqual(
      Array(3).fill(undefined),
    );
    expect((await get(FILE, { 'if-match': '"x"' }, 'HEAD')).statusCode).toBe(412);
    for (const url of ['/bulk/', '/bulk/schema', '/bulk/index.json', '/bulk/SHA256SUMS']) {
      const tag = String((await get(url)).headers.etag);
      // They have no date.
      const met = await status({ 'if-match': tag, 'if-unmodified-since': old }, url);
      expect([url, met, await status({ 'if-unmodified-since': old }, url), await status({ 'if-match': '"x"' }, url)]).toEqual([
        url,
        200,
        200,
        412,
      ]);
    }
  });

  it('hide what is not published, damaged or outside', async () => {
    mkdirSync(join(dir, '.spill-1'));
    writeFileSync(join(dir, '.spill-1', 'positions-2026-02-01.parquet'), 'part');
    writeFileSync(join(dir, 'positions-2026-02-01.parquet'), 'without a manifest');
    publish('2026-01-01');
    writeFileSync(join(dir, 'positions-2026-01-01.parquet'), 'shorter');
    writeFileSync(join(dir, 'manifest-2026-01-02.json'), '{"day":');
    for (const name of [
      'positions-2026-02-01.parquet',
      'positions-2026-01-01.parquet',
      'manifest-2026-01-02.json',
      'positions-2026-1-31.parquet',
      '.export.lock',
      '..%2f..%2fetc%2fpasswd',
      '.spill-1%2fpositions-2026-02-01.parquet',
    ])
      expect([name, (await get(`/bulk/${name}`)).statusCode]).toEqual([name, 404]);
    const { days } = (await get('/bulk/index.json')).json();
    expect(days.map(({ day }: DailyManifest) => day)).toEqual(['2026-01-31', '2026-01-30', '2026-01-01']);
  });

  it('respond to HEAD without the file, and to a stream of ranges over a socket', async () => {
    await api.app.listen({ port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const ask = (method: string, headers: Record<string, string> = {}) =>
      new Promise<{ headers: Record<string, unknown>; status: number; body: Buffer }>((resolve, reject) => {
        request({ port, path: FILE, method, headers }, (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () => resolve({ headers: response.headers, status: response.statusCode!, body: Buffer.concat(pieces) }));
        })
          .on('error', reject)
          .end();
      });
    const head = await ask('HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '1000', 0]);
    const pieces = await Promise.all([0, 250, 500, 750].map((first) => ask('GET', { range: `bytes=${first}-${first + 249}` })));
    expect(Buffer.concat(pieces.map(({ body }) => body)).equals(content)).toBe(true);
    expect(head.headers['x-content-type-options']).toBe('nosniff');
    const counted = async (): Promise<number> => {
      const { body } = await get('/metrics');
      return Number(/squitter_http_response_bytes_total\{route="\/bulk\/:name"\} (\d+)/.exec(body)?.[1]);
    };
    const before = await counted();
    for (const range of ['bytes=0-99', 'bytes=900-999', undefined]) await ask('GET', range === undefined ? {} : { range });
    await expect.poll(async () => (await counted()) - before, { timeout: 10_000 }).toBe(1200);
  });

  it('are limited in number at a time, and count again when they end', async () => {
    const big = Buffer.alloc(8 << 20, 7);
    publish('2026-02-02');
    const name = 'positions-2026-02-02.parquet';
    writeFileSync(join(dir, name), big);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest-2026-02-02.json'), 'utf8')) as DailyManifest;
    publish('2026-02-02', { files: manifest.files.map((file) => (file.kind === 'positions' ? { ...file, bytes: big.length } : file)) });
    writeFileSync(join(dir, name), big);
    const { port } = api.app.server.address() as AddressInfo;
    const stalled = await Promise.all(
      Array.from(
        { length: historyLimits.bulkDownloadsMax },
        () =>
          new Promise<{ destroy(): void }>((resolve, reject) => {
            // Its body is never read.
            request({ port, path: `/bulk/${name}`, agent: false }, (response) => resolve(response))
              .on('error', reject)
              .end();
          }),
      ),
    );
    const refused = await get(FILE);
    expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([503, 'too-many-downloads', '60']);
    for (const response of stalled) response.destroy();
    await expect.poll(async () => (await get(FILE)).statusCode, { timeout: 10_000 }).toBe(200);
  });
});

describe('a range', () => {
  it('is ignored in forms that are not understood, and never outside of the file', () => {
    const kindOf = (range: string, bytes = 10): string => byteRange(range, undefined, bytes, '"x"').kind;
    expect(['lines=1-2', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=a-b', ''].map((range) => kindOf(range))).toEqual(Array(6).fill('whole'));
    expect([kindOf('bytes=-0'), kindOf('bytes=0-', 0), kindOf('bytes=10-11')]).toEqual(Array(3).fill('unsatisfiable'));
    expect(byteRange('bytes=-99', undefined, 10, '"x"')).toEqual({ kind: 'part', first: 0, last: 9 });
  });
});
