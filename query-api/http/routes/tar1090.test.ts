// A copy of tar1090 that the operator installed: its files, what is never served, and its data below it. The folder is a small one of our own.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { createTestApi, type TestApi } from '../../../test/support/live-view.ts';
import { FolderFiles } from '../files/folder-files.ts';

const base = mkdtempSync(join(tmpdir(), 'tar1090-'));
const folder = join(base, 'html');
const script = `// ${'x'.repeat(5000)}\n`;
const put = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content);

let api: TestApi;
beforeAll(async () => {
  mkdirSync(join(folder, 'db'), { recursive: true });
  put('index.html', '<title>map</title>');
  put('script.js', script);
  put('db/A.js', gzipSync('{"a":1}'));
  put('.hidden', 'secret');
  put('large.png', Buffer.alloc(limits.folderFileBytesMax + 1));
  put('old name.json', '{}');
  writeFileSync(join(base, 'secret.txt'), 'secret');
  symlinkSync(join(base, 'secret.txt'), join(folder, 'out.txt'));
  symlinkSync(base, join(folder, 'up'));
  symlinkSync(join(folder, 'script.js'), join(folder, 'link.js'));
  api = await createTestApi(3, { tar1090: new FolderFiles(folder) });
});
afterAll(async () => {
  rmSync(base, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });

describe('/tar1090/', () => {
  it('has the files of the folder, with types, tags, compression and a policy of its own', async () => {
    const page = await get('/tar1090/?icao=4840d6');
    expect([page.statusCode, page.body, page.headers['content-type']]).toEqual([200, '<title>map</title>', 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toMatch(
      /script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval';.* frame-ancestors 'none'$/,
    );
    const packed = await get('/tar1090/script.js', { 'accept-encoding': 'gzip' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringContaining('Accept-Encoding') });
    expect((await get('/tar1090/link.js')).body).toBe(script);
    expect(
      (await get('/tar1090/script.js', { 'if-none-match': String(packed.headers['etag']), 'accept-encoding': 'gzip' })).statusCode,
    ).toBe(304);
    expect((await get('/tar1090/db/A.js', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    expect((await get('/tar1090/old%20name.json')).body).toBe('{}');
    expect((await api.app.inject({ method: 'HEAD', url: '/tar1090/script.js' })).body).toBe('');
  });

  it('has a new tag and new bytes for a file that was replaced', async () => {
    put('new.js', 'old');
    const old = await get('/tar1090/new.js');
    put('new.js', 'new');
    utimesSync(join(folder, 'new.js'), 1, 1);
    const next = await get('/tar1090/new.js', { 'if-none-match': String(old.headers['etag']) });
    expect([next.statusCode, next.body]).toEqual([200, 'new']);
  });

  it('never serves other files', async () => {
    const inside = ['none.js', 'db', '.hidden', 'large.png', 'index.html%00.js', 'index.html/x', 'x'.repeat(300)];
    const outside = ['out.txt', 'up/secret.txt', '..%2fsecret.txt', '%2e%2e/secret.txt', '..%5csecret.txt'];
    for (const name of [...inside, ...outside]) expect([name, (await get(`/tar1090/${name}`)).statusCode]).toEqual([name, 404]);
  });

  it('leads to its page, and refuses other methods', async () => {
    const redirect = await get('/tar1090?replay');
    expect([redirect.statusCode, redirect.headers['location']]).toEqual([302, 'tar1090/?replay']);
    const post = await api.app.inject({ method: 'POST', url: '/tar1090/script.js' });
    expect([post.statusCode, post.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('has its data below it', async () => {
    const below = await get('/tar1090/data/aircraft.json?_=1');
    expect([below.body, below.headers['etag']]).toEqual(
      await get('/data/aircraft.json').then(({ body, headers }) => [body, headers['etag']]),
    );
    expect((await get('/tar1090/data/receiver.json')).json()).toMatchObject({ readsb: true });
    expect((await get('/tar1090/globe_history/2026/11/22/heatmap/21.bin.ttf')).statusCode).toBe(503);
    expect((await get('/tar1090/chunks/chunks.json')).statusCode).toBe(404);
  });

  it('is unknown without a folder; a folder that has no page is refused', async () => {
    const without = await createTestApi(0);
    expect((await without.app.inject('/tar1090/')).statusCode).toBe(404);
    for (const path of [base, join(base, 'none'), join(base, 'secret.txt')])
      expect(() => new FolderFiles(path)).toThrow(expect.objectContaining({ code: 'map.folder_unusable' }));
  });
});
