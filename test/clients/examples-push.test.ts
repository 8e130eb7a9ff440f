// The push clients of examples/, in a browser, Node and Python: each follows a hub through lost frames, ended connections and a restart, and has its aircraft.
// And decoders of binary frames outside this project: the Python one of examples/push-binary, and the built module as browsers load it.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openPage, type Page } from '../support/browser.ts';
import { PushStand, withoutAges } from '../support/push-stand.ts';
import { chromium, projectDir, requirement } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const FILTER = 'min_altitude=10000';
const browser = chromium();
const python = spawnSync('python3', ['--version']).status === 0 ? requirement(true, '') : requirement(false, 'skipped: no python3');

const goldenFolder = join(projectDir, 'test/golden/push');
const decodeProgram = join(projectDir, 'examples/push-binary/decode.py');

interface Golden {
  readonly file: string;
  readonly frame: { readonly seq: number; readonly now: number };
  readonly aircraft: readonly { readonly hex: string }[];
}
const golden = JSON.parse(readFileSync(join(goldenFolder, 'v1.json'), 'utf8')) as Golden[];

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function folderUntilEnd(): string {
  const { path, remove } = temporaryFolder();
  cleanUps.push(remove);
  return path;
}

/** Aircraft by hex that a client has now; null before the first. */
type Shown = () => Promise<Record<string, object> | null>;

async function followsAll(stand: PushStand, shown: Shown): Promise<void> {
  const agrees = async (what: string): Promise<void> => {
    const truth = JSON.stringify(await stand.truth(FILTER));
    await until(async () => JSON.stringify(await shown()) === truth, what);
    expect(Object.keys(JSON.parse(truth) as object).length).toBeGreaterThan(5);
  };
  const tick = async (): Promise<void> => {
    stand.tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await agrees('a full');
  for (let count = 0; count < 3; count += 1) await tick();
  await agrees('deltas');
  expect(stand.fulls).toBe(1);
  stand.losesNext = true;
  await tick();
  await tick();
  await agrees('what a lost frame had');
  stand.cut();
  await tick();
  await tick();
  await agrees('what an ended connection missed');
  // Both were resumed.
  expect(stand.fulls).toBe(1);
  await stand.restart();
  await tick();
  await agrees('a full of the next process');
  expect(stand.fulls).toBe(2);
}

/** A program that prints the aircraft after each frame as a line of JSON. */
function shownBy(child: ChildProcess): Shown {
  let partial = '';
  let newest: Record<string, object> | null = null;
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const lines = (partial + text).split('\n');
    partial = lines.pop()!;
    if (lines.length > 0) newest = withoutAges(JSON.parse(lines.at(-1)!) as Record<string, unknown>[]);
  });
  cleanUps.push(() => child.kill());
  return async () => newest;
}

describe('push-node', () => {
  test('follows', async () => {
    const stand = await PushStand.open();
    cleanUps.push(() => stand.stop());
    const folder = folderUntilEnd();
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
    copyFileSync(join(projectDir, 'examples/push-node/client.mjs'), join(folder, 'client.mjs'));
    for (const name of ['decoder', 'model']) copyFileSync(join(projectDir, `dist/web/stream/${name}.js`), join(folder, `${name}.mjs`));
    const program = `import { follow } from './client.mjs';
      await follow('http://${stand.address}', '${FILTER}', (aircraft) => console.log(JSON.stringify([...aircraft.values()])));`;
    writeFileSync(join(folder, 'run.mjs'), program);
    await followsAll(stand, shownBy(spawn(process.execPath, [join(folder, 'run.mjs')], { stdio: ['ignore', 'pipe', 'ignore'] })));
    const wrong = spawn(process.execPath, [join(folder, 'client.mjs'), `http://${stand.address}`, 'lat=91'], { stdio: 'ignore' });
    expect(await new Promise((resolve) => wrong.once('exit', resolve))).toBe(1);
  });
});

describe.skipIf(!python.met)(`push-python ${python.reason}`, () => {
  test('follows', async () => {
    const stand = await PushStand.open();
    cleanUps.push(() => stand.stop());
    const program = `import client, json
for _, aircraft in client.follow('http://${stand.address}', '${FILTER}'): print(json.dumps(list(aircraft.values())), flush=True)`;
    const env = { ...process.env, PYTHONPATH: join(projectDir, 'examples/push-python'), PYTHONDONTWRITEBYTECODE: '1' };
    await followsAll(stand, shownBy(spawn('python3', ['-c', program], { env, stdio: ['ignore', 'pipe', 'ignore'] })));
  });
});

describe.skipIf(!browser.met)(`push-browser ${browser.reason}`, () => {
  test('follows', async () => {
    const stand = await PushStand.open();
    cleanUps.push(() => stand.stop());
    // From another origin than the service.
    const server: Server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(readFileSync(join(projectDir, 'examples/push-browser/index.html'))),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?service=ws://${stand.address}`;
    const page: Page = await openPage(browser.path, url);
    cleanUps.push(() => page.close());
    await followsAll(stand, async () =>
      withoutAges(await page.evaluate<Record<string, unknown>[]>('[...(window.aircraft?.values() ?? [])]')),
    );
    expect(await page.evaluate<string>("document.getElementById('text').textContent")).toMatch(/^\d+ aircraft at \d+$/);
  });
});

describe.skipIf(!python.met)(`the Python decoder ${python.reason}`, () => {
  test.each(['raw', 'deflated'])('golden frames, %s', (encoding) => {
    const expected = golden.filter(({ file }) => file.includes(encoding));
    const out = execFileSync('python3', [decodeProgram, ...expected.map(({ file }) => join(goldenFolder, file))], { encoding: 'utf8' });
    const shown = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Golden['frame'] & Pick<Golden, 'aircraft'>);
    const sorted = shown.map(({ seq, now, aircraft }) => ({ seq, now, aircraft: aircraft.toSorted((a, b) => (a.hex < b.hex ? -1 : 1)) }));
    expect(sorted).toEqual(expected.map(({ frame, aircraft }) => ({ seq: frame.seq, now: frame.now, aircraft })));
  });

  test('damaged and missing frames end with an error', () => {
    const error = (...files: string[]): string => spawnSync('python3', [decodeProgram, ...files], { encoding: 'utf8' }).stderr;
    expect(error(join(goldenFolder, 'v1-raw-2.bin'))).toContain('FrameError: 42 follows None');
    expect(error(join(goldenFolder, 'v1-raw-1.bin'), join(goldenFolder, 'v1-raw-3.bin'))).toContain('FrameError: 43 follows 41');
    expect(error(join(goldenFolder, 'v1.json'))).toContain('FrameError: not a frame');
  });
});

test.each(['decoder', 'model'])('the built %s.js imports nothing and needs nothing of Node', (name) => {
  const code = readFileSync(join(projectDir, 'dist/web/stream', `${name}.js`), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  expect(code.match(/\bimport\b|\brequire\(|\b(?:Buffer|process|global|node:\w+)\b|export .* from/g)).toBeNull();
});
