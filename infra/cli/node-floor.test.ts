// One oldest Node, in every place that says one; and an older one ends in one sentence before it meets another module.
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';

const FLOOR = '20.19';
const check = readFileSync('infra/cli/node-floor.js', 'utf8');

/** Output and exit status of the check on a version of Node; empty if it accepts the version. */
function outputFor(version: string): readonly (string | number)[] {
  const output: (string | number)[] = [];
  const write = (value: string | number): unknown => output.push(value);
  runInContext(check, createContext({ process: { versions: { node: version }, stderr: { write }, exit: write } }));
  return output;
}

test('an older Node ends in one sentence, any other passes', () => {
  for (const version of ['14.21.3', '18.20.8', '20.18.3'])
    expect(outputFor(version)).toEqual([
      `squitter: this is Node ${version}, and Squitter needs ${FLOOR} or newer (24 is recommended)\n`,
      1,
    ]);
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '100.1.0']) expect(outputFor(version)).toEqual([]);
});

test('engines and documents say the same', () => {
  expect((JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }).engines.node).toBe(`>=${FLOOR}`);
  for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/operate/embedded.md'])
    expect(readFileSync(file, 'utf8').match(/\b20\.1\d\b/g), file).toEqual([FLOOR]);
});

test('the executable and the build load it alone at first', () => {
  // Static imports of a module are loaded together, before any of them runs.
  const importsOf = (file: string) => [...readFileSync(file, 'utf8').matchAll(/^import\s.*?'(.*)';/gm)].map(([, path]) => path);
  expect(importsOf('infra/cli/squitter.ts')).toEqual(['./node-floor.js']);
  expect(importsOf('build.js').filter((path) => !path!.startsWith('node:'))).toEqual(['./infra/cli/node-floor.js']);
  expect(check).not.toMatch(/\?\?|\?\.|^(import|export)\b/m);
});
