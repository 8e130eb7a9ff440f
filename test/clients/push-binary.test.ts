// Decoders of binary frames outside this project: the Python one of examples/push-binary, and the built module as browsers load it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { chromium, projectDir, requirement } from '../support/requirements.ts';

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

describe('the built modules', () => {
  const built = (name: string): string => readFileSync(join(projectDir, 'dist/web/stream', `${name}.js`), 'utf8');

  test.each(['decoder', 'model'])('%s.js imports nothing and needs nothing of Node', (name) => {
    const code = built(name).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    expect(code.match(/\bimport\b|\brequire\(|\b(?:Buffer|process|global|node:\w+)\b|export .* from/g)).toBeNull();
  });
});

const browser = chromium();

describe.skipIf(!browser.met)(`in Chromium ${browser.reason}`, () => {
  test('the built modules read golden frames', async () => {
    const server = createServer(({ url }, response) => {
      const [, kind, name] = url!.split('/');
      if (kind !== 'modules' && kind !== 'frames') return response.setHeader('content-type', 'text/html').end('<!doctype html>');
      const file = kind === 'modules' ? join(projectDir, 'dist/web/stream', name!) : join(folder, name!);
      return response
        .setHeader('content-type', kind === 'modules' ? 'text/javascript' : 'application/octet-stream')
        .end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const profile = mkdtempSync(join(tmpdir(), 'squitter-test-'));
    const page = await openPage(browser.path, profile, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    try {
      const expected = golden.filter(({ file }) => file.includes('deflated'));
      const aircraft = await page.evaluate<Golden['aircraft']>(`(async () => {
        const [{ AircraftDecoder }, { AircraftStreams }] = await Promise.all([import('/modules/decoder.js'), import('/modules/model.js')]);
        const decoder = new AircraftDecoder(), model = new AircraftStreams();
        for (const file of ${JSON.stringify(expected.map(({ file }) => file))})
          model.apply(await decoder.decode(new Uint8Array(await (await fetch('/frames/' + file)).arrayBuffer())));
        return [...model.streams.get('golden.world').aircraft.values()];
      })()`);
      expect(aircraft.toSorted((a, b) => (a.hex < b.hex ? -1 : 1))).toEqual(expected.at(-1)!.aircraft);
    } finally {
      await page.close();
      server.close();
      rmSync(profile, { recursive: true, force: true });
    }
  });
});
