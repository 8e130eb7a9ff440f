// Tests of the downloads: pages, addresses, ranges, conditional requests, limits, and what is not published.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { createTestApi } from '../../test/support/live-view.ts';
import { publishDay } from '../../test/support/published-day.ts';

const dir = mkdtempSync(join(tmpdir(), 'squitter-bulk-'));
const api = await createTestApi(1, { catalog: new Catalog(dir), baseUrl: 'https://example.org' });
const content = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));
const sha256 = createHash('sha256').update(content).digest('hex');

const publish = (day: string, own: Partial<DailyManifest> = {}): void => publishDay(dir, day, content, own);

const get = (url: string, headers: Record<string, string> = {}, method: InjectOptions['method'] = 'GET') =>
  api.app.inject({ method, url, headers });
const FILE = '/bulk/positions-2026-01-31.parquet';

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
    const etag = `"${sha256.slice(0, 32)}"`;
    expect(response.headers).toMatchObject({
      ...{ 'content-type': 'application/vnd.apache.parquet', 'content-length': '1000', 'accept-ranges': 'bytes', etag },
      ...{ 'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`, 'access-control-allow-origin': '*' },
      link: expect.stringContaining('rel="license"'),
    });
    const latest = await get('/bulk/positions-latest.parquet');
    const location = `https://example.org${FILE}`;
    expect(latest.headers).toMatchObject({ 'content-location': location, 'cache-control': 'no-cache', etag });
    expect((await get('/bulk/manifest-latest.json')).json()).toMatchObject({ day: '2026-01-31' });
    expect((await get('/bulk/preview-2026-01-30.svg')).headers['content-type']).toBe('image/svg+xml');
  });

  // biome-ignore format: a table
  it.each<[status: number, headers: Readonly<Record<string, string>>]>([
    [200, { range: 'bytes=0-1,5-6' }], [200, { range: 'bytes=0-9', 'if-range': '"other"' }],
    [304, { 'if-none-match': 'W/"x", W/TAG' }], [304, { 'if-none-match': '*' }], [200, { 'if-none-match': '"x"' }],
    [304, { 'if-modified-since': 'DATE' }], [200, { 'if-modified-since': 'BEFORE' }], [200, { 'if-modified-since': 'yesterday' }],
    // The tag decides alone, and before a range.
    [200, { 'if-none-match': '"x"', 'if-modified-since': 'DATE' }], [304, { 'if-none-match': 'TAG', range: 'bytes=5000-' }],
    // If-Range and If-Match compare strongly, and a date is no strong tag here.
    [200, { range: 'bytes=0-1', 'if-range': 'W/TAG' }], [200, { range: 'bytes=0-1', 'if-range': 'DATE' }],
    [200, { range: 'bytes=5000-', 'if-range': '"x"' }], [412, { 'if-match': 'W/TAG' }],
    [200, { 'if-match': '"x", TAG' }], [200, { 'if-match': '*' }],
    [200, { 'if-unmodified-since': 'DATE' }], [412, { 'if-unmodified-since': 'BEFORE' }], [200, { 'if-unmodified-since': 'yesterday' }],
    [200, { 'if-match': 'TAG', 'if-unmodified-since': 'BEFORE' }], [412, { 'if-match': '"x"', 'if-unmodified-since': 'DATE' }],
    // Before 304, 206 and 416; a condition that is met leaves the others.
    [412, { 'if-match': '"x"', 'if-none-match': 'TAG' }], [412, { 'if-match': '"x"', range: 'bytes=5000-' }],
    [304, { 'if-match': 'TAG', 'if-none-match': 'TAG' }], [206, { 'if-match': 'TAG', range: 'bytes=0-1' }],
    [416, { 'if-unmodified-since': 'DATE', range: 'bytes=5000-' }],
    // Forms that are not understood.
    [200, { range: 'lines=1-2' }], [200, { range: 'bytes=-' }], [200, { range: 'bytes=5-2' }], [200, { range: 'bytes=a-b' }],
    [416, { range: 'bytes=-0' }],
  ])('are %i under the conditions %j', async (status, conditions) => {
    const { etag, 'last-modified': modified } = (await get(FILE)).headers as Record<string, string>;
    const before = new Date(Date.parse(modified!) - 1000).toUTCString();
    const fill = (text: string): string => text.replace('TAG', etag!).replace('DATE', modified!).replace('BEFORE', before);
    const headers = Object.fromEntries(Object.entries(conditions).map(([name, text]) => [name, fill(text)]));
    expect((await get(FILE, headers)).statusCode).toBe(status);
  });

  it('give parts of a file, also to the tag of If-Range', async () => {
    const { etag } = (await get(FILE)).headers;
    for (const [range, first, last] of [
      ['bytes=0-9', 0, 9],
      ['bytes=990-', 990, 999],
      ['bytes=-5', 995, 999],
      ['bytes=-5000', 0, 999],
      ['bytes=100-5000', 100, 999],
    ] as const) {
      const part = await get(FILE, { range, 'if-range': String(etag) });
      expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes ${first}-${last}/1000`]);
      expect(part.rawPayload.equals(content.subarray(first, last + 1))).toBe(true);
    }
  });

  it('say what is refused, without the headers of the file; HEAD has no range, and a 304 its tag', async () => {
    const { etag } = (await get(FILE)).headers;
    const beyond = await get(FILE, { range: 'bytes=1000-' });
    expect([beyond.headers['content-range'], beyond.json().code]).toEqual(['bytes */1000', 'range-not-satisfiable']);
    const refused = await get(FILE, { 'if-match': '"x"' });
    const detail = expect.stringContaining(`If-Match is not met: the entity tag here is ${etag}`);
    expect(refused.json()).toMatchObject({ status: 412, code: 'precondition-failed', detail });
    for (const { headers } of [beyond, refused]) expect([headers['last-modified'], headers['repr-digest']]).toEqual([undefined, undefined]);
    const head = await get(FILE, { range: 'bytes=0-1' }, 'HEAD');
    const { 'content-length': length, 'content-range': range } = head.headers;
    expect([head.statusCode, head.body, length, range]).toEqual([200, '', '1000', undefined]);
    const unchanged = await get(FILE, { 'if-none-match': String(etag) });
    expect([unchanged.headers.etag, unchanged.headers['cache-control']]).toEqual([etag, expect.stringContaining('max-age')]);
    // A file that does not exist has no condition.
    expect((await get('/bulk/positions-1999-01-01.parquet', { 'if-match': '*' })).statusCode).toBe(404);
    for (const url of ['/bulk/', '/bulk/schema', '/bulk/index.json', '/bulk/SHA256SUMS']) {
      const tag = String((await get(url)).headers.etag);
      const statuses = [{ 'if-none-match': tag }, { 'if-match': '"x"' }].map(async (headers) => (await get(url, headers)).statusCode);
      expect([url, await Promise.all(statuses)]).toEqual([url, [304, 412]]);
    }
  });

  it('hide what is not published, damaged or outside', async () => {
    mkdirSync(join(dir, '.spill-1'));
    writeFileSync(join(dir, '.spill-1', 'positions-2026-02-01.parquet'), 'part');
    writeFileSync(join(dir, 'positions-2026-02-01.parquet'), 'without a manifest');
    publish('2026-01-01');
    writeFileSync(join(dir, 'positions-2026-01-01.parquet'), 'shorter');
    writeFileSync(join(dir, 'manifest-2026-01-02.json'), '{"day":');
    const damaged = ['positions-2026-02-01.parquet', 'positions-2026-01-01.parquet', 'manifest-2026-01-02.json'];
    const outside = ['.export.lock', '..%2f..%2fetc%2fpasswd', '.spill-1%2fpositions-2026-02-01.parquet', 'positions-2026-1-31.parquet'];
    for (const name of [...damaged, ...outside]) expect([name, (await get(`/bulk/${name}`)).statusCode]).toEqual([name, 404]);
    const { days } = (await get('/bulk/index.json')).json();
    expect(days.map(({ day }: DailyManifest) => day)).toEqual(['2026-01-31', '2026-01-30', '2026-01-01']);
  });

  it('are limited in number at a time, and count again when they end', async () => {
    const big = Buffer.alloc(8 << 20, 7);
    publish('2026-02-02');
    const name = 'positions-2026-02-02.parquet';
    writeFileSync(join(dir, name), big);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest-2026-02-02.json'), 'utf8')) as DailyManifest;
    publish('2026-02-02', { files: manifest.files.map((file) => (file.kind === 'positions' ? { ...file, bytes: big.length } : file)) });
    writeFileSync(join(dir, name), big);
    const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
    // Each has begun, and is never read: a request meanwhile could take the last download.
    const begun = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) =>
        request({ port, path: `/bulk/${name}`, agent: false }, resolve)
          .on('error', reject)
          .end(),
      );
    const stalled = await Promise.all(Array.from({ length: limits.bulkDownloadsMax }, begun));
    const refused = await get(FILE);
    expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([503, 'too-many-downloads', '60']);
    for (const response of stalled) response.destroy();
    await expect.poll(async () => (await get(FILE)).statusCode, { timeout: 10_000 }).toBe(200);
  });
});
