// Which adapter runs, and the reason that the start line shows when it is not the preferred one.
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

  /** A project that has installed such files of uWebSockets.js. */
  function project(name: string, files: readonly string[]): string {
    const inside = join(folder.path, name, 'node_modules/uWebSockets.js');
    mkdirSync(join(inside, 'binaries'), { recursive: true });
    writeFileSync(join(inside, 'package.json'), '{"version":"1.2.3"}');
    for (const file of files) writeFileSync(join(inside, file), 'no library');
    return pathToFileURL(join(folder.path, name, 'file.js')).href;
  }

  test('uWebSockets.js is not used where it is missing, has no build for this Node, or does not load', () => {
    const empty = pathToFileURL(join(folder.path, 'file.js')).href;
    expect(loadUws(empty)).toEqual({ reason: 'uWebSockets.js is not installed' });
    const reasonWithout = `uWebSockets.js has no native build for Node ${versions.node} on ${platform} ${arch}`;
    expect(loadUws(project('other', ['uws.js', 'binaries/uws_linux_x64_1.node']))).toEqual({ reason: reasonWithout });
    for (const [name, file] of Object.entries({ alias: `binaries/${native}`, own: native }))
      expect(loadUws(project(name, [file]))).toEqual({
        reason: expect.stringContaining('the native build of uWebSockets.js does not load') as string,
      });
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
