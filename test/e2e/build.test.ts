// The build in a copy of the project: with --if-changed it writes only when an input changed or a file of the last build is gone.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectDir } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';

const COPIED = [
  'pipeline',
  'query-api',
  'push',
  'exporters',
  'schemas',
  'infra',
  'test',
  'build.js',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

const folder = temporaryFolder();
afterAll(folder.remove);

const inFolder = (file: string): string => join(folder.path, file);
const source = inFolder('schemas/limits/index.ts');
const built = inFolder('dist/modules/schemas/limits/index.js');

/** Builds; true if the module was written. */
function build(): boolean {
  const before = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  execFileSync(process.execPath, ['build.js', '--if-changed'], { cwd: folder.path, stdio: ['ignore', 'ignore', 'inherit'] });
  return statSync(built).mtimeMs !== before;
}

it('is left out only when it would change nothing', () => {
  for (const name of COPIED) cpSync(join(projectDir, name), inFolder(name), { recursive: true });
  symlinkSync(join(projectDir, 'node_modules'), inFolder('node_modules'));
  expect(build()).toBe(true);
  expect(build()).toBe(false);
  appendFileSync(source, 'export const ADDED = 4711;\n');
  expect(build()).toBe(true);
  expect(readFileSync(built, 'utf8')).toContain('4711');
  rmSync(built);
  expect(build()).toBe(true);
  expect(build()).toBe(false);
});
