// The golden sets of the repository: small, with their origin, and identical to the shared ones.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectDir, sharedDir } from '../support/requirements.ts';

const own = join(projectDir, 'test/golden/sets');
const BYTES_MAX = 3_000_000;

const files = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(own, file)).isFile());
const sets = files.filter((file) => /^(frames|truth)\//.test(file));

test('take less than 3 MB', () => {
  expect(files.reduce((sum, file) => sum + statSync(join(own, file)).size, 0)).toBeLessThan(BYTES_MAX);
});

test('have their origin and licence in README.md', () => {
  const readme = readFileSync(join(own, 'README.md'), 'utf8');
  const unnamed = sets.filter((file) => !readme.includes(file) && !/^truth\/\w+\.jsonl$/.test(file));
  expect(unnamed).toEqual([]);
  for (const licence of files.filter((file) => file.startsWith('licences/'))) expect(readme).toContain(`(${licence})`);
});

test('are identical to the shared ones, if present', () => {
  const changed = sets.filter((file) => {
    const shared = join(sharedDir, 'data', file);
    return existsSync(shared) && !readFileSync(shared).equals(readFileSync(join(own, file)));
  });
  expect(changed).toEqual([]);
});
