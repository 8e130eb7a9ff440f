// The adapter that runs, and the reason that the start line shows when it is not the preferred one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';
import { openTransport } from './open-transport.ts';
import { loadUws } from './uws-native.ts';

const none = { opening() {}, message() {}, behind() {}, drained() {}, closed() {} };
const options = { host: '127.0.0.1', port: 0, flag: '--push', socketsMax: 1, hop: null };

describe('the choice of the adapter', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  const { platform, arch, versions } = process;
  const native = `uws_${platform}_${arch}_${versions.modules}.node`;

  /** A file of a project that has installed such packages, each with one file. */
  function project(name: string, packages: Readonly<Record<string, string>>): string {
    for (const [installed, file] of Object.entries(packages)) {
      const inside = join(folder.path, name, 'node_modules', installed);
      mkdirSync(inside, { recursive: true });
      writeFileSync(join(inside, 'package.json'), '{"version":"1.2.3","exports":"./uws.js"}');
      writeFileSync(join(inside, file), 'no library');
    }
    return pathToFileURL(join(folder.path, name, 'file.js')).href;
  }

  test('uWebSockets.js is not used where it is missing, has no build for this Node, or does not load', () => {
    const empty = pathToFileURL(join(folder.path, 'file.js')).href;
    expect(loadUws(empty)).toEqual({ reason: 'uWebSockets.js is not installed' });
    const without = project('without', { 'uWebSockets.js': 'uws_linux_x64_1.node' });
    expect(loadUws(without)).toEqual({ reason: `uWebSockets.js has no native build for Node ${versions.node} on ${platform} ${arch}` });
    const damaged = project('damaged', { '@btc-vision/uwebsockets.js': native });
    const reason = expect.stringContaining('the native build of @btc-vision/uwebsockets.js does not load: ') as string;
    expect(loadUws(damaged)).toEqual({ reason });
  });

  test("the operator's own package comes first, and where it does not load, the one on npm is tried", () => {
    const own = project('own', { 'uWebSockets.js': native });
    expect(loadUws(own)).toEqual({ reason: expect.stringContaining('the native build of uWebSockets.js does not load') as string });
    const both = project('both', { 'uWebSockets.js': native, '@btc-vision/uwebsockets.js': 'uws.js' });
    expect(loadUws(both)).toEqual({ reason: expect.stringContaining('@btc-vision/uwebsockets.js has no native build') as string });
  });

  test('the preferred one, or ws with the reason', async () => {
    const ws = await openTransport({ ...options, prefer: 'ws' }, none);
    expect(ws.transport.name).toMatch(/^ws 8\.\d+\.\d+$/);
    expect(ws.reason).toBeNull();
    await ws.transport.close();
    const uws = await openTransport({ ...options, prefer: 'uws' }, none);
    if ('module' in loadUws()) {
      expect(uws.transport.name).toMatch(/^uWebSockets\.js \d+/);
      expect(uws.reason).toBeNull();
    } else {
      expect(uws.transport.name).toBe(ws.transport.name);
      expect(uws.reason).toMatch(/^uWebSockets\.js |^the native build/);
    }
    await uws.transport.close();
  });
});
