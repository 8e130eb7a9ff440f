// No page makes markup of texts from aircraft and feeders.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('writes what aircraft and feeders send as text', () => {
  const folder = fileURLToPath(new URL('../../web/', import.meta.url));
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(js|ts|html)$/.test(name));
  expect(scripts).toContain('pages/index.html');
  for (const name of scripts)
    expect(readFileSync(`${folder}${name}`, 'utf8')).not.toMatch(
      /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc)\b/,
    );
});
