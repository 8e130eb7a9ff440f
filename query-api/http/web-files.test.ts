// Files of the pages: a large one is in memory once, however many clients are sent it; and none makes markup of text.
import { readdirSync, readFileSync } from 'node:fs';
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

it('writes what aircraft and feeders send as text', () => {
  const folder = fileURLToPath(new URL('../web/', import.meta.url));
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(js|ts|html)$/.test(name));
  expect(scripts).toContain('pages/index.html');
  for (const name of scripts)
    expect(readFileSync(`${folder}${name}`, 'utf8')).not.toMatch(
      /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc)\b/,
    );
});
