// A large file of the pages is in memory once, however many clients are sent it.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sharedRead } from './web-files.ts';

it('gives callers the same bytes while one of them holds them', async () => {
  const read = sharedRead(fileURLToPath(import.meta.url));
  const [first, second] = await Promise.all([read(), read()]);
  expect(second).toBe(first);
  expect(await read()).toBe(first);
  expect(first.toString()).toContain('sharedRead');
});

it('reads again after a failure', async () => {
  const read = sharedRead('/no/such/file');
  await expect(read()).rejects.toThrow('ENOENT');
  await expect(read()).rejects.toThrow('ENOENT');
});
