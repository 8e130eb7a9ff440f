// Keyed hashes, and the file of the secret: made once, private, and never shown.
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { projectDir } from '../../test/support/requirements.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { InstallationSecret, openDataSecret, readSecretFile } from './installation-secret.ts';

const folder = folderOfTest();

it('hashes by kind and text, as HMAC-SHA256 does', () => {
  const secret = new InstallationSecret(Buffer.alloc(32, 7));
  // printf 'feeder\0abc' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07
  expect(secret.hashOf('feeder', 'abc')).toBe('7f5d963013fb9850');
  expect(secret.hashOf('address', 'abc')).not.toBe(secret.hashOf('feeder', 'abc'));
  expect(new InstallationSecret(Buffer.alloc(32, 8)).hashOf('feeder', 'abc')).not.toBe(secret.hashOf('feeder', 'abc'));
  expect(secret.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  expect(`${JSON.stringify(secret)} ${inspect(secret, { depth: 9, showHidden: true })}`).not.toMatch(/0707|BwcH|07 07|7, 7/);
});

it('is made once in a data folder, for its owner alone', () => {
  const dataDir = join(folder.path, 'data');
  const first = openDataSecret(dataDir);
  const path = join(dataDir, 'secret');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(['secret']);
  expect(openDataSecret(dataDir).fingerprint).toBe(first.fingerprint);
  expect(readSecretFile(path).fingerprint).toBe(first.fingerprint);
});

it('is the same for threads of a process that open new folders at the same moment', async () => {
  const [THREADS, FOLDERS] = [3, 40];
  const module = pathToFileURL(join(projectDir, 'dist/modules/pipeline/runtime/installation-secret.js')).href;
  const source = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { openDataSecret } from ${JSON.stringify(module)};
    const { arrived, path } = workerData;
    const fingerprints = [];
    for (let i = 0; i < ${FOLDERS}; i += 1) {
      Atomics.add(arrived, 0, 1);
      while (Atomics.load(arrived, 0) < (i + 1) * ${THREADS});
      fingerprints.push(openDataSecret(path + '/' + i).fingerprint);
    }
    parentPort.postMessage(fingerprints);`;
  const workerData = { arrived: new Int32Array(new SharedArrayBuffer(4)), path: folder.path };
  const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const threads = Array.from({ length: THREADS }, () => once(new Worker(url, { workerData }), 'message'));
  const [first, ...others] = (await Promise.all(threads)).flat() as string[][];
  expect(new Set(first).size).toBe(FOLDERS);
  for (const fingerprints of others) expect(fingerprints).toEqual(first);
});

it('refuses a file that others may read, and one that is damaged, without showing it', () => {
  openDataSecret(folder.path);
  const path = join(folder.path, 'secret');
  chmodSync(path, 0o640);
  expect(() => openDataSecret(folder.path)).toThrow(expect.objectContaining({ code: 'secret.not_private' }));
  // A cluster mounts it as it likes.
  expect(() => readSecretFile(path)).not.toThrow();
  chmodSync(path, 0o600);
  const text = readFileSync(path, 'latin1').slice(0, 40);
  writeFileSync(path, text);
  for (const open of [() => openDataSecret(folder.path), () => readSecretFile(path)]) {
    let error: unknown;
    try {
      open();
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: 'secret.damaged' });
    expect(inspect(error)).not.toContain(text.slice(0, 8));
  }
  expect(() => readSecretFile(join(folder.path, 'none'))).toThrow(expect.objectContaining({ code: 'secret.unreadable' }));
});
