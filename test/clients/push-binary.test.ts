// Decoders of binary frames outside this project: the Python one of examples/push-binary, and the built module as browsers load it.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectDir, requirement } from '../support/requirements.ts';

const python = spawnSync('python3', ['--version']).status === 0 ? requirement(true, '') : requirement(false, 'skipped: no python3');
const folder = join(projectDir, 'test/golden/push');
const program = join(projectDir, 'examples/push-binary/decode.py');

interface Golden {
  readonly file: string;
  readonly frame: { readonly seq: number; readonly now: number };
  readonly aircraft: readonly { readonly hex: string }[];
}
const golden = JSON.parse(readFileSync(join(folder, 'v1.json'), 'utf8')) as Golden[];

describe.skipIf(!python.met)(`the Python decoder ${python.reason}`, () => {
  test.each(['raw', 'deflated'])('golden frames, %s', (encoding) => {
    const expected = golden.filter(({ file }) => file.includes(encoding));
    const out = execFileSync('python3', [program, ...expected.map(({ file }) => join(folder, file))], { encoding: 'utf8' });
    const shown = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Golden['frame'] & Pick<Golden, 'aircraft'>);
    const sorted = shown.map(({ seq, now, aircraft }) => ({ seq, now, aircraft: aircraft.toSorted((a, b) => (a.hex < b.hex ? -1 : 1)) }));
    expect(sorted).toEqual(expected.map(({ frame, aircraft }) => ({ seq: frame.seq, now: frame.now, aircraft })));
  });

  test('damaged and missing frames end with an error', () => {
    const error = (...files: string[]): string => spawnSync('python3', [program, ...files], { encoding: 'utf8' }).stderr;
    expect(error(join(folder, 'v1-raw-2.bin'))).toContain('FrameError: 42 follows None');
    expect(error(join(folder, 'v1-raw-1.bin'), join(folder, 'v1-raw-3.bin'))).toContain('FrameError: 43 follows 41');
    expect(error(join(folder, 'v1.json'))).toContain('FrameError: not a frame');
  });
});

test.each(['decoder', 'model'])('the built %s.js imports nothing and needs nothing of Node', (name) => {
  const code = readFileSync(join(projectDir, 'dist/web/stream', `${name}.js`), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  expect(code.match(/\bimport\b|\brequire\(|\b(?:Buffer|process|global|node:\w+)\b|export .* from/g)).toBeNull();
});
