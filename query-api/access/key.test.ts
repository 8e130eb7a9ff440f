// Keys: their form, their content, and that the secret is needed to make one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import { testSecret } from '../../test/support/secret.ts';
import { keyOf, LAST_GENERATION, readKey } from './key.ts';

const other = new InstallationSecret(Buffer.alloc(32, 9));
const parts = fc.record({
  feeder: fc.bigInt(0n, 2n ** 64n - 1n).map((id) => id.toString(16).padStart(16, '0')),
  generation: fc.nat(LAST_GENERATION),
});

test('a key says its feeder and generation, to its own installation only, and with any other digit nothing', () => {
  const digits = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
  fc.assert(
    fc.property(parts, fc.integer({ min: 4, max: 39 }), fc.constantFrom(...digits), (own, at, digit) => {
      const key = keyOf(own, testSecret);
      expect(key).toMatch(/^sqt_[0-9A-Za-z]{36}$/);
      expect(readKey(key, testSecret)).toEqual(own);
      expect(readKey(key, other)).toBeNull();
      if (key[at] !== digit) expect(readKey(key.slice(0, at) + digit + key.slice(at + 1), testSecret)).toBeNull();
    }),
  );
  for (const text of ['', 'sqt_', `sqt_${'z'.repeat(36)}`, ` ${keyOf({ feeder: 'a'.repeat(16), generation: 1 }, testSecret)}`, 'Bearer'])
    expect(readKey(text, testSecret)).toBeNull();
});
