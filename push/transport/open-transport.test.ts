// The adapter that runs, and the reason that the start line shows when it is not the preferred one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';
import { openTransport } from './open-transport.ts';
import { loadUws } from './uws-native.ts';

const none = { opening() {}, message() {}, behind() {}, drained() {}, closed() {} };
const options = { host: '127.0.0.1', port: 0, flag: '--push', socketsMax: 1, hop: null };

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

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['is not installed', {}, 'uWebSockets.js is not installed'],
  ['has no build', { 'uWebSockets.js': 'uws_linux_x64_1.node' }, `uWebSockets.js has no native build for Node ${versions.node}`],
  ['does not load', { '@btc-vision/uwebsockets.js': native }, 'the native build of @btc-vision/uwebsockets.js does not load: '],
  ['comes first', { 'uWebSockets.js': native }, 'the native build of uWebSockets.js does not load'],
  [
    'is tried second',
    { 'uWebSockets.js': native, '@btc-vision/uwebsockets.js': 'uws.js' },
    '@btc-vision/uwebsockets.js has no native build',
  ],
])('a package that %s', (name, packages, reason) => {
  expect(loadUws(project(name, packages))).toEqual({ reason: expect.stringContaining(reason) });
});

test('the preferred one, or ws with the reason', async () => {
  const ws = await openTransport({ ...options, prefer: 'ws' }, none);
  expect([ws.transport.name, ws.reason]).toEqual([expect.stringMatching(/^ws 8\.\d+\.\d+$/), null]);
  await ws.transport.close();
  const uws = await openTransport({ ...options, prefer: 'uws' }, none);
  const loads = 'module' in loadUws();
  expect(uws.transport.name).toMatch(loads ? /^uWebSockets\.js \d+/ : /^ws 8/);
  expect(uws.reason === null).toBe(loads);
  await uws.transport.close();
});
