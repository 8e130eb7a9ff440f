// Keyed hashes, and the file of the secret: made once, private, and never shown.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
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
